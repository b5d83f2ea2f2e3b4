/**
 * A real OpenID provider, the npm package `oidc-provider`, with two users and sign-in pages without scripts.
 *
 * @module
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createTlsServer, type ServerOptions } from "node:https"
import type { KoaContextWithOIDC, Provider } from "oidc-provider"
import type { OIDCConfig } from "../../lib/provider-kit/provider.js"
import type { Browser, Page } from "./browser.js"
import { listen, readText } from "./listen.js"

/** A client's registration (OpenID Connect Dynamic Client Registration §2). */
export interface RealClient {
  client_id: string
  /** At least 32 characters; absent for a public client. */
  client_secret?: string
  redirect_uris: string[]
  /** @default "client_secret_basic", "none" without a secret */
  token_endpoint_auth_method?: string
  [metadata: string]: unknown
}

export interface RealProvider {
  readonly issuer: string
  /** The registered clients. */
  readonly clients: readonly RealClient[]
  /** All requests, including those of the sign-in pages. */
  readonly requests: { method: string; path: string }[]
  /** Registers or replaces a client, because an application's redirect URI may be known only after its start. */
  addClient(client: RealClient): Promise<RealClient>
  /** This provider in an application's configuration, with the first client. */
  oidc(overrides?: Partial<OIDCConfig>): OIDCConfig
  close(): Promise<void>
}

export type Person = "alice" | "bob"

const PEOPLE: Readonly<Record<Person, Readonly<Record<string, unknown>>>> = {
  alice: {
    ...{ sub: "alice", name: "Alice", preferred_username: "alice" },
    ...{ email: "alice@example.com", email_verified: true, realm_access: { roles: ["admin"] } },
  },
  bob: { sub: "bob", name: "Bob", preferred_username: "bob", email: "bob@example.com", email_verified: true },
}

const SIGN_IN_PAGE = `<!doctype html><title>Who are you?</title>
<form method="post"><button name="login" value="alice">Alice</button> <button name="login" value="bob">Bob</button></form>`

/**
 * Loads the package on demand, without its warning that Node 20 is not supported.
 */
async function loadPackage() {
  const { warn } = console
  console.warn = () => {}
  try {
    const [{ Provider }, { createMemoryAdapter }] = await Promise.all([
      import("oidc-provider"),
      import("oidc-provider/lib/adapters/memory_adapter.js"),
    ])
    return { Provider, createMemoryAdapter }
  } finally {
    console.warn = warn
  }
}

interface RealProviderOptions {
  /** Names and addresses are only in userinfo, which is the package's default (OpenID Connect Core §5.4). */
  hasBareIdTokens?: boolean
  /** The path of the issuer, such as "/realms/main" of Keycloak. */
  path?: string
  /** Signs users out without asking them. Needs a browser with JavaScript. */
  skipsSignOutPage?: boolean
  /** More settings of the package's `features`. */
  features?: Record<string, unknown>
  /** More settings of the package. */
  settings?: Record<string, unknown> | ((issuer: string) => Record<string, unknown>)
  /** Serves the provider by TLS. */
  tls?: ServerOptions
}

/** Starts the provider. PKCE is required, with S256. */
export async function startRealProvider({
  clients: first = [],
  ...options
}: RealProviderOptions & { clients?: RealClient[] } = {}): Promise<RealProvider> {
  const { path = "", tls } = options
  const { Provider, createMemoryAdapter } = await loadPackage()
  const adapter = createMemoryAdapter()
  const requests: RealProvider["requests"] = []
  const clients: RealClient[] = []
  let answer: RequestListener = () => {}
  const onRequest: RequestListener = (req, res) => {
    requests.push({ method: req.method ?? "", path: readPath(req) })
    answer(req, res)
  }
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest)
  // The provider requires its URL before it starts.
  const { origin, close } = await listen(server)
  const issuer = origin + path
  const provider = new Provider(issuer, configuration(adapter, options, issuer))
  answer = listener(provider, path)
  const addClient = async (client: RealClient) => {
    const registered = { token_endpoint_auth_method: client.client_secret ? "client_secret_basic" : "none", ...client }
    const grants = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] }
    await adapter("Client").upsert(client.client_id, { ...grants, ...registered })
    const known = clients.findIndex(({ client_id }) => client_id === client.client_id)
    clients.splice(known < 0 ? clients.length : known, 1, registered)
    return registered
  }
  for (const client of first) await addClient(client)
  const oidc = (overrides?: Partial<OIDCConfig>) => toConfig(issuer, clients[0], overrides)
  return { issuer, clients, requests, addClient, oidc, close }
}

const readPath = ({ url = "/" }: IncomingMessage) => url.split("?")[0] ?? ""

function toConfig(issuer: string, client: RealClient | undefined, overrides: Partial<OIDCConfig> = {}): OIDCConfig {
  const method = client?.token_endpoint_auth_method
  return {
    ...{ id: "real", name: "Real provider", type: "oidc", issuer },
    ...(client && { clientId: client.client_id }),
    ...(client?.client_secret && { clientSecret: client.client_secret }),
    ...(method && { client: { token_endpoint_auth_method: method } }),
    ...overrides,
  }
}

