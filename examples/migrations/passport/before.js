/**
 * An application on Passport: a form with a password, sessions of express-session in a store.
 */
import express from "express"
import session from "express-session"
import passport from "passport"
import { Strategy } from "passport-local"
import { checkPassword, findPerson } from "../people.js"
import { SqliteStore } from "./session-store.js"

const { PORT = "3000", SESSION_SECRET, SESSIONS_FILE = "sessions.db" } = process.env
if (!SESSION_SECRET) throw new Error("Set SESSION_SECRET")

passport.use(
  new Strategy((username, password, done) => {
    checkPassword(username, password).then((person) => done(null, person ?? false), done)
  }),
)
passport.serializeUser((person, done) => done(null, person.id))
passport.deserializeUser((id, done) => done(null, findPerson(id) ?? false))

const app = express()
app.use(
  session({
    secret: SESSION_SECRET,
    store: new SqliteStore(SESSIONS_FILE),
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 14 * 24 * 60 * 60 * 1000, sameSite: "lax" },
  }),
)
app.use(passport.session())

app.get("/login", (_req, res) => {
  res.send('<form method="post"><input name="username"><input name="password" type="password"><button>Sign in</button>')
})
app.post(
  "/login",
  express.urlencoded({ extended: false }),
  passport.authenticate("local", { successReturnToOrRedirect: "/", failureRedirect: "/login" }),
)
// As in connect-ensure-login.
function ensureLoggedIn(req, res, next) {
  if (req.user) return next()
  req.session.returnTo = req.originalUrl
  res.redirect("/login")
}
app.get("/orders", ensureLoggedIn, (req, res) => res.type("text").send(`Orders of ${req.user.name}`))

app.post("/logout", (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect("/"))))

app.get("/", (req, res) => {
  if (req.user) res.type("text").send(`Hello, ${req.user.name}`)
  else res.send('<a href="/login">Sign in</a>')
})
app.get("/me", (req, res) => (req.user ? res.json(req.user) : res.status(401).json({ error: "Sign in first." })))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
