import { rows } from "./row.js"

/** Of the options of the whole configuration, and what they are together. */
export const CONFIGURATION = rows({
  "configuration-invalid": {
    title: "The configuration has several problems",
    cause: "The middleware checks its configuration when it is made, and refuses to start with a wrong one.",
    remedy:
      "The message lists every problem: the option, what was seen, what to write, and a code in brackets. Each code has a page of its own.",
    see: "configuration.md#all-options",
  },
  "secret-missing": {
    title: "There is no secret",
    cause:
      "Neither the option `secret` nor the variable `AUTH_SECRET` is set. Cookies are encrypted and links are signed with it, so nothing can be served without one. A `.env` file counts only if something loads it.",
    remedy: `Make one and put it into the environment:

\`\`\`sh
npx latchkey secret --write     # adds AUTH_SECRET to .env
node --env-file=.env server.js
\`\`\``,
    see: "configuration.md#secret",
  },
  "secret-too-short": {
    title: "The secret is too short",
    cause:
      "The secret has fewer than 32 characters, and in production that is refused: short secrets can be guessed, and whoever knows it can be anybody.",
    remedy: `Make a new one, and set it alone, where the short one is set now:

\`\`\`sh
npx latchkey secret
\`\`\`

In a list a short one is refused too: whoever guesses it could go on making sessions. So people whose session is an encrypted cookie sign in again. Sessions in a database go on.`,
    see: "sessions.md#changing-the-secret",
  },
  "weak-secret": {
    title: "The secret is too short for production",
    cause: "The secret has fewer than 32 characters. It works in development; production refuses to start with it.",
    remedy: `Make another, and set it alone, where the short one is set now:

\`\`\`sh
npx latchkey secret
\`\`\``,
    see: "configuration.md#secret",
  },
  "temporary-secret": {
    title: "A secret was made for this process alone",
    cause:
      "No secret is set, and with `devProvider()` in development one is made at each start: when the process ends, everybody is signed out.",
    remedy: `\`\`\`sh
npx latchkey secret --write     # adds AUTH_SECRET to .env
node --env-file=.env server.js
\`\`\``,
    see: "dev-provider.md#nothing-of-it-in-production",
  },
  "option-misspelt": {
    title: "An option is misspelt",
    cause: "The configuration has a name that is no option, and is one letter or two away from one.",
    remedy: "Write the name that the message proposes. With TypeScript the compiler says the same.",
    see: "configuration.md#all-options",
  },
  "unknown-option": {
    title: "An option is unknown",
    cause: "The configuration has a name that is no option of this version. It is ignored.",
    remedy: "Take it out, or look for the option that you mean; the message lists those that there are.",
    see: "configuration.md#all-options",
  },
  "option-kind-wrong": {
    title: "An option is of another kind than it can be",
    cause: "A text, a list, an object or a function was expected, and something else was given.",
    remedy: "The message says what was seen and what to write.",
    see: "configuration.md#all-options",
  },
  "number-out-of-range": {
    title: "A number is outside of what it can be",
    cause: "Times are seconds, not milliseconds, and at most ten years; limits are 1 or more.",
    remedy: `The message names the option and what was seen. For instance:

\`\`\`js
authMiddleware({
  session: { maxAge: 30 * 24 * 60 * 60 }, // 30 days
  rateLimit: { attempts: 5, windowSeconds: 15 * 60 },
})
\`\`\``,
    see: "configuration.md#all-options",
  },
  "session-strategy-unknown": {
    title: "There is no such session strategy",
    cause: "`session.strategy` is neither `jwt`, an encrypted cookie, nor `database`, a row in a store.",
    remedy: `\`\`\`js
authMiddleware({ session: { strategy: "jwt" } })
\`\`\``,
    see: "configuration.md#session",
  },
  "strategy-unsupported": {
    title: "The session strategy does not go with the other options",
    cause: "Sessions are to be kept in a database, and there is no adapter to keep them in.",
    remedy: `Keep them in the cookie, or give an adapter:

\`\`\`js
authMiddleware({ session: { strategy: "jwt" } })
\`\`\`

\`\`\`js
import { SqlAdapter } from "latchkey/adapters/sql"

const config = { adapter: SqlAdapter({ sqlite: "auth.db" }), session: { strategy: "database" } }
\`\`\``,
    see: "sessions.md#database-sessions",
  },
  "adapter-missing": {
    title: "There is no adapter",
    cause:
      'Something is to be kept between requests, and there is nothing to keep it in: links by e-mail, passkeys, or sessions with `session.strategy: "database"`.',
    remedy: `Give one. A file is enough to begin with:

\`\`\`js
import { SqlAdapter } from "latchkey/adapters/sql"

const adapter = SqlAdapter({ sqlite: "auth.db" })
await adapter.migrate()
\`\`\`

Sessions alone need none with \`session: { strategy: "jwt" }\`.`,
    see: "adapters.md",
  },
  "adapter-methods-missing": {
    title: "The adapter lacks methods",
    cause: "The options ask for something that this adapter can't do. The message names the methods.",
    remedy: "Use an adapter that has them, or add them to yours; the page lists what each way to sign in needs.",
    see: "adapters.md#the-methods",
  },
  "page-leads-to-itself": {
    title: "A page of your own has the address of a built-in one",
    cause: "An address in `pages` is that of the built-in page, which would redirect to itself for ever.",
    remedy: `Leave the option out to have the built-in page, or give your page another address:

\`\`\`js
authMiddleware({ pages: { signIn: "/login" } })
\`\`\``,
    see: "pages.md#your-own-pages",
  },
  "colour-invalid": {
    title: "A colour of the theme is none",
    cause: "`theme.brandColor` or `theme.buttonText` is no CSS colour.",
    remedy: `\`\`\`js
authMiddleware({ theme: { brandColor: "#346df1", buttonText: "#ffffff" } })
\`\`\``,
    see: "pages.md#colours-and-a-logo",
  },
  "locale-invalid": {
    title: "A language of the pages is not to be had",
    cause: "`theme.locale` or `theme.locales` names a language without a catalogue, or both are set.",
    remedy: `\`\`\`js
authMiddleware({ theme: { locales: ["en", "de"] } })
\`\`\`

A language of your own is a file \`locales/<tag>.json\` in the folder of \`views\`.`,
    see: "pages.md#languages",
  },
  "views-unusable": {
    title: "The folder of templates can't be used",
    cause: "The folder in `views` is not there, or a template or a catalogue of texts in it can't be read.",
    remedy: `The message names the file. The path is looked for from where the process was started; built-in templates to begin with come by

\`\`\`sh
npx latchkey eject error --to views/auth
\`\`\``,
    see: "pages.md#your-own-templates",
  },
  "cookie-invalid": {
    title: "A cookie can't be written as configured",
    cause:
      "A name or an attribute in `cookies` has a character that no cookie can carry, or goes against the prefix of its name: a browser refuses `__Host-` with a domain or a path.",
    remedy:
      "The message names the option and what was seen. What is left out keeps a safe default; most sites set nothing here.",
    see: "configuration.md#cookies",
  },
  "experimental-feature-off": {
    title: "A feature of Auth.js must be turned on first",
    cause:
      "The error type is that of Auth.js, for code that compares it. This package does not throw it: passkeys need no switch.",
    remedy: "Nothing. `experimental.enableWebAuthn` is accepted and ignored.",
    see: "passkeys.md",
  },
  "passkey-addresses-unproved": {
    title: "Users sign up with addresses that are never proved",
    cause:
      "A passkey provider lets strangers sign up with any email address, and no other provider can prove who owns it.",
    remedy: `Add a provider that sends sign-in links; opening one proves the address:

\`\`\`js
import Nodemailer from "latchkey/providers/nodemailer"

authMiddleware({ providers: [Passkey(), Nodemailer({ server, from })], adapter })
\`\`\`

Until then treat \`user.email\` as a name that the user chose, and grant nothing for it.`,
    see: "accounts.md",
  },
  "debug-enabled": {
    title: "Debug output is on",
    cause: "`debug: true` writes every step of a sign-in to the log. Secrets are masked, people's addresses are not.",
    remedy: "Turn it off where real people sign in.",
    see: "configuration.md#logger-debug",
  },
  "csrf-disabled": {
    title: "The protection against forged requests is off",
    cause: "`skipCSRFCheck` is set: another site can sign people out, or sign them in as somebody else.",
    remedy: "Remove `skipCSRFCheck`, unless something in front of the application does the same.",
    see: "configuration.md#skipcsrfcheck",
  },
  "package-missing": {
    title: "A package that is needed is not installed",
    cause: "What a configuration does not use it does not install; this one uses something of an optional package.",
    remedy: `The message has the command, for passkeys:

\`\`\`sh
npm install @simplewebauthn/server
\`\`\``,
    see: "passkeys.md",
  },
})