function configuration(
  adapter: unknown,
  { hasBareIdTokens = false, path = "", skipsSignOutPage, features, settings }: RealProviderOptions,
  issuer: string,
): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return {
    adapter,
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    features: {
      devInteractions: { enabled: false },
      jwtUserinfo: { enabled: true },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: skipsSignOutPage ? confirmSignOut : showSignOutPage },
      ...features,
    },
    enabledJWA: { userinfoSigningAlgValues: ["RS256", "HS256"] },
    pkce: { required: () => true },
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username", "realm_access"],
      email: ["email", "email_verified"],
    },
    conformIdTokenClaims: hasBareIdTokens,
    findAccount: (_: unknown, sub: string) => accountOf(sub),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `${path}/interaction/${uid}` },
    loadExistingGrant: loadOrCreateGrant,
    // The package's dispatcher refuses local addresses.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
      globalThis.fetch(url, options),
    // As data, so that a failing test shows the error.
    renderError: (context: { body: unknown }, error: unknown) => {
      context.body = error
    },
    ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 3600, Interaction: 600, Session: 3600 },
    ...(typeof settings === "function" ? settings(issuer) : settings),
  }
}

function accountOf(sub: string) {
  const person = PEOPLE[sub === "bob" ? "bob" : "alice"]
  return { accountId: sub, claims: () => ({ ...person, sub }) }
}

/** Asks whether to sign out. The provider's form has the id "op.logoutForm". */
async function showSignOutPage(context: { body: unknown }, form: string): Promise<void> {
  const button = '<button name="logout" value="yes" form="op.logoutForm">Sign out</button>'
  context.body = `<!doctype html><title>Sign out?</title>${form}${button}`
}

/** Confirms the sign-out with a script. */
async function confirmSignOut(context: { body: unknown }, form: string): Promise<void> {
  const field = '<input type="hidden" name="logout" value="yes" form="op.logoutForm">'
  context.body = `<!doctype html><title>Signing out</title>${form}${field}<script>document.forms[0].submit()</script>`
}

/** Grants consent without user interaction. */
async function loadOrCreateGrant({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc
  const known = session.grantIdFor(client.clientId)
  const grant =
    (known && (await provider.Grant.find(known))) ||
    new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(" "))
  grant.addOIDCClaims([...oidc.requestParamClaims])
  const scopes = [...oidc.requestParamScopes].join(" ")
  for (const resource of Object.keys(oidc.resourceServers ?? {})) grant.addResourceScope(resource, scopes)
  await grant.save()
  return grant
}

function listener(provider: Provider, path: string): RequestListener {
  const answer = provider.callback()
  return (req, res) => {
    // Like a server that mounts the provider at a path.
    if (path !== "" && req.url?.startsWith(`${path}/`))
      Object.assign(req, { originalUrl: req.url, url: req.url.slice(path.length) })
    if (!readPath(req).startsWith("/interaction/")) return answer(req, res)
    interact(provider, req, res).catch((error) => void res.writeHead(500).end(String(error)))
  }
}

async function interact(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { prompt } = await provider.interactionDetails(req, res)
  // `prompt=consent` requires an answer, and `loadOrCreateGrant` grants it.
  if (prompt.name === "consent")
    return provider.interactionFinished(req, res, { consent: {} }, { mergeWithLastSubmission: true })
  if (req.method !== "POST") {
    res.writeHead(200, { "content-type": "text/html" }).end(SIGN_IN_PAGE)
    return
  }
  const accountId = new URLSearchParams(await readText(req)).get("login")
  const result = accountId ? { login: { accountId } } : { error: "access_denied", error_description: "nobody" }
  await provider.interactionFinished(req, res, result)
}

/**
 * Opens the provider, signs in as the user if asked, and returns the callback URL without opening it. "nobody" refuses
 * the sign-in.
 */
export async function signInAtProvider(
  browser: Browser,
  authorizationUrl: string,
  who: Person | "nobody",
): Promise<string> {
  const { origin, searchParams } = new URL(authorizationUrl)
  // If the flow could not start, the URL is the application's error page.
  if (!searchParams.has("client_id")) throw new Error(`not an authorization URL: "${authorizationUrl}"`)
  let page = await browser.get(authorizationUrl)
  for (let steps = 0; steps < 10; steps++) {
    if (page.location && new URL(page.location).origin !== origin) return page.location
    if (page.location) page = await browser.get(page.location)
    else page = await browser.submit(browser.form(await page.text()), who === "nobody" ? {} : { login: who })
  }
  throw new Error(`no redirect to the application; the last page was ${page.status} ${page.url}`)
}

/** Opens the provider's sign-out page, confirms it, and returns the last page: the redirect, if there is one. */
export async function signOutAtProvider(browser: Browser, endSessionUrl: string): Promise<Page> {
  const page = await browser.get(endSessionUrl)
  return browser.submit(browser.form(await page.text()), { logout: "yes" })
}
