/**
 * The same application on latchkey. Who was signed in still is.
 */
import { promisify } from "node:util"
import express from "express"
import session from "express-session"
import { adoptSession, authMiddleware, optionalAuth, requireAuth } from "latchkey"
import Credentials from "latchkey/providers/credentials"
import { checkPassword, findPerson } from "../people.js"
import { SqliteStore } from "./session-store.js"

const { PORT = "3000", SESSION_SECRET, SESSIONS_FILE = "sessions.db" } = process.env
// The secret of the old cookies. A default in its place would let strangers forge them.
if (!SESSION_SECRET) throw new Error("Set SESSION_SECRET to the secret of the old application's sessions")

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

// As it was, with the same secret and the same store. It runs only for requests that bring an old cookie.
const oldMiddleware = promisify(
  session({
    secret: SESSION_SECRET,
    store: new SqliteStore(SESSIONS_FILE),
    resave: false,
    saveUninitialized: false,
  }),
)
async function oldSession(req, res) {
  await oldMiddleware(req, res)
  return req.session
}

const app = express()
app.use(
  adoptSession(config, {
    cookie: "connect.sid",
    // A day, written down: that of the change and the 14 days for which the old sessions last.
    until: new Date(process.env.ADOPT_UNTIL),
    read: async (req, res) => {
      const { passport } = await oldSession(req, res)
      const person = passport && findPerson(passport.user)
      return person ? { user: person } : null
    },
    end: async (req, res) => {
      const old = await oldSession(req, res)
      await promisify(old.destroy.bind(old))()
    },
  }),
)
app.use(authMiddleware(config))

// Links and bookmarks of the old application, and browsers that it has sent to sign in: where they were going is in the
// old session. After `until` the first line of the function goes.
app.get("/login", async (req, res) => {
  const { returnTo = "/" } = await oldSession(req, res).catch(() => ({}))
  res.redirect(`/auth/signin?${new URLSearchParams({ callbackUrl: returnTo })}`)
})

app.get("/", optionalAuth, (req, res) => {
  res.send(req.auth ? `Hello, ${req.auth.user.name}` : '<a href="/auth/signin">Sign in</a>')
})
app.get("/orders", requireAuth, (req, res) => res.send(`Orders of ${req.auth.user.name}`))
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
