/**
 * Bodies over HTTP/2.
 *
 * @module
 */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createHttp2Server, connect as http2 } from "node:http2"
import type { AddressInfo } from "node:net"
import { authMiddleware } from "../../lib/index.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, people } from "./support/servers.js"

failOnUnhandled()

const URL_PATH = "/auth/callback/credentials"
const FIELDS = { username: "Zoë & Co;=%", password: "right" }

describe("a request body over HTTP/2", () => {
  const server = createHttp2Server((req, res) => {
    // Node.js declares the types of the two HTTP versions separately; the members used here are the same.
    const [one, other] = [req as unknown as IncomingMessage, res as unknown as ServerResponse]
    authMiddleware(CONFIG)(one, other, () => res.writeHead(404).end())
  })
  const CONFIG = configOf({ providers: [people()], rateLimit: false })
  let origin = ""
  beforeAll(async () => {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  async function post(body: string, cookie = "") {
    const client = http2(origin)
    const request = client.request({ ":method": "POST", ":path": URL_PATH, "content-type": "application/json", cookie })
    request.end(body)
    const [headers] = await once(request, "response")
    request.resume()
    await once(request, "close")
    client.close()
    return headers
  }

  async function csrf() {
    const client = http2(origin)
    const request = client.request({ ":path": "/auth/csrf" })
    const [headers] = await once(request, "response")
    let text = ""
    for await (const chunk of request) text += chunk
    client.close()
    return { token: JSON.parse(text).csrfToken, cookie: String(headers["set-cookie"]?.[0]).split(";")[0] }
  }

  it("is passed to authorize", async () => {
    const { token, cookie } = await csrf()
    const headers = await post(JSON.stringify({ ...FIELDS, csrfToken: token }), cookie)
    expect([headers[":status"], headers.location]).toEqual([302, origin])
  })

  it("is rejected with 413 at the size limit, and the response is complete", async () => {
    expect((await post(`{"a":"${"x".repeat(1_000_000)}"}`))[":status"]).toBe(413)
  })
})
