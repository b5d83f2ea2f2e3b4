import { authMiddleware } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import GitHub from "../../dist/providers/github.js"
import { createApp, listen, user } from "./app.mjs"
import { SECRET } from "./constants.mjs"
import { vendors } from "./vendors.mjs"

/** The numbers of providers and secrets. Sessions are always encrypted with the oldest secret. */
const { BENCH_PROVIDERS = "2", BENCH_SECRETS = "1" } = process.env

const newer = Array.from(
  { length: Number(BENCH_SECRETS) - 1 },
  (_, i) => `a newer secret, which is the ${i + 1}. of them`,
)
const credentials = Credentials({ credentials: { name: {} }, authorize: () => ({ id: "1", ...user }) })
const config = {
  secret: [...newer, SECRET],
  trustHost: true,
  rateLimit: false,
  providers: [
    credentials,
    GitHub({ clientId: "id", clientSecret: "secret" }),
    ...(await vendors(Number(BENCH_PROVIDERS) - 2)),
  ],
}

listen(
  createApp(
    (req) => req.getSession(),
    (app) => app.use(authMiddleware(config)),
  ),
)
