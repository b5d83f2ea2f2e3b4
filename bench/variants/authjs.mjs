import { ExpressAuth, getSession } from "@auth/express"
import Credentials from "@auth/express/providers/credentials"
import GitHub from "@auth/express/providers/github"
import { createApp, listen, user } from "./app.mjs"
import { SECRET } from "./constants.mjs"

const config = {
  secret: SECRET,
  trustHost: true,
  providers: [
    Credentials({ credentials: { name: {} }, authorize: () => ({ id: "1", ...user }) }),
    GitHub({ clientId: "id", clientSecret: "secret" }),
  ],
}

listen(
  createApp(
    (req) => getSession(req, config),
    (app) => app.use("/auth", ExpressAuth(config)),
  ),
)
