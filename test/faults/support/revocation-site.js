/**
 * A site with both session strategies, below /jwt and /database. The tests append the code of docs/deployment.md that
 * listens and stops.
 */
import { readFileSync } from "node:fs"
import express from "express"
import { Cluster, Redis } from "ioredis"
import { authMiddleware, changeEmail, endSessions, requireAuth } from "latchkey"
import { RedisAdapter } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"

const { BANS, PLACE } = process.env
const storage = JSON.parse(PLACE)

/** With the setting of docs/deployment.md: without it, ioredis waits indefinitely for an unreachable server. */
const redisOptions = { socketTimeout: 3_000 }
const redis = storage.cluster
  ? new Cluster([{ host: "127.0.0.1", port: storage.cluster }], { redisOptions })
  : storage.redis && new Redis(storage.redis, redisOptions)
redis?.on("error", () => {})
const adapter = redis ? RedisAdapter(redis, { prefix: storage.prefix }) : SqlAdapter(storage)

// The tests advance the monotonic clock, by which the library decides when to ask `isActive` again.
const now = performance.now.bind(performance)
let advancedMs = 0
performance.now = () => now() + advancedMs

const app = express()
for (const strategy of ["jwt", "database"]) {
  const config = {
    adapter,
    basePath: `/${strategy}/auth`,
    // The issuer, id and secret are in the environment.
    providers: [{ id: "oidc", name: "Test provider", type: "oidc" }],
    session: { strategy },
    isActive: ({ email }) => !readFileSync(BANS, "utf8").includes(email),
  }
  const site = express.Router()
  site.use(authMiddleware(config))
  site.get("/me", async (req, res) => res.json(await req.getSession()))
  site.post("/end-others", requireAuth, async (req, res) => {
    await endSessions(config, req.auth.owner, { except: req.auth.sessionId })
    res.json({})
  })
  site.post("/change-email", requireAuth, async (req, res) => {
    await changeEmail(config, req.auth.owner, `changed-${req.auth.user.email}`, { except: req.auth.sessionId })
    res.json({})
  })
  app.use(`/${strategy}`, site)
}
app.post("/clock", (req, res) => {
  advancedMs += Number(req.query.ms)
  res.json({})
})
