import { betterAuth } from "better-auth"
import { memoryAdapter } from "better-auth/adapters/memory"
import { fromNodeHeaders, toNodeHandler } from "better-auth/node"
import { createApp, listen } from "./app.mjs"
import { SECRET } from "./constants.mjs"

/** With its cookie cache, or with a database read for each request. */
const isCached = process.env.BENCH_COOKIE_CACHE === "true"

const auth = betterAuth({
  secret: SECRET,
  baseURL: "http://127.0.0.1",
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  emailAndPassword: { enabled: true },
  session: { cookieCache: { enabled: isCached, maxAge: 3_600 } },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
})

listen(
  createApp(
    (req) => auth.api.getSession({ headers: fromNodeHeaders(req.headers) }),
    (app) => app.all("/api/auth/*splat", toNodeHandler(auth)),
  ),
)
