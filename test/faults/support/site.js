/** An application as it is deployed. The tests append the code of docs/deployment.md that listens and stops. */
import express from "express"
import { Redis } from "ioredis"
import { authMiddleware } from "latchkey"
import { RedisAdapter } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"

const storage = JSON.parse(process.env.PLACE)
const adapter = storage.redis ? RedisAdapter(new Redis(storage.redis), { prefix: storage.prefix }) : SqlAdapter(storage)

const app = express()
app.use(
  authMiddleware({
    adapter,
    // The issuer, id and secret are in the environment.
    providers: [{ id: "oidc", name: "Test provider", type: "oidc" }],
    session: { strategy: "database" },
  }),
)
app.get("/me", async (req, res) => res.json(await req.getSession()))
