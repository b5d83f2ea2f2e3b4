import cookieSession from "cookie-session"
import { createApp, listen } from "./app.mjs"
import { SECRET } from "./constants.mjs"

function signIn(req, res) {
  req.session.user = { ...req.query }
  res.json({})
}

listen(
  createApp(
    (req) => req.session,
    (app) => {
      app.use(cookieSession({ secret: SECRET }))
      app.post("/sign-in", signIn)
    },
  ),
)
