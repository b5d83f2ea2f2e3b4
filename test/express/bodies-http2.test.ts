/**
 * Requests with a body, and responses, over HTTP/2.
 *
 * @module
 */
import type { IncomingMessage } from "node:http"
import { authMiddleware } from "../../lib/index.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { http2Server } from "./support/http2.js"
import { type Attempt, configOf, people } from "./support/servers.js"

failOnUnhandled()

const URL_PATH = "/auth/callback/credentials"
const FIELDS = { username: "Zoë & Co;=%", password: "right" }
const POST = { ":method": "POST", ":path": URL_PATH, ":authority": "app.test", "content-type": "application/json" }

describe("a request over HTTP/2", () => {
  const attempts: Attempt[] = []
  const middleware = authMiddleware(configOf({ providers: [people(attempts)], rateLimit: false }))
  let prepare = (_req: IncomingMessage) => {}
  const send = http2Server((req, res) => {
    prepare(req)
    middleware(req, res, () => res.writeHead(404).end())
  })
  afterEach(() => {
    prepare = () => {}
    attempts.length = 0
  })

  async function signIn() {
    const { text, headers } = await send({ ":path": "/auth/csrf", ":authority": "app.test" })
    const cookie = String(headers["set-cookie"]?.[0]).split(";")[0] ?? ""
    return send({ ...POST, cookie }, JSON.stringify({ ...FIELDS, csrfToken: JSON.parse(text).csrfToken }))
  }

  it.each<[string, (req: IncomingMessage) => unknown]>([
    ["", () => {}],
    [" that earlier code has paused", (req) => req.pause()],
    [" with a data listener", (req) => req.on("data", () => {})],
  ])("has a body that is passed to authorize%s", async (_what, touch) => {
    prepare = touch
    const { headers } = await signIn()
    expect([headers[":status"], headers.location]).toEqual([302, "http://app.test"])
  })

  it("is passed to authorize without pseudo-headers", async () => {
    await signIn()
    const names = [...(attempts[0]?.request.headers.keys() ?? [])]
    expect(names).toEqual(expect.arrayContaining(["content-type", "cookie"]))
    expect(names.filter((name) => name.startsWith(":"))).toEqual([])
  })

  it.each([
    ["at the size limit", 413, {}],
    ["before it is read", 415, { "content-type": "multipart/form-data" }],
  ])("is rejected %s with %d, and the response is complete", async (_when, status, more) => {
    const { headers, text } = await send({ ...POST, ...more }, `{"a":"${"x".repeat(1_000_000)}"}`)
    expect([headers[":status"], text]).toEqual([status, expect.stringMatching(/^[{"]/)])
  })

  it.each(["post", "get", "Head", "TRACE"])(
    "gets 405 for the method %s: methods are case-sensitive",
    async (method) => {
      const { headers } = await send({ ":method": method, ":path": "/auth/session", ":authority": "app.test" })
      expect([headers[":status"], headers["allow"]]).toEqual([405, "GET, HEAD, POST"])
    },
  )

  it("gets a response without a reason phrase, which HTTP/2 does not have", async () => {
    const warnings: unknown[] = []
    const record = (warning: unknown) => void warnings.push(warning)
    process.on("warning", record)
    await signIn()
    process.off("warning", record)
    expect(warnings).toEqual([])
  })
})
