import { authMiddleware } from "../../dist/index.js"
import { createApp, listen } from "./app.mjs"
import { config } from "./sign-in-config.mjs"

listen(
  createApp(
    (req) => req.getSession(),
    (app) => app.use(authMiddleware(config)),
  ),
)
