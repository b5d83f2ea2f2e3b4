import { defineCodes } from "./define-codes.js"

/** Codes of `migrateSession`. */
export const MIGRATION = defineCodes({
  "migration-invalid": {
    title: "An option of migrateSession is invalid",
    cause: "The old cookie's name, the end date, or the function that reads the old session is missing or invalid.",
    remedy: `These options are required:

\`\`\`js
migrateSession(config, {
  cookie: "connect.sid",
  until: new Date("2027-02-01"), // at most a year ahead
  read: async (req) => ({ user: await findUser(req) }),
})
\`\`\``,
    docs: "adopting-sessions.md",
  },
  "migration-over": {
    title: "Old sessions are no longer migrated",
    cause: "The date in `until` of `migrateSession` has passed. Old cookies are only cleared.",
    remedy: "Remove `migrateSession`, the old library, its secret and its session store, or set a later `until`.",
    docs: "adopting-sessions.md#after-the-migration",
  },
  "migration-order": {
    title: "The middleware is mounted before migrateSession",
    cause:
      "`authMiddleware` handles its own addresses before `migrateSession` runs. A user with an old session is signed out at `/auth/session`, and a sign-out does not end the old session.",
    remedy: `Mount \`migrateSession\` first:

\`\`\`js
app.use(migrateSession(config, options))
app.use(authMiddleware(config))
\`\`\``,
    docs: "adopting-sessions.md",
  },
  "old-cookie-not-cleared": {
    title: "An old cookie was cleared, but browsers still send it",
    cause: "The cookie was set with another domain or path than it is cleared with. It signs no user in any more.",
    remedy: `Pass the attributes with which the old application set it:

\`\`\`js
migrateSession(config, { ...options, cookieOptions: { domain: "example.com", path: "/" } })
\`\`\``,
    docs: "adopting-sessions.md#signing-out-and-copies-of-cookies",
  },
})
