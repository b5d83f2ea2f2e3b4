/** A secret as an operator would create one. */
const SECRET = "kept for the conformance tests, forty-two letters"

/** The messages of a log entry, including the cause's. */
const lineOf = (entries) =>
  entries.flatMap((entry) => (entry instanceof Error ? [entry.message, entry.cause?.err?.message] : entry)).join(" ")

/**
 * Serves an application for each provider configuration that the parent process sends, and replies with its address.
 * `/me` returns the session, and `/log` returns the logged lines. `/later` sets the clock two hours ahead, and `/api`
 * calls the userinfo endpoint with the user's access token.
 */
module.exports = function serveEach({ authMiddleware, MemoryStore, express }) {
  process.on("message", async (provider) => {
    // A key is sent as a JWK.
    const { key, kid } = provider.token?.clientPrivateKey ?? {}
    const algorithm = { name: "ECDSA", namedCurve: "P-256" }
    if (key)
      provider.token.clientPrivateKey = {
        kid,
        key: await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]),
      }
    const log = []
    const note = (...entries) => void log.push(lineOf(entries))
    const app = express()
    let offsetMs = 0
    const clock = () => Date.now() + offsetMs
    const logger = { error: note, warn: note, debug() {} }
    app.use(authMiddleware({ secret: SECRET, store: MemoryStore(), providers: [provider], logger, clock }))
    app.get("/me", (req, res, next) => req.getSession().then((session) => res.json(session), next))
    app.get("/later", (_req, res) => {
      offsetMs = 7_200_000
      res.json(offsetMs)
    })
    app.get("/api", (req, res) => {
      const failed = (error) => res.status(error.status).json(lineOf([error]))
      const fetch = req.authorizedFetch("oidc")
      fetch(`${provider.apiOrigins[0]}/userinfo`).then(async (response) => res.json(await response.json()), failed)
    })
    app.get("/log", (_req, res) => res.json(log))
    const server = app.listen(0, "127.0.0.1", () => process.send(`http://127.0.0.1:${server.address().port}`))
  })
  process.on("disconnect", () => process.exit())
}
