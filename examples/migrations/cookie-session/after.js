/**
 * The same application on latchkey. Who was signed in still is.
 */
import { promisify } from "node:util"
import cookieSession from "cookie-session"
import express from "express"
import { adoptSession, authMiddleware, optionalAuth, requireAuth } from "latchkey"
import Credentials from "latchkey/providers/credentials"
import { checkPassword, findPerson } from "../people.js"

const { PORT = "3000", SESSION_SECRET } = process.env
// The key of the old cookies. A default in its place would let strangers forge them.
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

// As it was, with the same keys. It runs only for requests that bring an old cookie.
const oldMiddleware = promisify(cookieSession({ name: "session", keys: [SESSION_SECRET] }))

const app = express()
app.use(
  adoptSession(config, {
    // The value, and its signature.
    cookie: ["session", "session.sig"],
    // A day, written down: that of the change and the 14 days for which the old sessions last.
    until: new Date(process.env.ADOPT_UNTIL),
    read: async (req, res) => {
      await oldMiddleware(req, res)
      const { userId, signedInAt } = req.session
      // The signature has no end of its own: the time in the value gives it one.
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
  res.send(req.auth ? `Hello, ${req.auth.user.name}` : '<a href="/auth/signin">Sign in</a>')
})
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
