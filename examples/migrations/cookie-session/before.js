/**
 * An application on cookie-session: a form with a password, and the user's id in a signed cookie.
 */
import cookieSession from "cookie-session"
import express from "express"
import { checkPassword, findPerson } from "../people.js"

const { PORT = "3000", SESSION_SECRET } = process.env
if (!SESSION_SECRET) throw new Error("Set SESSION_SECRET")

const app = express()
app.use(cookieSession({ name: "session", keys: [SESSION_SECRET], maxAge: 14 * 24 * 60 * 60 * 1000, sameSite: "lax" }))
app.use((req, _res, next) => {
  req.user = findPerson(req.session.userId)
  next()
})

app.get("/login", (_req, res) => {
  res.send('<form method="post"><input name="username"><input name="password" type="password"><button>Sign in</button>')
})
app.post("/login", express.urlencoded({ extended: false }), async (req, res) => {
  const person = await checkPassword(req.body.username, req.body.password)
  if (!person) return res.redirect("/login")
  req.session = { userId: person.id, signedInAt: Date.now() }
  res.redirect("/")
})
app.post("/logout", (req, res) => {
  req.session = null
  res.redirect("/")
})

app.get("/", (req, res) => {
  if (req.user) res.type("text").send(`Hello, ${req.user.name}`)
  else res.send('<a href="/login">Sign in</a>')
})
app.get("/me", (req, res) => (req.user ? res.json(req.user) : res.status(401).json({ error: "Sign in first." })))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
