import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import type { NodeRequest } from "../../lib/express/node.js"
import { toHeaders, toWebRequest } from "../../lib/express/web-request.js"
import { shortestDuration } from "../support/shortest-duration.js"

const parseHeaders = (rawHeaders: string[]) => toHeaders({ rawHeaders } as NodeRequest)

it("toHeaders joins Cookie headers by semicolons and other headers by commas", () => {
  const headers = parseHeaders(["Cookie", "a=1", "X-A", "1", "cookie", "b=2; c=3", "x-a", "2", ":path", "/"])
  expect([...headers]).toEqual([
    ["cookie", "a=1; b=2; c=3"],
    ["x-a", "1, 2"],
  ])
})

it.each(["Cookie", "X-Forwarded-For", "Sec-Fetch-Site"])(
  "SEC-07: toHeaders reads 20,000 %s headers in linear time",
  async (name) => {
    const rawHeaders = Array.from({ length: 20_000 }, (_, i) => [name, `name${i}=value`]).flat()
    expect(parseHeaders(rawHeaders).get(name)).toContain("name19999=value")
    expect(await shortestDuration(() => parseHeaders(rawHeaders).get(name))).toBeLessThan(200)
  },
)

describe("toWebRequest", () => {
  const server = createServer()
  let socket: Socket
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"))
  afterEach(() => socket.destroy())
  afterAll(() => void server.close())

  /** The Node request and the web request that the server receives if a client sends this text. */
  async function receive(text: string): Promise<{ req: IncomingMessage; request: Request }> {
    const received = once(server, "request")
    socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    socket.write(text)
    const [req] = await received
    return { req, request: toWebRequest(req, "https://app.test", "/auth/x?a=1&a=2").request }
  }
  const head = (method: string, length: number) =>
    `${method} /auth/x HTTP/1.1\r\nHost: app.test\r\nContent-Length: ${length}\r\n\r\n`

  it.each([
    ["GET", ""],
    ["POST", "a=1&b=2"],
    ["PUT", ""],
    ["DELETE", ""],
  ])("creates an instance of Request with the public URL; only POST has a body: %s", async (method, body) => {
    const { request } = await receive(`${head(method, 7)}a=1&b=2`)
    expect(request).toBeInstanceOf(Request)
    expect([request.method, request.url, await request.text()]).toEqual([
      method,
      "https://app.test/auth/x?a=1&a=2",
      body,
    ])
  })

  it("does not read the body before a reader asks for it", async () => {
    const { req, request } = await receive(`${head("POST", 7)}a=1&b=2`)
    await new Promise(setImmediate)
    expect(req.readableDidRead).toBe(false)
    await request.text()
    expect(req.readableEnded).toBe(true)
  })

  it("discards the rest of the body if the reader stops", async () => {
    const { req, request } = await receive(`${head("POST", 7)}a=1`)
    const reader = request.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    socket.write("&b=2")
    await once(req, "end")
    expect(req.complete).toBe(true)
  })

  it("fails to read the body if the client closes the connection", async () => {
    const { request } = await receive(`${head("POST", 7)}a=1`)
    const reading = request.text()
    socket.destroy()
    await expect(reading).rejects.toThrow("aborted")
  })
})
