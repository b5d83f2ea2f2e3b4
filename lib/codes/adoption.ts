import { rows } from "./row.js"

/** Of `adoptSession`. */
export const ADOPTION = rows({
  "adoption-invalid": {
    title: "An option of adoptSession can't be used",
    cause:
      "The old cookie's name, the day on which it ends, or the function that reads it is missing or can't be right.",
    remedy: `The message names the option and what was seen. All that is needed:

\`\`\`js
adoptSession(config, {
  cookie: "connect.sid",
  until: new Date("2027-02-01"), // at most a year ahead
  read: async (req) => ({ user: await findPerson(req) }),
})
\`\`\``,
    see: "adopting-sessions.md",
  },
  "adoption-over": {
    title: "Old sessions are not taken over any more",
    cause: "The day in `until` of `adoptSession` has come. From now on old cookies are cleared, and that is all.",
    remedy:
      "Take `adoptSession` out, and with it the old library, its secret and its store. If old sessions are still alive, put `until` off.",
    see: "adopting-sessions.md#when-it-is-over",
  },
  "adoption-order": {
    title: "Old sessions are looked for behind the middleware",
    cause:
      "`authMiddleware` answers its own addresses before `adoptSession` is asked: somebody with an old session is nobody at `/auth/session`, and the old session does not end when that person signs out.",
    remedy: `Mount it before:

\`\`\`js
app.use(adoptSession(config, options))
app.use(authMiddleware(config))
\`\`\``,
    see: "adopting-sessions.md",
  },
  "old-cookie-stays": {
    title: "An old cookie was cleared, and still comes",
    cause:
      "It was set with another domain or path than it is cleared with, so browsers take the two for different cookies. It signs nobody in any more.",
    remedy: `Give the attributes that the old application set it with:

\`\`\`js
adoptSession(config, { ...options, cookieOptions: { domain: "example.com", path: "/" } })
\`\`\``,
    see: "adopting-sessions.md#signing-out-and-what-a-copy-is-worth",
  },
})
