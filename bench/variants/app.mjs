import { createServer } from "node:http"
import express from "express"

export const user = { name: "Ada Lovelace", email: "ada@example.com" }

/**
 * Listens, says where, and answers each question with the CPU time used so far and the memory held now. What `prepare`
 * does with the port is done before anybody is told.
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

/** GET /me answers the user's name as JSON, or 401; GET /public does not ask who is there. */
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
