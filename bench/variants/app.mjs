import { createServer } from "node:http"
import express from "express"

export const user = { name: "Ada Lovelace", email: "ada@example.com" }

/**
 * Listens, reports the port, and answers each message with the CPU time and the memory that it uses. `prepare` gets the
 * port and runs before it is reported.
 */
export function listen(app, { prepare = () => {}, close = () => {} } = {}) {
  const server = createServer(app).listen(0, "127.0.0.1", async () => {
    const { port } = server.address()
    await prepare(port)
    process.send({ port })
  })
  process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }))
  process.on("disconnect", async () => {
    await close()
    process.exit()
  })
}

/** GET /me returns the user's name as JSON, or 401. GET /public does not read the session. */
export function createApp(readSession, setup = () => {}) {
  const app = express()
  setup(app)
  app.get("/me", async (req, res) => {
    const session = await readSession(req, res)
    if (!session?.user) return res.status(401).json({ error: "unauthorized" })
    res.json({ name: session.user.name })
  })
  app.get("/public", (_req, res) => res.json({ ok: true }))
  return app
}
