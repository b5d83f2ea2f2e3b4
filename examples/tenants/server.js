/**
 * Several sites in one process, selected by host, each with its own sign-in, users and sessions.
 */
import { randomBytes } from "node:crypto"
import express from "express"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)

// Load yours from a database, so that secrets survive a restart.
const secret = () => randomBytes(33).toString("base64")
const TENANTS = new Map([
  ["acme.localhost", { name: "Acme", secret: secret(), brandColor: "#b91c1c", users: { ada: { name: "Ada" } } }],
  [
    "globex.localhost",
    { name: "Globex", secret: secret(), brandColor: "#15803d", users: { grace: { name: "Grace" } } },
  ],
])

let nextPort = port

const configOf = ({ secret, brandColor, users }) => ({
  // Each site has its own provider: an issuer, a client id and a client secret.
  providers: [devProvider({ port: ++nextPort, users })],
  // And its own secret, so that a session of one site is not valid on another.
  secret,
  theme: { brandColor },
})

const kept = new Map()

/** Returns the middleware of a tenant. It is created once, because creating it processes the configuration. */
function middlewareOf(host) {
  if (!kept.has(host)) kept.set(host, authMiddleware(configOf(TENANTS.get(host))))
  return kept.get(host)
}

const app = express()

app.use((req, res, next) => {
  req.tenant = TENANTS.get(req.hostname)
  // An unknown host gets no page, no cookie and no redirect URI.
  if (!req.tenant) return res.status(404).send("There is no such site.")
  middlewareOf(req.hostname)(req, res, next)
})

app.get("/", optionalAuth, (req, res) => {
  res.json({ site: req.tenant.name, signedInAs: req.auth?.user.name ?? null })
})

app.get("/me", requireAuth, (req, res) => res.json({ site: req.tenant.name, user: req.auth.user }))

app.listen(port, () => {
  for (const host of TENANTS.keys()) console.log(`Open http://${host}:${port}`)
})
