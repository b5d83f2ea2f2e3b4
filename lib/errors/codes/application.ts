import { defineCodes } from "./define-codes.js"

/** Codes about the application's own code and its database. */
export const APPLICATION = defineCodes({
  "unexpected-error": {
    title: "An unexpected error occurred",
    cause: "Code threw an error unexpectedly. The cause in the log is the original error.",
    remedy: "Check the stack in the log. If the error is in latchkey, please report it.",
    docs: "errors.md#your-own-code-and-your-adapter",
  },
  "middleware-missing": {
    title: "A guard runs before the middleware",
    cause: "The middleware is mounted after `requireAuth`, below another path, or not at all.",
    remedy: `Mount the middleware first:

\`\`\`js
app.use(authMiddleware(config))
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
\`\`\``,
    docs: "express.md#mounting",
  },
  "package-duplicated": {
    title: "Two versions of this package are installed",
    cause:
      "`authMiddleware` comes from one version, and `requireAuth` or `optionalAuth` from another. A dependency or a package of the workspace requires the second version.",
    remedy: `Find that package, and install one version for all:

\`\`\`sh
npm ls latchkey
npm install latchkey@latest
npm dedupe
\`\`\`

ES modules and CommonJS of the same version work together.`,
    docs: "express.md#requireauth",
  },
  "sign-in-page-guarded": {
    title: "The sign-in page is guarded itself",
    cause:
      "`requireAuth` runs before the page that it redirects to (`pages.signIn` or `redirectTo`), so browsers would be redirected in a loop.",
    remedy: `Mount that page before the guard:

\`\`\`js
app.get("/login", (req, res) => res.render("login"))
app.use(requireAuth)
\`\`\``,
    docs: "express.md#requireauth",
  },
  "guard-invalid": {
    title: "A guard has an invalid option",
    cause:
      "`requireAuth` got an unknown option, an `authorize` that is not a function, or an argument that is not an object. It would guard less than its line suggests.",
    remedy: `Use the option's exact name. Imported values must be defined when this line runs:

\`\`\`js
app.use("/admin", requireAuth({ authorize: ({ user }) => user.role === "admin" }))
\`\`\``,
    docs: "express.md#requireauth",
  },
  "callback-failed": {
    title: "A function of the application failed",
    cause: "A callback or `authorize` threw an error, or returned an invalid value. The log names it.",
    remedy: "The cause in the log is the error that was thrown, with its stack.",
    docs: "callbacks-and-events.md#callbacks",
  },
  "event-failed": {
    title: "An event handler failed",
    cause: "A function in `events` threw an error or took longer than 5 seconds. Nothing else failed.",
    remedy: "Fix the handler, and do not await long work in it.",
    docs: "callbacks-and-events.md#events",
  },
  "request-timed-out": {
    title: "A request was not answered in time",
    cause: "The database, a callback or an event handler is slow or does not return.",
    remedy: "Check the database first. With `debug: true` the log shows the last step.",
    docs: "deployment.md#outages",
  },
  "adapter-failed": {
    title: "The adapter failed",
    cause:
      "A method of the adapter threw an error, returned an invalid value or took too long. `method` in the log names it.",
    remedy: `The cause in the log is the database's own error. If tables are missing, create them:

\`\`\`sh
npx latchkey migrate
\`\`\``,
    docs: "databases.md#timeouts-and-broken-connections",
  },
  "session-store-failed": {
    title: "A session could not be read from the database",
    cause: "The adapter failed while it read a session.",
    remedy: "The cause in the log is the database's own error.",
    docs: "databases.md#timeouts-and-broken-connections",
  },
  "sign-out-failed": {
    title: "A session could not be deleted",
    cause:
      "The adapter failed during a sign-out. The browser's cookie is gone, but the session still exists in the database.",
    remedy: "Fix the database, and delete the session's row.",
    docs: "sessions.md#what-signing-out-ends",
  },
  "session-unreadable": {
    title: "A session cookie can't be decrypted",
    cause:
      "The cookie was encrypted with another secret, is damaged, or belongs to another application on this host. The visitor is signed out.",
    remedy: `After a change of the secret, keep the old one for as long as sessions last:

\`\`\`js
authMiddleware({ secret: [process.env.AUTH_SECRET, process.env.OLD_AUTH_SECRET] })
\`\`\`

Applications on different ports of \`localhost\` share cookies. Give one other cookie names:

\`\`\`js
authMiddleware({ cookies: { sessionToken: { name: "shop.session-token" } } })
\`\`\``,
    docs: "sessions.md#changing-the-secret",
  },
  "session-too-large": {
    title: "A session is too large for a cookie",
    cause:
      "With the data that `callbacks.jwt` returns, the cookies would exceed `session.maxCookieSize`. Proxies refuse larger headers.",
    remedy: `Store less in the token, such as an id instead of a profile, or use an adapter with \`session: { strategy: "database" }\`. If every proxy accepts larger headers, raise the limit:

\`\`\`js
authMiddleware({ session: { maxCookieSize: 12_288 } })
\`\`\``,
    docs: "sessions.md#how-large-it-may-be",
  },
  "short-session-token": {
    title: "Session tokens are too short",
    cause:
      "`session.generateSessionToken` returns fewer than 22 characters (128 random bits). Such tokens could be guessed.",
    remedy: "Leave the option out, or return at least `crypto.randomUUID()`.",
    docs: "sessions.md#database-sessions",
  },
  "unreadable-user-id": {
    title: "The adapter can't look up the user id of a session",
    cause: "The session comes from another database, whose ids have another format. The user is treated as signed out.",
    remedy: "Nothing to do after a change of databases: users sign in again.",
    docs: "sessions.md#whose-account-is-it",
  },
  "accounts-unlinked": {
    title: "Unverified accounts were unlinked when the owner verified the address",
    cause:
      "A user's email address was verified for the first time, in a browser that was not signed in as this user. Accounts that were connected before may belong to an attacker.",
    remedy: `Nothing to do for the accounts: a page showed the user which ones were removed, and the user can connect them again. Remove your own password of the user in the event:

\`\`\`js
authMiddleware({
  events: { confirmEmailOwner: ({ user }) => db.clearPassword(user.id) },
})
\`\`\``,
    docs: "accounts.md#when-the-owner-verifies-the-address-later",
  },
  "accounts-unchecked": {
    title: "An address was verified, but the adapter can't list the user's accounts",
    cause:
      "The adapter lacks `listAccountsByUserId` or `unlinkAccount`, so accounts that another visitor connected before the address was verified stay linked.",
    remedy: "Add the methods to the adapter.",
    docs: "accounts.md#when-the-owner-verifies-the-address-later",
  },
  "too-many-accounts": {
    title: "A user has too many accounts",
    cause: "The user has as many accounts and passkeys as `maxAccountsPerUser` allows.",
    remedy: "The user removes one, or you raise `maxAccountsPerUser`.",
    docs: "accounts.md#by-oauth-and-openid-connect",
  },
  "look-alike-address": {
    title: "The database treats different addresses as equal",
    cause:
      "The adapter returned a user with another address than the one that it looked up: the column's collation ignores accents, width or look-alike characters. The user is treated as not found.",
    remedy: "In MySQL, give the column a binary collation, for example `utf8mb4_bin`.",
    docs: "authjs-adapters.md",
  },
  "rate-limiter-failed": {
    title: "The store failed to count attempts",
    cause: "The store threw an error or did not answer within two seconds.",
    remedy:
      "The cause in the log is the store's own error. Until it works again, each process counts in its own memory.",
    docs: "configuration.md#ratelimit",
  },
  "error-page-protected": {
    title: "The error page requires a sign-in itself",
    cause: "`pages.error` requires a sign-in, so a visitor who gets an error is redirected in a loop.",
    remedy: "Make that page public: register it before the guards.",
    docs: "pages.md#your-own-pages",
  },
})
