/**
 * Several sites in one process, told apart by the host: each with a sign-in, people and sessions of its own.
 */
import { randomBytes } from "node:crypto"
import express from "express"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)

// Yours come from a database. Secrets outlive a restart there; these don't.
const secret = () => randomBytes(33).toString("base64")
const TENANTS = new Map([
  ["acme.localhost", { name: "Acme", secret: secret(), brandColor: "#b91c1c", people: { ada: { name: "Ada" } } }],
  [
    "globex.localhost",
    { name: "Globex", secret: secret(), brandColor: "#15803d", people: { grace: { name: "Grace" } } },
  ],
])

let nextPort = port

const configOf = ({ secret, brandColor, people }) => ({
  // Each has a provider of its own, as each of your customers has: an issuer, a client id and a client secret.
  providers: [devProvider({ port: ++nextPort, people })],
  // And a secret of its own: a session of one is nothing to the other, wherever somebody carries it.
  secret,
  theme: { brandColor },
})

const kept = new Map()

/** The middleware of a tenant: made once, for each configuration is worked out when it is made. */
function middlewareOf(host) {
  if (!kept.has(host)) kept.set(host, authMiddleware(configOf(TENANTS.get(host))))
  return kept.get(host)
}

const app = express()

app.use((req, res, next) => {
  req.tenant = TENANTS.get(req.hostname)
  // A host that nobody knows gets nothing: no page, no cookie, no redirect URI.
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
