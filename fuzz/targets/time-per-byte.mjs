/**
 * Long text in one part of a request: the time must grow at most linearly with the length.
 *
 * An input has four lines: the part of the request, a prefix, the repeated text, and a suffix.
 */
import { createHash } from "node:crypto"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { MemoryAdapter } from "../../dist/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import { requireLinear } from "../lib/oracle.mjs"
import { SECRET } from "../lib/site.mjs"

/** The limit of a server over HTTP/2. */
const BYTES = 64 * 1024

const middleware = authMiddleware({
  providers: [
    { id: "email", name: "Mail", type: "email", from: "us@app.test", sendVerificationRequest: async () => {} },
    Credentials({ credentials: { name: {} }, authorize: async () => null }),
  ],
  adapter: MemoryAdapter(),
  session: { strategy: "jwt" },
  ...{ secret: SECRET, trustHost: true, logger: { error() {}, warn() {}, debug() {} } },
})

const CSRF_TOKEN = "a".repeat(64)
const CSRF_COOKIE = `authjs.csrf-token=${CSRF_TOKEN}|${createHash("sha256")
  .update(CSRF_TOKEN + SECRET)
  .digest("hex")}`

/** Passes a request to the middleware and to a guard after it, as a server would. */
function ask({ method = "GET", url = "/auth/signin", headers = {}, body, ...more }) {
  const req = new IncomingMessage(new Socket())
  const all = { host: "app.test", cookie: CSRF_COOKIE, accept: "text/html", ...headers }
  Object.assign(req, { method, url, headers: all, rawHeaders: Object.entries(all).flat(), ...more })
  if (body !== undefined) req.push(body)
  req.push(null)
  const res = new ServerResponse(req)
  return new Promise((resolve) => {
    res.end = resolve
    middleware(req, res, () => requireAuth(req, res, resolve))
  })
}

const post = (url, fields) =>
  ask({
    ...{ method: "POST", url, headers: { "content-type": "application/x-www-form-urlencoded" } },
    body: new URLSearchParams({ csrfToken: CSRF_TOKEN, ...fields }).toString(),
  })

const inHeader = (name, url) => (text) => ask({ url, headers: { [name]: text } })

const PLACES = {
  path: (text) => ask({ url: `/auth/${text}` }),
  mount: (text) => ask({ url: "/signin", baseUrl: `/${text}`, originalUrl: `/${text}/signin` }),
  "guarded-path": (text) => ask({ url: `/${text}` }),
  query: (text) => ask({ url: `/auth/signin?callbackUrl=${text}` }),
  "callback-url": (text) => post("/auth/signin/email", { email: "a@b.test", callbackUrl: text }),
  email: (text) => post("/auth/signin/email", { email: text }),
  "csrf-token": (text) => post("/auth/signout", { csrfToken: text }),
  link: (text) => ask({ url: `/auth/callback/email?token=${text}&email=${text}` }),
  json: (text) =>
    ask({ method: "POST", url: "/auth/session", headers: { "content-type": "application/json" }, body: text }),
  "fetch-site": (text) => ask({ method: "POST", url: "/auth/signout", headers: { "sec-fetch-site": text } }),
  origin: (text) => ask({ method: "POST", url: "/auth/signout", headers: { origin: text } }),
  cookie: inHeader("cookie", "/auth/session"),
  "guarded-cookie": inHeader("cookie", "/guarded"),
  host: inHeader("host", "/auth/csrf"),
  accept: inHeader("accept", "/guarded"),
  language: inHeader("accept-language", "/auth/signin"),
  "content-type": (text) => ask({ method: "POST", url: "/auth/signout", headers: { "content-type": text }, body: "a" }),
  forwarded: inHeader("x-forwarded-host", "/auth/csrf"),
}

/** A request line and a header contain no line breaks. */
const linesIn = (bytes) =>
  Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/[\0\r]/g, "")
    .split("\n")

export async function fuzz(bytes) {
  const [place = "", prefix = "", repeated = "", suffix = ""] = linesIn(bytes)
  const names = Object.keys(PLACES)
  const send = PLACES[Object.hasOwn(PLACES, place) ? place : names[bytes.length % names.length]]
  const text = prefix + (repeated || " ").repeat(Math.ceil(BYTES / (repeated.length || 1))).slice(0, BYTES) + suffix
  await requireLinear(() => send(text), text.length)
}
