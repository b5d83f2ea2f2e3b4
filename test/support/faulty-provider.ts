/**
 * An OpenID provider that approves every request and misbehaves on demand.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { OAuth2Config, OIDCConfig } from "../../lib/provider-kit/provider.js"
import { type ClientAuth, type RegisteredClient, readClientAuth } from "./faulty-provider/client-auth.js"
import { type Answer, deliver } from "./faulty-provider/deliver.js"
import * as endpoints from "./faulty-provider/endpoints.js"
import * as fapi from "./faulty-provider/fapi.js"
import type { Endpoint, ProviderMode } from "./faulty-provider/mode.js"
import { createSigningKey, type SigningKey, type SigningMaterial } from "./faulty-provider/signing.js"
import { parseForms } from "./html.js"
import { listen, readText } from "./listen.js"
import { overNetwork } from "./network.js"

export type { ClientAuth, RegisteredClient } from "./faulty-provider/client-auth.js"
export { ALICE } from "./faulty-provider/endpoints.js"
export type { Claims, Endpoint, Fault, ProviderMode, SignedUserinfo } from "./faulty-provider/mode.js"

export interface FaultyProviderOptions extends Partial<RegisteredClient> {
  /** The path of the issuer: "/tenant", or "/" for an issuer with a trailing slash. @default "" */
  issuerPath?: string
  /** The initial behaviour, which `reset` restores. */
  mode?: ProviderMode
}

/** A request to the provider. */
export interface RecordedRequest {
  readonly endpoint: Endpoint
  readonly method: string
  /** Relative to the issuer's path, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The fields of a form body. */
  readonly form: Readonly<Record<string, string>>
  /** Only at the token endpoint; absent if the credentials are malformed. */
  readonly clientAuth?: ClientAuth
  /** The client closed the connection before it received the whole response. */
  isAborted: boolean
}

const PATHS: Record<string, Endpoint> = {
  "/authorize": "authorize",
  "/token": "token",
  "/userinfo": "userinfo",
  "/end_session": "end_session",
  "/par": "par",
  "/.well-known/openid-configuration": "discovery",
}

