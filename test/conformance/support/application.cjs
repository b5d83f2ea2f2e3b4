/** A secret as an operator would make one. */
const SECRET = "kept for the conformance tests, forty-two letters"

/** What a line in the log says: of an error its message, and that of what caused it. */
const lineOf = (entries) =>
  entries.flatMap((entry) => (entry instanceof Error ? [entry.message, entry.cause?.err?.message] : entry)).join(" ")

/**
 * An application of a person's own for each provider that comes from the parent process, as that provider's
 * configuration. It answers with its address. `/me` tells who is signed in, `/log` what it was told.
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
