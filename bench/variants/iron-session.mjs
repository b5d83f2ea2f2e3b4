import { getIronSession } from "iron-session"
import { createApp, listen } from "./app.mjs"
import { SECRET } from "./constants.mjs"

const options = { password: SECRET, cookieName: "session", cookieOptions: { secure: false } }

async function signIn(req, res) {
  const session = await getIronSession(req, res, options)
  session.user = req.query
  await session.save()
  res.json({})
}

listen(
  createApp(
    (req, res) => getIronSession(req, res, options),
    (app) => app.post("/sign-in", signIn),
  ),
)
