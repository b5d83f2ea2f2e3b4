import { fileURLToPath } from "node:url"
import { authMiddleware } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import { createApp, listen, user } from "./app.mjs"

/** Signs in by its first provider; the others are there. */
export function start(others = []) {
  const credentials = Credentials({ credentials: { name: {} }, authorize: () => ({ id: "1", ...user }) })
  const config = {
    secret: "a secret of more than thirty-two characters",
    trustHost: true,
    providers: [credentials, ...others],
  }
  listen(
    createApp(
      (req) => req.getSession(),
      (app) => app.use(authMiddleware(config)),
    ),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) start()
