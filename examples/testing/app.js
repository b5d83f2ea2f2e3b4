/** A shop: a user's orders for signed-in users, and all orders for administrators. */
import express from "express"
import { authMiddleware, requireAuth } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"

/** Creates a new application, so that tests share nothing. `options` differ from test to test. */
export function createApp(options) {
  const config = {
    adapter: MemoryAdapter(),
    callbacks: {
      session: ({ session, user: { name, role } }) => ({
        user: { name, role },
        expires: session.expires.toISOString(),
      }),
    },
    ...options,
  }
  const app = express()
  app.use(authMiddleware(config))
  app.get("/orders", requireAuth, (_req, res) => res.send("<h1>Your orders</h1>"))
  app.get("/admin", requireAuth({ authorize: ({ user }) => user.role === "admin" }), (_req, res) => {
    res.send("<h1>All orders</h1>")
  })
  return { app, config }
}
