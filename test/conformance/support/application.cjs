/** A secret as an operator would create one. */
const SECRET = "kept for the conformance tests, forty-two letters"

/** The messages of a log entry, including the cause's. */
const lineOf = (entries) =>
  entries.flatMap((entry) => (entry instanceof Error ? [entry.message, entry.cause?.err?.message] : entry)).join(" ")

/**
 * Serves an application for each provider configuration that the parent process sends, and replies with its address.
 * `/me` returns the session, and `/log` returns the logged lines.
 */
module.exports = function serveEach({ authMiddleware, express }) {
  process.on("message", (provider) => {
    const log = []
    const note = (...entries) => void log.push(lineOf(entries))
    const app = express()
    app.use(authMiddleware({ secret: SECRET, providers: [provider], logger: { error: note, warn: note, debug() {} } }))
    app.get("/me", (req, res, next) => req.getSession().then((session) => res.json(session), next))
    app.get("/log", (_req, res) => res.json(log))
    const server = app.listen(0, "127.0.0.1", () => process.send(`http://127.0.0.1:${server.address().port}`))
  })
  process.on("disconnect", () => process.exit())
}
