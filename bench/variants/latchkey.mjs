import { authMiddleware } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import { createApp, listen, user } from "./app.mjs"

const config = {
  secret: "a secret of more than thirty-two characters",
  trustHost: true,
  providers: [Credentials({ credentials: { name: {} }, authorize: () => ({ id: "1", ...user }) })],
}

listen(
  createApp(
    (req) => req.getSession(),
    (app) => app.use(authMiddleware(config)),
  ),
)
