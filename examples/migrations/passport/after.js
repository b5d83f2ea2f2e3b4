/**
 * The same application on latchkey. Users stay signed in.
 */
import { promisify } from "node:util"
import express from "express"
import session from "express-session"
import { authMiddleware, migrateSession, optionalAuth, requireAuth } from "latchkey"
import Credentials from "latchkey/providers/credentials"
import { checkPassword, findPerson } from "../people.js"
import { SqliteStore } from "./session-store.js"

const { PORT = "3000", SESSION_SECRET, SESSIONS_FILE = "sessions.db" } = process.env
// The secret of the old cookies. With a default instead, strangers could forge them.
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

// Unchanged, with the same secret and the same store. It runs only for requests with an old cookie.
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
  migrateSession(config, {
    cookie: "connect.sid",
    // A fixed day: the day of the change plus the 14 days of an old session.
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

// Links and bookmarks of the old application, and browsers that it redirected to sign in: their return URL is in the
// old session. After `until` redirect to "/auth/signin".
app.get("/login", (req, res, next) => {
  const signIn = ({ returnTo = "/" }) => res.redirect(`/auth/signin?${new URLSearchParams({ callbackUrl: returnTo })}`)
  oldSession(req, res)
    .catch(() => ({}))
    .then(signIn)
    .catch(next)
})

app.get("/", optionalAuth, (req, res) => {
  // As text, because a name may contain HTML.
  if (req.auth) res.type("text").send(`Hello, ${req.auth.user.name}`)
  else res.send('<a href="/auth/signin">Sign in</a>')
})
app.get("/orders", requireAuth, (req, res) => res.type("text").send(`Orders of ${req.auth.user.name}`))
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