export class FaultyProvider implements endpoints.ProviderState {
  readonly requests: RecordedRequest[] = []
  readonly jwksPath = `/jwks-${randomBytes(6).toString("hex")}`
  readonly grants: endpoints.ProviderState["grants"] = new Map()
  readonly accessTokens: endpoints.ProviderState["accessTokens"] = new Map()
  readonly pushed: endpoints.ProviderState["pushed"] = new Map()
  readonly secrets: Set<string>
  mode: ProviderMode
  #retired: SigningKey[] = []
  readonly #server = createServer((req, res) => {
    // Errors of the test's functions too: the application gets status 500 with the error in the body.
    this.#serve(req, res).catch((error) => void res.writeHead(500).end(String(error)))
  })
  #listening = { origin: "", close: async () => {} }
  #rsa: SigningKey
  readonly #ec: SigningKey
  readonly #unpublished = new Map<string, Promise<SigningKey>>()

  constructor(
    readonly client: RegisteredClient,
    readonly options: FaultyProviderOptions,
    keys: { rsa: SigningKey; ec: SigningKey },
  ) {
    this.mode = { ...options.mode }
    this.secrets = new Set([client.clientSecret])
    this.#rsa = keys.rsa
    this.#ec = keys.ec
  }

  /** Called once, by `startFaultyProvider`. */
  async listen(): Promise<this> {
    this.#listening = await listen(this.#server)
    return this
  }

  close(): Promise<void> {
    return this.#listening.close()
  }

  get issuer(): string {
    return this.#listening.origin + (this.options.issuerPath ?? "")
  }

  get base(): string {
    return this.issuer.replace(/\/$/, "")
  }

  get keys(): SigningMaterial {
    const unpublished = (alg: SigningKey["alg"]) => this.#unpublishedKey(alg)
    return { rsa: this.#rsa, ec: this.#ec, clientSecret: this.client.clientSecret, unpublished }
  }

  get published(): SigningKey[] {
    return [this.#rsa, this.#ec, ...this.#retired]
  }

  /** Changes the given parts of the behaviour. */
  set(mode: ProviderMode): void {
    this.mode = { ...this.mode, ...mode }
  }

  /** Restores the initial behaviour. */
  reset(): void {
    this.mode = { ...this.options.mode }
  }

  /** Signs with a new key. The old key is removed from the JWKS unless `keepOld` is set. */
  async rotateKeys({ keepOld = false } = {}): Promise<void> {
    this.#retired = keepOld ? [this.#rsa, ...this.#retired] : []
    this.#rsa = await createSigningKey("RS256")
  }

  /** The requests to a path or endpoint. `/jwks` is the random JWKS path of this instance. */
  to(where: string): RecordedRequest[] {
    return this.requests.filter(({ path, endpoint }) => path === where || endpoint === where.replace(/^\//, ""))
  }

  count(where: string): number {
    return this.to(where).length
  }

  /** The latest request to a path or endpoint. */
  last(where: string): RecordedRequest {
    const found = this.to(where).at(-1)
    if (found) return found
    throw new Error(`no request to ${where} among [${this.requests.map(({ path }) => path).join(", ")}]`)
  }

  /** Opens the authorization URL, and returns the URL of the redirect. */
  async authorize(authorizationUrl: string): Promise<string> {
    const response = await this.#visit(authorizationUrl)
    const location = response.headers.get("location")
    if (location) return location
    throw new Error(`${authorizationUrl} was answered ${response.status}: ${await response.text()}`)
  }

  /** Opens the authorization URL with `response_mode=form_post`, and returns the form. */
  async authorizeByForm(authorizationUrl: string): Promise<{ action: string; fields: Record<string, string> }> {
    const html = await (await this.#visit(authorizationUrl)).text()
    const [form] = parseForms(html)
    if (form) return { action: form.action, fields: form.fields }
    throw new Error(`${authorizationUrl} was answered without a form: ${html}`)
  }

  /** This provider in an application's configuration. */
  oidc(overrides: Partial<OIDCConfig> = {}): OIDCConfig {
    const { issuer, client } = this
    const { clientId, clientSecret } = client
    return { id: "oidc", name: "Test provider", type: "oidc", issuer, clientId, clientSecret, ...overrides }
  }

  /** This provider as plain OAuth 2 in a configuration. Set `plainOAuth` too. */
  oauth(overrides: Partial<OAuth2Config> = {}): OAuth2Config {
    const { base, client } = this
    const { clientId, clientSecret } = client
    return {
      ...{ id: "oauth", name: "Test provider", type: "oauth", clientId, clientSecret },
      ...{ authorization: `${base}/authorize`, token: `${base}/token`, userinfo: `${base}/userinfo` },
      profile: ({ id, name, email }) => ({ id: String(id), name: name ?? null, email: email ?? null }),
      ...overrides,
    }
  }

  #visit(authorizationUrl: string): Promise<Response> {
    // If the flow could not start, the URL is the application's error page.
    if (!authorizationUrl.startsWith(`${this.base}/authorize?`))
      throw new Error(`not an authorization URL of ${this.issuer}: "${authorizationUrl}"`)
    return overNetwork(new Request(authorizationUrl))
  }

  #unpublishedKey(alg: SigningKey["alg"]): Promise<SigningKey> {
    const key = this.#unpublished.get(alg) ?? createSigningKey(alg)
    this.#unpublished.set(alg, key)
    return key
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = this.#record(req, await readText(req))
    res.once("close", () => {
      request.isAborted = !res.writableFinished
    })
    const { fault: faults, clockOffsetSeconds } = this.mode
    if (clockOffsetSeconds) res.setHeader("date", new Date(Date.now() + clockOffsetSeconds * 1000).toUTCString())
    const fault = faults?.[request.endpoint]
    await deliver(res, typeof fault === "function" ? fault(request) : fault, () => this.#answer(request))
  }

  #record({ url = "/", method = "GET", headers }: IncomingMessage, body: string): RecordedRequest {
    const { pathname, searchParams } = new URL(url, this.#listening.origin)
    const path = pathname.slice(new URL(this.base).pathname.replace(/\/$/, "").length)
    const endpoint = path === this.jwksPath ? "jwks" : (PATHS[path] ?? "other")
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded")
    const form = isForm ? Object.fromEntries(new URLSearchParams(body)) : {}
    if (form["code_verifier"]) this.secrets.add(form["code_verifier"])
    const clientAuth = endpoint === "token" || endpoint === "par" ? tryClientAuth(headers, form) : undefined
    const query = Object.fromEntries(searchParams)
    const request = { endpoint, method, path, query, headers, body, form, isAborted: false }
    this.requests.push(clientAuth ? Object.assign(request, { clientAuth }) : request)
    return request
  }

  async #answer(request: RecordedRequest): Promise<Answer> {
    const { endpoint, method } = request
    const refused = this.mode.fapi ? await refuseFapiRequest(this, request) : undefined
    if (refused) return refused
    if (endpoint === "par") return fapi.push(this, request)
    if (endpoint === "token") return method === "POST" ? endpoints.redeem(this, request) : { status: 405 }
    if (endpoint === "authorize") return endpoints.authorize(this, request)
    if (endpoint === "userinfo") return endpoints.userinfo(this, request)
    if (endpoint === "discovery") return endpoints.discovery(this)
    if (endpoint === "end_session") return endpoints.endSession(this, request)
    if (endpoint === "jwks") return endpoints.jwks(this)
    return { status: 404 }
  }
}

async function refuseFapiRequest(provider: FaultyProvider, request: RecordedRequest): Promise<Answer | undefined> {
  if (request.endpoint === "token") return fapi.refuseTokenRequest(provider, request)
  return request.endpoint === "userinfo" ? fapi.refuseResourceRequest(provider, request) : undefined
}

function tryClientAuth(headers: IncomingHttpHeaders, form: Record<string, string>): ClientAuth | undefined {
  try {
    return readClientAuth(headers, form)
  } catch {
    return undefined
  }
}

/**
 * Starts a provider with new keys and one client.
 *
 * @example
 * const op = await startFaultyProvider()
 * op.set({ sig: "other-key", fault: { userinfo: "hang" } })
 */
export async function startFaultyProvider(options: FaultyProviderOptions = {}): Promise<FaultyProvider> {
  const { clientId = "latchkey-tests", clientSecret = randomBytes(32).toString("hex") } = options
  const [rsa, ec] = await Promise.all([createSigningKey("RS256"), createSigningKey("ES256")])
  return new FaultyProvider({ ...options, clientId, clientSecret }, options, { rsa, ec }).listen()
}
