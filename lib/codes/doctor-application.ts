import { rows } from "./row.js"

/** Of an application that was looked at from within: what is pasted, what is installed, what the store does. */
export const DOCTOR_APPLICATION = rows({
  "module-failed": {
    title: "The application could not be loaded",
    cause:
      "To look at a configuration, its file is loaded in a process of its own, with the variables of `.env`. That failed, or the application ended the process.",
    remedy: `Name the file that exports the configuration, or that calls \`authMiddleware\`; and the file of variables, if it is another than \`.env\`:

\`\`\`sh
npx latchkey doctor src/auth.js --env-file .env.production
\`\`\`

A TypeScript file is loaded where Node.js strips types by itself (22.18 and newer), or with \`npm install --save-dev tsx\`.`,
    see: "doctor.md#how-the-configuration-is-found",
  },
  "config-not-found": {
    title: "No configuration was found",
    cause:
      "None of the files that usually have it exports a configuration, and none of them called `authMiddleware`, `authHandlers` or `getSession` while it was loaded.",
    remedy: `\`\`\`sh
npx latchkey doctor path/to/auth.js
\`\`\``,
    see: "doctor.md#how-the-configuration-is-found",
  },
  "check-failed": {
    title: "Something could not be looked at",
    cause: "One of the checks failed or took too long. The others are not affected.",
    remedy: "What was seen says why. If it is no fault of the network or the store, please report it as an issue.",
    see: "doctor.md",
  },
  "secret-guessable": {
    title: "The secret can be guessed",
    cause:
      "The secret is long enough, and does not look random: it reads like an example, repeats itself, or has few different characters. Whoever guesses it can be anybody on the site.",
    remedy: `Make a new one, and keep the old one behind it for as long as sessions last:

\`\`\`sh
npx latchkey secret
\`\`\``,
    see: "sessions.md#changing-the-secret",
  },
  "credential-malformed": {
    title: "An id or a secret was pasted with something around it",
    cause:
      "White space or quotation marks stand around the value. They are sent to the provider as they are, which then knows no such client.",
    remedy: `Paste it once more, and nothing around it:

\`\`\`sh
AUTH_GITHUB_SECRET=0123456789abcdef0123456789abcdef01234567
\`\`\``,
    see: "configuration.md#environment",
  },
  "credential-placeholder": {
    title: "An id or a secret is still a placeholder",
    cause: "The value is one that examples have in the place of a real one.",
    remedy: "Make a client in the provider's console, `npx latchkey providers ID` says where, and paste what it gives.",
    see: "providers.md",
  },
  "credentials-swapped": {
    title: "Id and secret stand in each other's place",
    cause: "The id has the form of this vendor's secrets, or the other way round; or both are the same.",
    remedy: `Change them round, and if the secret was sent to browsers as the id, make a new one:

\`\`\`sh
AUTH_GITHUB_ID=the id
AUTH_GITHUB_SECRET=the secret
\`\`\``,
    see: "providers.md",
  },
  "session-large": {
    title: "The session needs several cookies",
    cause:
      "With what `callbacks.jwt` returns for somebody typical, the encrypted session is longer than one cookie may be. It is split, and all of it goes along with every request.",
    remedy:
      "Return only what you need of each request: an id in place of a profile, and no tokens of the provider. Or give an adapter, which keeps sessions in the store.",
    see: "sessions.md#what-a-session-holds",
  },
  "schema-outdated": {
    title: "The tables are missing, or of an earlier version",
    cause: "The database has not got the tables of this version of the package.",
    remedy: `\`\`\`sh
npx latchkey migrate
\`\`\`

or \`await adapter.migrate()\` before the application listens.`,
    see: "databases.md#making-the-tables",
  },
  "store-unreachable": {
    title: "The store failed",
    cause: "A read or a write failed, or the store did not answer.",
    remedy:
      "What was seen has the store's own words. Compare its address, name and rights with those of the application.",
    see: "adapters.md",
  },
  "store-slow": {
    title: "Reads of the store are slow",
    cause:
      "A read by one key took longer than 100 ms. With database sessions every request of a signed-in person waits for one.",
    remedy:
      "Look for a missing index, or a store in another region. `npx latchkey migrate` makes the indices of our tables.",
    see: "performance.md",
  },
  "redis-evicts-users": {
    title: "Redis deletes users when its memory is full",
    cause:
      "`maxmemory-policy` is one of the `allkeys-` policies, which are meant for caches. When the memory is full, Redis deletes users and accounts as well.",
    remedy: `\`\`\`
maxmemory-policy noeviction
\`\`\`

and an alarm on the memory that is left. Put a cache into a Redis of its own.`,
    see: "adapters.md#redis",
  },
  "redis-not-persistent": {
    title: "Redis loses its data at a restart",
    cause: "Neither `appendonly` nor `save` is on, so nothing is written to disk. Users are stored in Redis alone.",
    remedy: `\`\`\`
appendonly yes
\`\`\``,
    see: "adapters.md#redis",
  },
  "token-use-not-atomic": {
    title: "A token for one sign-in is good twice",
    cause:
      "One token was stored and used twenty times at once, and `useVerificationToken` gave it to more than one. Two people who open one link at once would both be signed in.",
    remedy: `Delete and give back in one step:

\`\`\`sql
DELETE FROM verification_tokens WHERE identifier = $1 AND token = $2 RETURNING *
\`\`\``,
    see: "adapters.md#an-adapter-of-your-own",
  },
  "token-use-fails": {
    title: "A stored link can't be used",
    cause: "A token was stored, and `useVerificationToken` gave it to nobody: nobody could sign in by a link.",
    remedy: "Hold the adapter against its contract: `latchkey/adapters/testing`.",
    see: "adapters.md#an-adapter-of-your-own",
  },
  "mail-server-unreachable": {
    title: "The mail server can't be reached, or refuses us",
    cause: "The greeting, TLS, or the name and password failed. No sign-in mail would be sent.",
    remedy: `Compare with what your mail provider gives: port 465 goes with \`smtps:\`, 587 with \`smtp:\`. "/", "?", "#" and "@" in a password are written %2F, %3F, %23 and %40.

\`\`\`sh
AUTH_NODEMAILER_SERVER=smtp://user:password@smtp.example.com:587
\`\`\``,
    see: "email-providers.md",
  },
  "rate-limit-off": {
    title: "Nothing limits attempts",
    cause: "With `rateLimit: false` passwords can be tried, and mails be sent to strangers, as often as anybody likes.",
    remedy: "Leave `rateLimit` out. A limit by address alone, in a proxy, does not know whose account is tried.",
    see: "credentials.md#the-limit-on-attempts",
  },
  "rate-limit-per-process": {
    title: "Each process counts attempts by itself",
    cause:
      "The counts are in the memory of each process, and there are several: all together they allow as many times more.",
    remedy: `Give them a limiter that they share:

\`\`\`js
const limiter = ({ name, points, windowSeconds }) =>
  new RateLimiterRedis({ storeClient, keyPrefix: name, points, duration: windowSeconds })

app.use(authMiddleware({ ...config, rateLimit: { limiter } }))
\`\`\``,
    see: "credentials.md#the-limit-on-attempts",
  },
  "session-host-prefix-off": {
    title: "Another host can set the session's cookie",
    cause:
      "Browsers accept a cookie for the whole domain from every host below it. On a domain with hosts that others control (`someone.example.com`), such a host can set a session cookie of its own: a visitor is signed in as another user, or has no session.",
    remedy: `\`\`\`js
authMiddleware({ session: { hostPrefix: true } })
\`\`\`

Sessions that exist stay valid.`,
    see: "sessions.md#cookies-that-other-hosts-set",
  },
  "package-outdated": {
    title: "A package has another version than is needed",
    cause:
      "The configuration uses a part of this package that calls another one, and that is not of a version which was tested.",
    remedy: "Install the version that the message names.",
    see: "getting-started.md",
  },
  "node-outdated": {
    title: "This Node.js is too old",
    cause: "The package is tested with Node.js 20.19 and newer.",
    remedy: "Install a newer Node.js, an even number for production.",
    see: "getting-started.md#1-install",
  },
})
