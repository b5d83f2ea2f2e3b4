import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { asError } from "../../errors/errors.js"
import { html } from "../html.js"
import { authorize, choose } from "./authorization.js"
import { authorizationResponse } from "./authorization-response.js"
import { discovery, jwks, PATHS } from "./discovery.js"
import { endSession } from "./end-session.js"
import { Refusal } from "./refusal.js"
import { json, type ProviderResponse, page } from "./response.js"
import type { ProviderRequest, ProviderState } from "./state.js"
import { STYLE } from "./style.js"
import { token, userinfo } from "./token.js"

interface Endpoint {
  readonly methods: readonly string[]
  readonly handle: (request: ProviderRequest, state: ProviderState) => ProviderResponse | Promise<ProviderResponse>
  /** True if the response is shown in a browser. */
  readonly isForBrowsers?: true
}

const GET_AND_POST = ["GET", "POST"]

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  [PATHS.discovery, { methods: ["GET"], handle: (_, state) => discovery(state) }],
  [PATHS.jwks, { methods: ["GET"], handle: (_, state) => jwks(state) }],
  [PATHS.authorize, { methods: GET_AND_POST, handle: authorize, isForBrowsers: true }],
  [PATHS.choose, { methods: ["POST"], handle: choose, isForBrowsers: true }],
  [PATHS.token, { methods: ["POST"], handle: token }],
  [PATHS.userinfo, { methods: GET_AND_POST, handle: userinfo }],
  [PATHS.endSession, { methods: GET_AND_POST, handle: endSession, isForBrowsers: true }],
])

const MAX_BODY_BYTES = 64_000

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Refusal("invalid_request", "the body is too long", { status: 413 })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Splits the URL of a request at the first question mark. A query can contain more of them (RFC 3986 §3.4). */
function splitUrl({ url = "" }: IncomingMessage): { path: string; query: string } {
  const [path = "", ...query] = url.split("?")
  return { path, query: query.join("?") }
}

async function readRequest(req: IncomingMessage, signal: AbortSignal): Promise<ProviderRequest> {
  const { method = "" } = req
  const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
  const text = method === "POST" ? await readBody(req) : splitUrl(req).query
  return { method, params: new URLSearchParams(text), headers, signal }
}

/** Prevents DNS rebinding: otherwise scripts of a site whose name resolves to loopback could call the provider. */
function requireHost({ host }: ProviderRequest["headers"], { origin }: ProviderState): void {
  if (host === new URL(origin).host) return
  throw new Refusal("invalid_request", `this provider is ${origin}, but the Host header is ${host ?? "missing"}`, {
    status: 421,
  })
}

async function handleEndpoint(
  endpoint: Endpoint,
  request: ProviderRequest,
  state: ProviderState,
): Promise<ProviderResponse> {
  requireHost(request.headers, state)
  if (endpoint.methods.includes(request.method)) return endpoint.handle(request, state)
  return { status: 405, headers: { allow: endpoint.methods.join(", ") } }
}

function toErrorResponse(error: Refusal, isForBrowsers: boolean, { issuer }: ProviderState): ProviderResponse {
  const { code, message: description, status, to } = error
  if (to) return authorizationResponse(to, { error: code, error_description: description, iss: issuer })
  if (isForBrowsers) return problemPage(description, status)
  const challenge = status === 401 ? { "www-authenticate": 'Basic realm="dev-provider"' } : {}
  return json({ error: code, error_description: description }, status, challenge)
}

const problemPage = (text: string, status: number): ProviderResponse => {
  const body = html`<h1>The request failed</h1>
<p role="alert">${text}</p>
<p>Go back to the application and sign in again.</p>`
  return page({ title: "The request failed", body, style: STYLE }, status)
}

const START_PAGE = html`<h1>Start in your application</h1>
<p>This provider is for development: applications redirect to it, and visitors choose a user.</p>`

/** Handles a request. The promise never rejects. */
async function handleRequest(
  req: IncomingMessage,
  signal: AbortSignal,
  state: ProviderState,
): Promise<ProviderResponse> {
  const { path } = splitUrl(req)
  const endpoint = ENDPOINTS.get(path)
  if (!endpoint && path === "/") return page({ title: "Start", body: START_PAGE, style: STYLE })
  if (!endpoint) return problemPage("There is no page at this address.", 404)
  try {
    return await handleEndpoint(endpoint, await readRequest(req, signal), state)
  } catch (error) {
    if (error instanceof Refusal) return toErrorResponse(error, endpoint.isForBrowsers ?? false, state)
    return json({ error: "server_error", error_description: asError(error).message }, 500)
  }
}

function send(res: ServerResponse, { status, headers, body }: ProviderResponse): void {
  res.writeHead(status, headers).end(body)
}

/** Creates the provider's server, which does not listen yet. */
export function createProviderServer(state: ProviderState): Server {
  return createServer((req, res) => {
    const disconnected = new AbortController()
    res.once("close", () => disconnected.abort())
    // The promise needs no `catch`: `handleRequest` never rejects, and `send` ignores a closed connection.
    void handleRequest(req, disconnected.signal, state).then((response) => send(res, response))
  })
}
