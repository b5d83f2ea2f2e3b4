import { defineCodes } from "./define-codes.js"

/** Codes of the doctor about an application: credentials, packages and the database. */
export const DOCTOR_APPLICATION = defineCodes({
  "module-failed": {
    title: "The application could not be loaded",
    cause:
      "The doctor loads the configuration's file in a separate process with the variables of `.env`. Loading failed, or the application ended the process.",
    remedy: `Name the file that exports the configuration or calls \`authMiddleware\`, and the file of the variables if it is not \`.env\`:

\`\`\`sh
npx latchkey doctor src/auth.js --env-file .env.production
\`\`\`

A TypeScript file needs Node.js 22.18 or newer, or \`npm install --save-dev tsx\`.`,
    docs: "doctor.md#how-the-configuration-is-found",
  },
  "config-not-found": {
    title: "No configuration was found",
    cause:
      "No usual file exports a configuration or called `authMiddleware`, `authHandlers` or `getSession` while it was loaded.",
    remedy: `\`\`\`sh
npx latchkey doctor path/to/auth.js
\`\`\``,
    docs: "doctor.md#how-the-configuration-is-found",
  },
  "check-failed": {
    title: "A check could not run",
    cause: "A check failed or took too long. The other checks are not affected.",
    remedy: "The finding states why. If the network and the database work, please report it as an issue.",
    docs: "doctor.md",
  },
  "secret-guessable": {
    title: "The secret can be guessed",
    cause:
      "The secret looks like an example, repeats itself, or has few different characters. An attacker who guesses it can sign in as any user.",
    remedy: `Create a new secret, and list the old one after it for as long as sessions last:

\`\`\`sh
npx latchkey secret
\`\`\``,
    docs: "sessions.md#changing-the-secret",
  },
  "credential-malformed": {
    title: "An id or a secret has extra characters around it",
    cause:
      "White space or quotation marks around the value are sent to the provider, which then does not recognise the client.",
    remedy: `Paste the value again, with nothing around it:

\`\`\`sh
AUTH_GITHUB_SECRET=0123456789abcdef0123456789abcdef01234567
\`\`\``,
    docs: "configuration.md#environment",
  },
  "credential-placeholder": {
    title: "An id or a secret is still a placeholder",
    cause: "The value is a placeholder from an example.",
    remedy: "Create a client in the provider's console (see `npx latchkey providers ID`), and paste its values.",
    docs: "providers.md",
  },
  "credentials-swapped": {
    title: "The id and the secret are swapped",
    cause: "The id has the format of this vendor's secrets or the secret that of its ids, or both are the same.",
    remedy: `Swap them. If browsers received the secret as the id, create a new one:

\`\`\`sh
AUTH_GITHUB_ID=the id
AUTH_GITHUB_SECRET=the secret
\`\`\``,
    docs: "providers.md",
  },
  "session-large": {
    title: "The session needs several cookies",
    cause:
      "With the data that `callbacks.jwt` returns for a typical user, the session needs several cookies, which every request carries.",
    remedy:
      "Return an id instead of a profile, and no tokens of the provider. Or add an adapter, which stores sessions in the database.",
    docs: "sessions.md#what-a-session-holds",
  },
  "schema-outdated": {
    title: "The tables are missing or outdated",
    cause: "The database lacks the tables of this version of the package.",
    remedy: `\`\`\`sh
npx latchkey migrate
\`\`\`

or \`await adapter.migrate()\` before the application listens.`,
    docs: "databases.md#creating-the-tables",
  },
  "store-unreachable": {
    title: "The database failed",
    cause: "A read or a write failed, or the database did not answer.",
    remedy: "The finding has the database's own error. Check the address, the name and the permissions.",
    docs: "adapters.md",
  },
  "store-slow": {
    title: "Reads of the database are slow",
    cause:
      "A read by key took longer than 100 ms. With database sessions every request of a signed-in user waits for one.",
    remedy:
      "Look for a missing index (`npx latchkey migrate` creates those of the built-in tables) or a database in another region.",
    docs: "performance.md",
  },
  "redis-evicts-users": {
    title: "Redis deletes users when its memory is full",
    cause:
      "`maxmemory-policy` is one of the `allkeys-` policies, which delete users and accounts too when the memory is full.",
    remedy: `\`\`\`
maxmemory-policy noeviction
\`\`\`

Also set an alarm on the free memory, and use a separate Redis for a cache.`,
    docs: "adapters.md#redis",
  },
  "redis-not-persistent": {
    title: "Redis loses its data at a restart",
    cause: "Neither `appendonly` nor `save` is on, so nothing is written to disk.",
    remedy: `\`\`\`
appendonly yes
\`\`\``,
    docs: "adapters.md#redis",
  },
  "token-use-not-atomic": {
    title: "A one-time token can be used twice",
    cause: "`useVerificationToken` returned one token more than once, so one link could sign two visitors in.",
    remedy: `Delete and return the token in one step:

\`\`\`sql
DELETE FROM verification_tokens WHERE identifier = $1 AND token = $2 RETURNING *
\`\`\``,
    docs: "adapters.md#an-adapter-of-your-own",
  },
  "token-use-fails": {
    title: "A stored email link can't be used",
    cause: "`useVerificationToken` did not return a stored token. No user could sign in by a link.",
    remedy: "Run the adapter tests: `latchkey/adapters/testing`.",
    docs: "adapters.md#an-adapter-of-your-own",
  },
  "mail-server-unreachable": {
    title: "The email server can't be reached, or refuses the connection",
    cause: "The greeting, TLS, or the name and password failed.",
    remedy: `Compare the address with your email provider's: port 465 needs \`smtps:\`, 587 needs \`smtp:\`. Write "/", "?", "#" and "@" in a password as %2F, %3F, %23 and %40.

\`\`\`sh
AUTH_NODEMAILER_SERVER=smtp://user:password@smtp.example.com:587
\`\`\``,
    docs: "email-providers.md",
  },
  "rate-limit-off": {
    title: "Attempts are not limited",
    cause: "With `rateLimit: false` an attacker can try passwords and request emails without limit.",
    remedy: "Leave `rateLimit` out. A limit by IP address in a proxy does not know which account is tried.",
    docs: "credentials.md#the-limit-on-attempts",
  },
  "rate-limit-per-process": {
    title: "Each process counts attempts separately",
    cause:
      "There is no store, so each process counts in its own memory, and several processes allow several times the limit.",
    remedy: `Configure a [store](../stores.md) that they share:

\`\`\`js
import { SqlStore } from "latchkey/stores/sql"

app.use(authMiddleware({ ...config, store: SqlStore({ postgres: process.env.DATABASE_URL }) }))
\`\`\``,
    docs: "credentials.md#the-limit-on-attempts",
  },
  "session-host-prefix-off": {
    title: "Another host can set the session cookie",
    cause:
      "Every host below a domain can set a cookie for it. If others control such hosts (`someone.example.com`), they can sign a visitor in as another user, or out.",
    remedy: `\`\`\`js
authMiddleware({ session: { hostPrefix: true } })
\`\`\`

Existing sessions stay valid.`,
    docs: "sessions.md#cookies-that-other-hosts-set",
  },
  "package-outdated": {
    title: "A package has an unsupported version",
    cause: "The installed version of a package that the configuration needs is not a tested one.",
    remedy: "Install the version that the message names.",
    docs: "getting-started.md",
  },
  "node-outdated": {
    title: "Node.js is too old",
    cause: "The package is tested with Node.js 20.19 and newer.",
    remedy: "Install a newer one, with an even version number for production.",
    docs: "getting-started.md#1-install",
  },
})
