import { ExpressAuth, getSession } from "@auth/express"
import { createApp, listen } from "./app.mjs"
import { config } from "./sign-in-config.mjs"

listen(
  createApp(
    (req) => getSession(req, config),
    (app) => app.use("/auth", ExpressAuth(config)),
  ),
)
