import { authMiddleware } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import { createApp, listen, user } from "./app.mjs"
import { SECRET } from "./constants.mjs"
import { openStore } from "./stores.mjs"

const { adapter, close } = await openStore(process.env.BENCH_STORE)
const config = {
  adapter,
  secret: SECRET,
  trustHost: true,
  session: { strategy: "database" },
  providers: [Credentials({ credentials: { name: {} }, authorize: () => ({ id: "1", ...user }) })],
}

listen(
  createApp(
    (req) => req.getSession(),
    (app) => app.use(authMiddleware(config)),
  ),
  { close },
)
