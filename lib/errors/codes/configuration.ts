import { defineCodes } from "./define-codes.js"

/** Codes about options, and about options that conflict with each other. */
export const CONFIGURATION = defineCodes({
  "configuration-invalid": {
    title: "The configuration has several problems",
    cause: "The middleware checks its configuration when it is created, and refuses to start with an invalid one.",
    remedy: "The message lists every problem with its option, value, fix and code.",
    docs: "configuration.md#all-options",
  },
  "secret-missing": {
    title: "The secret is missing",
    cause:
      "Neither the option `secret` nor the variable `AUTH_SECRET` is set. The secret encrypts cookies and signs links. A `.env` file has no effect unless it is loaded.",
    remedy: `Create one:

\`\`\`sh
npx latchkey secret --write     # adds AUTH_SECRET to .env
node --env-file=.env server.js
\`\`\``,
    docs: "configuration.md#secret",
  },
  "secret-too-short": {
    title: "The secret is too short",
    cause:
      "The secret has fewer than 32 characters, which production refuses. An attacker who guesses it can sign in as any user.",
    remedy: `Replace it by a new secret:

\`\`\`sh
npx latchkey secret
\`\`\`

Do not keep the short secret in a list, where it is refused too. Users with cookie sessions sign in again. Sessions in a database stay valid.`,
    docs: "sessions.md#changing-the-secret",
  },
  "weak-secret": {
    title: "The secret is too short for production",
    cause: "The secret has fewer than 32 characters. Production refuses to start with it.",
    remedy: `Replace it by a new secret:

\`\`\`sh
npx latchkey secret
\`\`\``,
    docs: "configuration.md#secret",
  },
  "temporary-secret": {
    title: "A temporary secret is in use",
    cause:
      "No secret is set. With `devProvider()` in development each start creates a new one, which signs all users out.",
    remedy: `\`\`\`sh
npx latchkey secret --write     # adds AUTH_SECRET to .env
node --env-file=.env server.js
\`\`\``,
    docs: "dev-provider.md#in-production",
  },
  "option-misspelt": {
    title: "An option is misspelt",
    cause: "An unknown option is one or two letters away from a known one.",
    remedy: "Use the name that the message suggests.",
    docs: "configuration.md#all-options",
  },
  "unknown-option": {
    title: "An option is unknown",
    cause: "This version does not know the option, and ignores it.",
    remedy: "Remove it, or use an option that the message lists.",
    docs: "configuration.md#all-options",
  },
  "option-type-wrong": {
    title: "An option has the wrong type",
    cause: "The option expects another type, for example a list or a function.",
    remedy: "The message states what was found and what to write.",
    docs: "configuration.md#all-options",
  },
  "number-out-of-range": {
    title: "A number is out of range",
    cause: "Times are seconds, not milliseconds, and at most ten years. Limits are 1 or more.",
    remedy: `For example:

\`\`\`js
authMiddleware({
  session: { maxAge: 30 * 24 * 60 * 60 }, // 30 days
  rateLimit: { attempts: 5, windowSeconds: 15 * 60 },
})
\`\`\``,
    docs: "configuration.md#all-options",
  },
  "session-strategy-unknown": {
    title: "The session strategy is unknown",
    cause: "`session.strategy` is neither `jwt` (an encrypted cookie) nor `database` (a row in the database).",
    remedy: `\`\`\`js
authMiddleware({ session: { strategy: "jwt" } })
\`\`\``,
    docs: "configuration.md#session",
  },
  "strategy-unsupported": {
    title: "The session strategy does not match the other options",
    cause:
      "Database sessions have no adapter, or the application called `revokeSessions`, which needs database sessions.",
    remedy: `Store sessions in the cookie, or add an adapter:

\`\`\`js
authMiddleware({ session: { strategy: "jwt" } })
\`\`\`

\`\`\`js
import { SqlAdapter } from "latchkey/adapters/sql"

const config = { adapter: SqlAdapter({ sqlite: "auth.db" }), session: { strategy: "database" } }
\`\`\``,
    docs: "sessions.md#database-sessions",
  },
  "adapter-missing": {
    title: "The adapter is missing",
    cause: 'Email links, passkeys and sessions with `session.strategy: "database"` need an adapter to store data.',
    remedy: `Add an adapter, for example a SQLite file:

\`\`\`js
import { SqlAdapter } from "latchkey/adapters/sql"

const adapter = SqlAdapter({ sqlite: "auth.db" })
await adapter.migrate()
\`\`\`

If only sessions need it, write \`session: { strategy: "jwt" }\` instead.`,
    docs: "adapters.md",
  },
  "adapter-methods-missing": {
    title: "The adapter lacks methods",
    cause: "The options need methods that the adapter lacks. The message names them.",
    remedy: "Use an adapter that has them, or add them to yours.",
    docs: "adapters.md#the-methods",
  },
  "page-redirects-to-itself": {
    title: "A custom page has the address of a built-in page",
    cause: "An address in `pages` is that of the built-in page, which would redirect in a loop.",
    remedy: `Leave the option out, or give your page another address:

\`\`\`js
authMiddleware({ pages: { signIn: "/login" } })
\`\`\``,
    docs: "pages.md#your-own-pages",
  },
  "colour-invalid": {
    title: "A theme colour is invalid",
    cause: "`theme.brandColor` or `theme.buttonText` is not a CSS colour.",
    remedy: `\`\`\`js
authMiddleware({ theme: { brandColor: "#346df1", buttonText: "#ffffff" } })
\`\`\``,
    docs: "pages.md#colours-and-a-logo",
  },
  "locale-invalid": {
    title: "A language of the pages is not available",
    cause: "`theme.locale` or `theme.locales` names a language without texts, or both options are set.",
    remedy: `\`\`\`js
authMiddleware({ theme: { locales: ["en", "de"] } })
\`\`\`

To add a language, put a file \`locales/<tag>.json\` into the \`views\` folder.`,
    docs: "pages.md#languages",
  },
  "views-unusable": {
    title: "The views folder can't be used",
    cause: "The folder in `views` does not exist, or a template or a language file in it can't be read.",
    remedy: `The message names the file. The path is relative to the folder where the process started. To copy the built-in templates:

\`\`\`sh
npx latchkey eject error --to views/auth
\`\`\``,
    docs: "pages.md#your-own-templates",
  },
  "cookie-invalid": {
    title: "A cookie option is invalid",
    cause:
      "A name or an attribute in `cookies` has an invalid character, or conflicts with the prefix of its name: browsers refuse `__Host-` with a domain or a path.",
    remedy: "The message names the option and its value. Most sites need no option of `cookies`.",
    docs: "configuration.md#cookies",
  },
  "experimental-feature-off": {
    title: "A feature of Auth.js must be enabled first",
    cause: "This error type of Auth.js exists for code that compares it. It is never thrown: passkeys need no switch.",
    remedy: "Nothing to do. `experimental.enableWebAuthn` is accepted and ignored.",
    docs: "passkeys.md",
  },
  "passkey-addresses-unverified": {
    title: "Users sign up with addresses that are never verified",
    cause: "Visitors can sign up with any email address, and no provider verifies it.",
    remedy: `Add a provider of email links, which verify the address:

\`\`\`js
import Nodemailer from "latchkey/providers/nodemailer"

authMiddleware({ providers: [Passkey(), Nodemailer({ server, from })], adapter })
\`\`\`

Until then, grant no rights for \`user.email\`.`,
    docs: "accounts.md",
  },
  "debug-enabled": {
    title: "Debug output is on",
    cause: "`debug: true` logs every step of a sign-in. Secrets are masked, but email addresses are not.",
    remedy: "Turn it off in production.",
    docs: "configuration.md#logger-debug",
  },
  "csrf-disabled": {
    title: "CSRF protection is off",
    cause: "`skipCSRFCheck` is set: another site can sign users out, or sign them in as another user.",
    remedy: "Remove `skipCSRFCheck`, unless another layer provides CSRF protection.",
    docs: "configuration.md#skipcsrfcheck",
  },
  "package-missing": {
    title: "A required package is not installed",
    cause: "A feature in the configuration needs a package that is not installed.",
    remedy: `The message has the command. For passkeys it is:

\`\`\`sh
npm install @simplewebauthn/server
\`\`\``,
    docs: "passkeys.md",
  },
})
