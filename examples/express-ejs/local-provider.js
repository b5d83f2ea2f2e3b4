/**
 * A real OpenID provider, the npm package oidc-provider, where one click signs you in as Alice or Bob. It stands for
 * Google, Okta, Keycloak …: nothing of it belongs into an application.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const PEOPLE = {
  alice: { name: "Alice", email: "alice@example.com", email_verified: true },
  bob: { name: "Bob", email: "bob@example.com", email_verified: true },
}

/** Starts the provider; gives its server, and what an application needs to know to use it. */
export async function startLocalProvider({ port, appPort }) {
  const issuer = `http://localhost:${port}`
  const client = { issuer, clientId: "example", clientSecret: randomBytes(32).toString("hex") }
  const { Provider, interactionPolicy, createMemoryAdapter } = await loadPackage()
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: ["localhost", "127.0.0.1"].map((host) => `http://${host}:${appPort}/auth/callback/local`),
      },
    ],
    jwks: { keys: [createSigningKey()] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    pkce: { required: () => true },
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...PEOPLE[sub], sub }) }),
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { policy: askEveryTime(interactionPolicy), url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: grantAll,
    renderError: (ctx, { error_description }) => {
      ctx.type = "html"
      ctx.body = page("That didn’t work", `<p>${escapeHtml(error_description ?? "Go back and try again.")}</p>`)
    },
    ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 3600, Interaction: 600, Session: 3600 },
  })
  provider.on("server_error", (_, error) => console.error(error))
  const answer = provider.callback()
  const server = createServer((req, res) => {
    if (!req.url.startsWith("/interaction/")) return answer(req, res)
    interact(provider, req, res).catch(() => {
      sendPage(res, 400, page("This took too long", "<p>Go back to the application and sign in again.</p>"))
    })
  })
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, resolve))
  return { server, client }
}

/** On Node 20, where it runs well, the package says at each start that it would rather have a newer one. */
async function loadPackage() {
  const { warn } = console
  console.warn = () => {}
  try {
    return { ...(await import("oidc-provider")), ...(await import("oidc-provider/lib/adapters/memory_adapter.js")) }
  } finally {
    console.warn = warn
  }
}

function createSigningKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }
}

/** A provider remembers who is signed in; this one asks again, so that you can be Alice now and Bob later. */
function askEveryTime({ base, Check }) {
  const policy = base()
  const check = new Check("every_time", "Somebody has to be chosen.", ({ oidc }) => !oidc.result?.login)
  policy.get("login").checks.add(check)
  return policy
}

/** Consent that nobody is asked for. */
async function grantAll({ oidc }) {
  const { client, session, provider } = oidc
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(" "))
  await grant.save()
  return grant
}

async function interact(provider, req, res) {
  await provider.interactionDetails(req, res)
  if (req.method !== "POST") return sendPage(res, 200, CHOICE)
  const person = new URLSearchParams(await text(req)).get("login")
  const result = Object.hasOwn(PEOPLE, person)
    ? { login: { accountId: person } }
    : { error: "access_denied", error_description: "Nobody was chosen." }
  await provider.interactionFinished(req, res, result)
}

const escapeHtml = (value) => value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

function sendPage(res, status, html) {
  if (res.headersSent) return
  res.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html)
}

const page = (title, body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title} · Local provider</title>
<style>
  :root { color-scheme: light dark; --edge: light-dark(#b9c4d6, #46536b) }
  * { box-sizing: border-box }
  body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1rem;
    background: light-dark(#e6edf7, #101826); color: light-dark(#16233a, #e6edf7); font: 1rem/1.5 system-ui, sans-serif }
  main { width: min(100%, 24rem); padding: 2rem; border-top: 0.375rem solid light-dark(#2557a7, #7fb0ff);
    border-radius: 0.5rem; background: light-dark(#fff, #1a2435) }
  small { font-size: 0.875rem }
  h1 { margin: 0.25rem 0 0; font-size: 1.5rem; line-height: 1.25 }
  form { display: grid; gap: 0.75rem; margin-top: 1.5rem }
  button { min-height: 3rem; padding: 0.5rem 1rem; border: 1px solid var(--edge); border-radius: 0.5rem;
    background: none; color: inherit; font: inherit; text-align: left; cursor: pointer }
  button:hover { border-color: currentcolor }
  button span { color: light-dark(#4c5b75, #a9b6cc) }
  :focus-visible { outline: 2px solid light-dark(#2557a7, #7fb0ff); outline-offset: 2px }
  [value=""] { border-color: transparent; text-align: center }
</style>
<main>
  <small>Local provider</small>
  <h1>${title}</h1>
  ${body}
</main>
</html>
`

const CHOICE = page(
  "Who are you?",
  `<form method="post">
    ${Object.entries(PEOPLE)
      .map(
        ([id, { name, email }]) => `<button name="login" value="${id}"><b>${name}</b> <span>${email}</span></button>`,
      )
      .join("\n    ")}
    <button name="login" value="">Cancel</button>
  </form>`,
)
