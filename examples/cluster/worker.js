/**
 * One of the processes. Nothing here knows of the others.
 */
import { createServer } from "node:http"
import express from "express"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { openStores } from "./stores.js"

const { adapter, limiter, close } = await openStores()

const app = express()

// So that you can see who answers. In production keep it to yourself.
app.use((_req, res, next) => {
  res.set("X-Served-By", String(process.pid))
  next()
})

app.use(
  authMiddleware({
    adapter,
    rateLimit: { limiter },
    // Its address, id and secret are in AUTH_DEV_ISSUER, AUTH_DEV_ID and AUTH_DEV_SECRET.
    providers: [
      { id: "dev", name: "Development provider", type: "oidc" },
      {
        id: "mail",
        name: "Email",
        type: "email",
        // A real one: `import Nodemailer from "latchkey/providers/nodemailer"`.
        sendVerificationRequest: ({ identifier, url }) => console.log(`mail to ${identifier}: ${url}`),
      },
    ],
  }),
)

app.get("/", optionalAuth, (req, res) => {
  const link = req.auth ? '<a href="/auth/signout">Sign out</a>' : '<a href="/auth/signin">Sign in</a>'
  res.send(`<p>Process ${process.pid} says: ${req.auth ? "you are signed in" : "nobody is signed in"}. ${link}</p>`)
})

app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

const server = createServer(app)
server.listen(Number(process.env.PORT))

/** Answers what has come in, takes nothing new, and goes. */
process.once("SIGTERM", () => {
  server.close(async () => {
    await close()
    process.exit(0)
  })
  server.closeIdleConnections()
})
// Ctrl-C reaches every process of the terminal; the first one tells us what to do.
process.on("SIGINT", () => {})
