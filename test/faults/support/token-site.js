/**
 * A site with a route that returns the provider's access token. The tests append the code of docs/deployment.md that
 * listens and stops.
 */
import express from "express"
import { Cluster, Redis } from "ioredis"
import { authMiddleware } from "latchkey"
import { RedisAdapter } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"

const storage = JSON.parse(process.env.PLACE)
const redis = storage.cluster
  ? new Cluster([{ host: "127.0.0.1", port: storage.cluster }])
  : storage.redis && new Redis(storage.redis)
redis?.on("error", () => {})

// The tests advance the clock, so that tokens expire.
let advancedMs = 0

const app = express()
app.use(
  authMiddleware({
    adapter: redis ? RedisAdapter(redis, { prefix: storage.prefix }) : SqlAdapter(storage),
    // The issuer, id and secret are in the environment.
    providers: [{ id: "oidc", name: "Test provider", type: "oidc" }],
    session: { strategy: "jwt" },
    clock: () => Date.now() + advancedMs,
  }),
)
app.get("/token", (req, res) => {
  req.accessToken("oidc").then(
    (token) => res.json(token),
    (error) => res.status(error.status ?? 500).json(error.type ?? String(error)),
  )
})
app.post("/clock", (req, res) => {
  advancedMs += Number(req.query.ms)
  res.json({})
})
