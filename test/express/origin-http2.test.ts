import type { ServerResponse } from "node:http"
import { authMiddleware } from "../../lib/index.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { http2Server } from "./support/http2.js"
import { configOf } from "./support/servers.js"

failOnUnhandled()

describe("the host of a request over HTTP/2", () => {
  const middleware = authMiddleware(configOf())
  const send = http2Server((req, res: ServerResponse & { locals?: Record<string, { signInUrl: string }> }) =>
    middleware(req, res, (error) => {
      if (error) res.writeHead(Number(Reflect.get(error, "status"))).end()
      else res.end(res.locals?.["auth"]?.signInUrl)
    }),
  )

  const originAt = async (headers: Record<string, string>) => {
    const { text } = await send({ ":path": "/auth/providers", ...headers })
    return new URL(JSON.parse(text).credentials.signinUrl).origin
  }

  it.each([
    [":authority", { ":authority": "app.test" }],
    [":authority with an equal Host", { ":authority": "app.test", host: "APP.test" }],
    ["Host without :authority", { host: "app.test" }],
  ])("SEC-06: is taken from %s", async (_name, headers) => {
    expect(await originAt(headers)).toBe("http://app.test")
  })

  it("SEC-06: is rejected if Host differs from :authority", async () => {
    const headers = { ":authority": "app.test", host: "evil.test" }
    for (const path of ["/auth/providers", "/auth/csrf", "/auth/signin"])
      expect((await send({ ":path": path, ...headers })).headers[":status"]).toBe(400)
  })
})
