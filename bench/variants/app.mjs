import express from "express"

export const user = { name: "Ada Lovelace", email: "ada@example.com" }

/** Listens, says where, and answers the question how much CPU was used so far. */
export function listen(app) {
  const server = app.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
  process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }))
  process.on("disconnect", () => process.exit())
}

/** GET /me answers the user's name as JSON, or 401. */
export function createApp(readSession, setup = () => {}) {
  const app = express()
  setup(app)
  app.get("/me", async (req, res) => {
    const session = await readSession(req)
    if (!session) return res.status(401).json({ error: "unauthorized" })
    res.json({ name: session.user.name })
  })
  app.get("/public", (_req, res) => res.json({ ok: true }))
  return app
}
