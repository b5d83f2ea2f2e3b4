/**
 * The same application on latchkey. Users stay signed in.
 */
import { promisify } from "node:util"
import cookieSession from "cookie-session"
import express from "express"
import { authMiddleware, migrateSession, optionalAuth, requireAuth } from "latchkey"
import Credentials from "latchkey/providers/credentials"
import { checkPassword, findPerson } from "../people.js"

const { PORT = "3000", SESSION_SECRET } = process.env
// The key of the old cookies. With a default instead, strangers could forge them.
if (!SESSION_SECRET) throw new Error("Set SESSION_SECRET to the key of the old application's cookies")
const OLD_MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000

const config = {
  providers: [
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      authorize: async ({ username, password }) => (await checkPassword(username, password)) ?? null,
    }),
  ],
  callbacks: {
    session: ({ session, token }) => ({ ...session, user: { id: token.sub, name: token.name } }),
  },
}

// Unchanged, with the same keys. It runs only for requests with an old cookie.
const oldMiddleware = promisify(cookieSession({ name: "session", keys: [SESSION_SECRET] }))

const app = express()
app.use(
  migrateSession(config, {
    // The value and its signature.
    cookie: ["session", "session.sig"],
    // A fixed day: the day of the change plus the 14 days of an old session.
    until: new Date(process.env.ADOPT_UNTIL),
    read: async (req, res) => {
      await oldMiddleware(req, res)
      const { userId, signedInAt } = req.session
      // The signature never expires, so check the time in the value.
      const isOver = !(Date.now() - signedInAt < OLD_MAX_AGE_MS)
      const person = isOver ? undefined : findPerson(userId)
      return person ? { user: person } : null
    },
  }),
)
app.use(authMiddleware(config))

// Links and bookmarks of the old application.
app.get("/login", (_req, res) => res.redirect("/auth/signin"))

app.get("/", optionalAuth, (req, res) => {
  // As text, because a name may contain HTML.
  if (req.auth) res.type("text").send(`Hello, ${req.auth.user.name}`)
  else res.send('<a href="/auth/signin">Sign in</a>')
})
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
