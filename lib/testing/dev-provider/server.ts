import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { asError } from "../../errors.js"
import { html } from "../html.js"
import { type Answer, json, page } from "./answer.js"
import { authorize, choose } from "./authorization.js"
import { authorizationResponse } from "./authorization-response.js"
import { discovery, jwks, PATHS } from "./discovery.js"
import { endSession } from "./end-session.js"
import { Refusal } from "./refusal.js"
import type { ProviderRequest, ProviderState } from "./state.js"
import { STYLE } from "./style.js"
import { token } from "./token.js"
import { userinfo } from "./userinfo.js"

interface Endpoint {
  readonly methods: readonly string[]
  readonly answer: (request: ProviderRequest, state: ProviderState) => Answer | Promise<Answer>
  /** Is it a person who reads the answer? */
  readonly isForPeople?: true
}

const BOTH = ["GET", "POST"]

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  [PATHS.discovery, { methods: ["GET"], answer: (_, state) => discovery(state) }],
  [PATHS.jwks, { methods: ["GET"], answer: (_, state) => jwks(state) }],
  [PATHS.authorize, { methods: BOTH, answer: authorize, isForPeople: true }],
  [PATHS.choose, { methods: ["POST"], answer: choose, isForPeople: true }],
  [PATHS.token, { methods: ["POST"], answer: token }],
  [PATHS.userinfo, { methods: BOTH, answer: userinfo }],
  [PATHS.endSession, { methods: BOTH, answer: endSession, isForPeople: true }],
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

/** A query may have question marks of its own (RFC 3986 §3.4). */
function addressOf({ url = "" }: IncomingMessage): { path: string; query: string } {
  const [path = "", ...query] = url.split("?")
  return { path, query: query.join("?") }
}

async function readRequest(req: IncomingMessage, signal: AbortSignal): Promise<ProviderRequest> {
  const { method = "" } = req
  const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
  const text = method === "POST" ? await readBody(req) : addressOf(req).query
  return { method, params: new URLSearchParams(text), headers, signal }
}

/**
 * A name of another site that leads to this machine (DNS rebinding) would make that site's scripts ours.
 */
function requireHost({ host }: ProviderRequest["headers"], { origin }: ProviderState): void {
  if (host === new URL(origin).host) return
  throw new Refusal("invalid_request", `this provider is ${origin}, and it was called as ${host ?? "nothing"}`, {
    status: 421,
  })
}

async function answerTo(endpoint: Endpoint, request: ProviderRequest, state: ProviderState): Promise<Answer> {
  requireHost(request.headers, state)
  if (endpoint.methods.includes(request.method)) return endpoint.answer(request, state)
  return { status: 405, headers: { allow: endpoint.methods.join(", ") } }
}

/** The one place where a refusal becomes an answer. */
function answerToRefusal(error: Refusal, isForPeople: boolean, { issuer }: ProviderState): Answer {
  const { code, message: description, status, to } = error
  if (to) return authorizationResponse(to, { error: code, error_description: description, iss: issuer })
  if (isForPeople) return problemPage(description, status)
  const challenge = status === 401 ? { "www-authenticate": 'Basic realm="dev-provider"' } : {}
  return json({ error: code, error_description: description }, status, challenge)
}

const problemPage = (text: string, status: number): Answer => {
  const body = html`<h1>That didn’t work</h1>
<p role="alert">${text}</p>
<p>Go back to the application and sign in again.</p>`
  return page({ title: "That didn’t work", body, style: STYLE }, status)
}

const START = html`<h1>Begin at your application</h1>
<p>This provider is for development: whoever comes from there chooses who to be.</p>`

/** Answers one request; what is wrong with it never leaves as an exception. */
async function serve(req: IncomingMessage, signal: AbortSignal, state: ProviderState): Promise<Answer> {
  const { path } = addressOf(req)
  const endpoint = ENDPOINTS.get(path)
  if (!endpoint && path === "/") return page({ title: "Start", body: START, style: STYLE })
  if (!endpoint) return problemPage("There is nothing at this address.", 404)
  try {
    return await answerTo(endpoint, await readRequest(req, signal), state)
  } catch (error) {
    if (error instanceof Refusal) return answerToRefusal(error, endpoint.isForPeople ?? false, state)
    return json({ error: "server_error", error_description: asError(error).message }, 500)
  }
}

function send(res: ServerResponse, { status, headers, body }: Answer): void {
  res.writeHead(status, headers).end(body)
}

/** The provider's server, not listening yet. */
export function createProviderServer(state: ProviderState): Server {
  return createServer((req, res) => {
    const hungUp = new AbortController()
    res.once("close", () => hungUp.abort())
    // Nothing is thrown but by writing to somebody who is gone.
    void serve(req, hungUp.signal, state).then((answer) => send(res, answer))
  })
}
