/**
 * A real OpenID provider that counts its requests. Ada Lovelace is always signed in there.
 *
 * @module
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { Provider } from "oidc-provider"
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js"
import { pinLoad } from "../lib/cores.mjs"
import { CLIENT_SECRET } from "./sign-in-config.mjs"

// Runs on the core of the load, because it is a part of the load.
pinLoad()

const CLIENT = {
  client_secret: CLIENT_SECRET,
  grant_types: ["authorization_code"],
  response_types: ["code"],
}
const claims = { sub: "ada", name: "Ada Lovelace", email: "ada@example.com", email_verified: true }
const clients = new Map()
const stored = createMemoryAdapter()
/** Clients come from a map, because the memory store evicts old entries and so may lose a client that pauses. */
const adapter = (kind) => (kind === "Client" ? { find: async (id) => clients.get(id) } : stored(kind))
let requests = {}
let answer

const server = createServer((req, res) => {
  const [path] = req.url.split("?")
  // The path of each page in the flow contains an id.
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
    // Put the claims into the id_token, as most providers do, so that userinfo is not needed.
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => claims }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant,
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 60, Session: 60 },
  })
}

/** Grants consent without a prompt. */
async function loadExistingGrant({ oidc }) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(" "))
  await grant.save()
  return grant
}

/** Handles messages: register a client, reset the counts, or report them. */
process.on("message", (message) => {
  if (message === "forget") requests = {}
  else if (message.client_id) clients.set(message.client_id, { ...CLIENT, ...message })
  process.send({ requests })
})
process.on("disconnect", () => process.exit())
