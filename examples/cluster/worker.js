/**
 * One of the processes: an ordinary application.
 */
import { createServer } from "node:http"
import express from "express"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { openAdapter } from "./adapter.js"

const { adapter, close } = openAdapter()

const app = express()

// Shows which process responds. Remove it in production.
app.use((_req, res, next) => {
  res.set("X-Served-By", String(process.pid))
  next()
})

app.use(
  authMiddleware({
    adapter,
    // Its issuer, id and secret are in AUTH_DEV_ISSUER, AUTH_DEV_ID and AUTH_DEV_SECRET.
    providers: [
      { id: "dev", name: "Development provider", type: "oidc" },
      {
        id: "mail",
        name: "Email",
        type: "email",
        // In production: `import Nodemailer from "latchkey/providers/nodemailer"`.
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

/** Completes open requests, accepts no new ones, and exits. */
process.once("SIGTERM", () => {
  server.close(async () => {
    await close()
    process.exit(0)
  })
  server.closeIdleConnections()
})
// Ctrl-C reaches every process of the terminal. The primary process then sends SIGTERM.
process.on("SIGINT", () => {})
