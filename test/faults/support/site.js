/**
 * An application as it is deployed. How it listens and stops is said in docs/deployment.md: the tests add those lines.
 */
import express from "express"
import { Redis } from "ioredis"
import { authMiddleware } from "latchkey"
import { RedisAdapter } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"

const place = JSON.parse(process.env.PLACE)
const adapter = place.redis ? RedisAdapter(new Redis(place.redis), { prefix: place.prefix }) : SqlAdapter(place)

const app = express()
app.use(
  authMiddleware({
    adapter,
    // Its address, id and secret are in the environment.
    providers: [{ id: "oidc", name: "Test provider", type: "oidc" }],
    session: { strategy: "database" },
  }),
)
app.get("/me", async (req, res) => res.json(await req.getSession()))
