import session from "express-session"
import passport from "passport"
import { createApp, listen } from "./app.mjs"
import { SECRET } from "./constants.mjs"

const users = new Map()
passport.serializeUser((user, done) => done(null, user.id))
passport.deserializeUser((id, done) => done(null, users.get(id) ?? false))

function signIn(req, res, next) {
  const { id, name } = req.query
  users.set(id, { id, name })
  req.login(users.get(id), (error) => (error ? next(error) : res.json({})))
}

listen(
  createApp(
    (req) => req,
    (app) => {
      app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }))
      app.use(passport.session())
      app.post("/sign-in", signIn)
    },
  ),
)
