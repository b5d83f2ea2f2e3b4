import openid from "express-openid-connect"
import { createApp, listen } from "./app.mjs"
import { SECRET } from "./constants.mjs"
import { CLIENT_SECRET } from "./sign-in-config.mjs"

const create = (port) =>
  createApp(
    (req) => req.oidc,
    (app) =>
      app.use(
        openid.auth({
          authRequired: false,
          baseURL: `http://127.0.0.1:${port}`,
          issuerBaseURL: process.env.BENCH_ISSUER,
          clientID: process.env.BENCH_CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          clientAuthMethod: "client_secret_basic",
          secret: SECRET,
          authorizationParams: { response_type: "code", scope: "openid profile email" },
        }),
      ),
  )

let app
listen((req, res) => app(req, res), {
  prepare(port) {
    app = create(port)
  },
})
