/**
 * An application with one provider of each kind, in its own process. It writes the links of its emails to standard
 * output as lines of JSON.
 */
import express from "express"
import { authMiddleware } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import Credentials from "latchkey/providers/credentials"

const print = (what) => console.log(JSON.stringify(what))

const password = Credentials({
  credentials: { username: {}, password: { type: "password" } },
  authorize: ({ username, password }) => (password === process.env.PASSWORD ? { id: "7", name: username } : null),
})

const mail = {
  id: "mail",
  type: "email",
  name: "Mail",
  sendVerificationRequest: async ({ url }) => print({ link: url }),
}

const app = express()
app.use(
  authMiddleware({
    adapter: MemoryAdapter(),
    session: { strategy: process.env.SESSIONS },
    // The issuer, id and secret are in the environment.
    providers: [{ id: "real", type: "oidc", name: "Real" }, password, mail],
  }),
)
app.get("/me", async (req, res) => res.json(await req.getSession()))
const server = app.listen(0, "127.0.0.1", () => print({ port: server.address().port }))
