import { authMiddleware } from "../../dist/index.js"
import { createApp, listen } from "./app.mjs"
import { config } from "./sign-in-config.mjs"

// All users of the benchmark come from one address.
listen(
  createApp(
    (req) => req.getSession(),
    (app) => app.use(authMiddleware({ ...config, rateLimit: { oauthSignInsPerClient: 1_000_000 } })),
  ),
)
