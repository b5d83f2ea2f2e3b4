/**
 * An application with a sign-in of each kind, in a process of its own. What its mails say goes to standard output, as
 * lines of JSON.
 */
import express from "express"
import { authMiddleware } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import Credentials from "latchkey/providers/credentials"

const say = (what) => console.log(JSON.stringify(what))

const password = Credentials({
  credentials: { username: {}, password: { type: "password" } },
  authorize: ({ username, password }) => (password === process.env.PASSWORD ? { id: "7", name: username } : null),
})

const mail = { id: "mail", type: "email", name: "Mail", sendVerificationRequest: async ({ url }) => say({ link: url }) }

const app = express()
app.use(
  authMiddleware({
    adapter: MemoryAdapter(),
    session: { strategy: process.env.SESSIONS },
    // Its address, id and secret are in the environment.
    providers: [{ id: "real", type: "oidc", name: "Real" }, password, mail],
  }),
)
app.get("/me", async (req, res) => res.json(await req.getSession()))
const server = app.listen(0, "127.0.0.1", () => say({ port: server.address().port }))
