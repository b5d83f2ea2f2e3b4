import { rows } from "./row.js"

/** Of the application's own code and its store. */
export const APPLICATION = rows({
  "unexpected-error": {
    title: "Something unexpected failed",
    cause: "An error came from where none is expected; the cause in the log is what was thrown.",
    remedy: "The stack in the log says where. If it is in latchkey, please report it.",
    see: "errors.md#your-own-code-and-your-store",
  },
  "middleware-missing": {
    title: "A guard stands before the middleware",
    cause:
      "The request has no session reader: the middleware is mounted after `requireAuth`, below another path, or not at all.",
    remedy: `Mount it first, on the whole application:

\`\`\`js
app.use(authMiddleware(config))
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
\`\`\``,
    see: "express.md#mounting",
  },
  "sign-in-page-guarded": {
    title: "The page for signing in is guarded itself",
    cause:
      "`requireAuth` stands before the page that it sends people to, `pages.signIn` or `redirectTo`. Nobody gets there without a session, so browsers would be sent to it again and again.",
    remedy: `Mount that page before the guard, or guard the other paths alone:

\`\`\`js
app.get("/login", (req, res) => res.render("login"))
app.use(requireAuth)
\`\`\``,
    see: "express.md#requireauth",
  },
  "guard-invalid": {
    title: "A guard is given what is none of its options",
    cause:
      "`requireAuth` got a name that is no option, an `authorize` that is no function, or something else than options. It would guard less than its line says, so the application does not start.",
    remedy: `Write the rule under its name; what comes from another file must be there when this line runs:

\`\`\`js
app.use("/admin", requireAuth({ authorize: ({ user }) => user.role === "admin" }))
\`\`\``,
    see: "express.md#requireauth",
  },
  "callback-failed": {
    title: "A function of the application failed",
    cause: "A callback or `authorize` threw an error, or gave what can't be used; the log names it.",
    remedy: "The cause in the log is what was thrown, with its stack.",
    see: "callbacks-and-events.md#callbacks",
  },
  "event-failed": {
    title: "An event handler failed",
    cause: "A function in `events` threw an error, or took longer than 5 seconds. Nothing else failed.",
    remedy: "Mend the handler; what takes long is not to be awaited there.",
    see: "callbacks-and-events.md#events",
  },
  "answer-too-late": {
    title: "A request was not answered in time",
    cause: "The store, or a callback or an event of the application, is slow or hangs.",
    remedy: "Look after the store first; `debug: true` shows which step was the last.",
    see: "deployment.md#when-something-is-away",
  },
  "adapter-failed": {
    title: "The store failed",
    cause:
      "A method of the adapter threw an error, gave what can't be, or took too long; `method` in the log says which.",
    remedy: `The cause in the log is the store's own error. Tables that are missing are made with

\`\`\`sh
npx latchkey migrate
\`\`\``,
    see: "databases.md#time-outs-and-broken-connections",
  },
  "session-store-failed": {
    title: "A session could not be read from the store",
    cause: "The store failed while a session was read.",
    remedy: "The cause in the log is the store's own error.",
    see: "databases.md#time-outs-and-broken-connections",
  },
  "sign-out-failed": {
    title: "A session could not be deleted",
    cause: "The store failed while somebody signed out. The browser has forgotten the session; the store has not.",
    remedy: "Look after the store, and delete the row there.",
    see: "sessions.md#what-signing-out-ends",
  },
  "session-unreadable": {
    title: "A session cookie does not open",
    cause:
      "It was sealed with another secret, is damaged, or is of another application on this host. Its bearer is signed out.",
    remedy: `Many at once: was the secret changed? Keep the old one behind the new one for as long as sessions last:

\`\`\`js
authMiddleware({ secret: [process.env.AUTH_SECRET, process.env.OLD_AUTH_SECRET] })
\`\`\`

Two applications on \`localhost\`, on two ports, share their cookies: give one of them other names.

\`\`\`js
authMiddleware({ cookies: { sessionToken: { name: "shop.session-token" } } })
\`\`\``,
    see: "sessions.md#changing-the-secret",
  },
  "session-too-large": {
    title: "A session is too large for a cookie",
    cause:
      "With what `callbacks.jwt` returns, the cookies of this package would be larger than `session.maxCookieSize`. Proxies refuse larger requests.",
    remedy: `Keep less in the token, an id instead of a profile, or use an adapter with \`session: { strategy: "database" }\`. If everything in front of the application accepts larger headers:

\`\`\`js
authMiddleware({ session: { maxCookieSize: 12_288 } })
\`\`\``,
    see: "sessions.md#how-large-it-may-be",
  },
  "short-session-token": {
    title: "Session tokens are too short",
    cause: "`session.generateSessionToken` gives fewer than 128 random bits: they could be guessed.",
    remedy: "Leave the option out, or give `crypto.randomUUID()` at least.",
    see: "sessions.md#database-sessions",
  },
  "unreadable-user-id": {
    title: "The store can't look up the id in a session",
    cause: "The token was made with another store, whose ids have another form. Its bearer counts as signed out.",
    remedy: "Nothing, after a change of stores: people sign in again.",
    see: "sessions.md#whose-account-is-it",
  },
  "accounts-unlinked": {
    title: "An address was proved, and accounts that do not prove it were unlinked",
    cause:
      "The address of a user was never proved. Now its owner proved it, in a browser that was not signed in as this user: what was connected before may be another person's.",
    remedy: `Nothing: the user saw on a page which accounts were removed, and can connect them again. Remove what your application itself keeps, such as a password, in the event:

\`\`\`js
authMiddleware({
  events: { confirmEmailOwner: ({ user }) => db.clearPassword(user.id) },
})
\`\`\``,
    see: "accounts.md#when-the-owner-comes-later",
  },
  "accounts-unchecked": {
    title: "An address was proved, and the adapter can't list the user's accounts",
    cause:
      "Accounts that another person connected to the user before the address was proved stay linked, because the adapter lacks `listAccountsByUserId` or `unlinkAccount`.",
    remedy: "Add the methods to the adapter.",
    see: "accounts.md#when-the-owner-comes-later",
  },
  "too-many-accounts": {
    title: "A user has too many accounts",
    cause: "The user has as many accounts and passkeys as `maxAccountsPerUser` allows. No other one is connected.",
    remedy: "Nothing, in most cases. The user removes one, or you raise `maxAccountsPerUser`.",
    see: "accounts.md#by-oauth-and-openid-connect",
  },
  "look-alike-address": {
    title: "The database treats different addresses as equal",
    cause:
      "The adapter was asked for the user of an address and returned a user with another one: the column's collation ignores accents, width or look-alike characters. The user is treated as not found.",
    remedy: "Compare addresses exactly: in MySQL give the column a binary collation, for example `utf8mb4_bin`.",
    see: "authjs-adapters.md",
  },
  "rate-limiter-failed": {
    title: "The rate limiter failed",
    cause:
      "The limiter in `rateLimit` threw an error or did not answer within a second, most often because its store is unavailable.",
    remedy: "The cause in the log is its own error. Meanwhile each process counts in its own memory.",
    see: "configuration.md#ratelimit",
  },
  "error-page-protected": {
    title: "The page for errors asks for a sign-in itself",
    cause:
      "The address in `pages.error` is behind the sign-in, so whoever has a problem there is sent round in circles.",
    remedy: "Let everybody see that page: register it before what guards the others.",
    see: "pages.md#your-own-pages",
  },
})
