/**
 * A real OpenID provider at which Ada Lovelace is always signed in, and which counts what reaches it.
 *
 * @module
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { Provider } from "oidc-provider"
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js"
import { pinLoad } from "../lib/cores.mjs"
import { CLIENT_SECRET } from "./sign-in-config.mjs"

// On the core of the load: it is a part of it.
pinLoad()

const CLIENT = {
  client_secret: CLIENT_SECRET,
  grant_types: ["authorization_code"],
  response_types: ["code"],
}
const claims = { sub: "ada", name: "Ada Lovelace", email: "ada@example.com", email_verified: true }
const clients = new Map()
const stored = createMemoryAdapter()
/** The package's own store forgets the oldest thousands, a client that pauses among them. */
const adapter = (kind) => (kind === "Client" ? { find: async (id) => clients.get(id) } : stored(kind))
let requests = {}
let answer

const server = createServer((req, res) => {
  const [path] = req.url.split("?")
  // Of the pages that a browser passes through each has an id of its own in its path.
  const kind = `${req.method} ${path.replace(/^(\/interaction|\/auth)\/.*/, "$1/…")}`
  requests[kind] = (requests[kind] ?? 0) + 1
  answer(req, res, path)
})

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address()
  const provider = createProvider(`http://127.0.0.1:${port}`)
  const serve = provider.callback()
  answer = (req, res, path) => {
    if (!path.startsWith("/interaction/")) return serve(req, res)
    provider.interactionFinished(req, res, { login: { accountId: claims.sub } }).catch((error) => {
      res.writeHead(500).end(String(error))
    })
  }
  process.send({ port })
})

function createProvider(issuer) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return new Provider(issuer, {
    adapter,
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "bench" }] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    // In the id_token itself, as most providers have them, so that nobody has to ask userinfo.
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => claims }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant,
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 60, Session: 60 },
  })
}

/** Consent that nobody is asked for. */
async function loadExistingGrant({ oidc }) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(" "))
  await grant.save()
  return grant
}

/** A client is registered, what was counted is forgotten, or it is told. */
process.on("message", (message) => {
  if (message === "forget") requests = {}
  else if (message.client_id) clients.set(message.client_id, { ...CLIENT, ...message })
  process.send({ requests })
})
process.on("disconnect", () => process.exit())
