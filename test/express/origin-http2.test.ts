import type { ServerResponse } from "node:http"
import { authMiddleware } from "../../lib/index.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { http2Server } from "./support/http2.js"
import { configOf } from "./support/servers.js"

failOnUnhandled()

describe("the host of a request over HTTP/2", () => {
  const middleware = authMiddleware(configOf())
  const ask = http2Server((req, res: ServerResponse & { locals?: Record<string, { signInUrl: string }> }) =>
    middleware(req, res, (error) => {
      if (error) res.writeHead(Number(Reflect.get(error, "status"))).end()
      else res.end(res.locals?.["auth"]?.signInUrl)
    }),
  )

  const originAt = async (headers: Record<string, string>) => {
    const { text } = await ask({ ":path": "/auth/providers", ...headers })
    return new URL(JSON.parse(text).credentials.signinUrl).origin
  }

  it.each([
    ["of :authority", { ":authority": "app.test" }],
    ["of an equal Host too", { ":authority": "app.test", host: "APP.test" }],
    ["of Host alone", { host: "app.test" }],
  ])("SEC-06: is that %s", async (_name, headers) => {
    expect(await originAt(headers)).toBe("http://app.test")
  })

  it("SEC-06: is refused when Host differs from :authority", async () => {
    const headers = { ":authority": "app.test", host: "evil.test" }
    for (const path of ["/auth/providers", "/auth/csrf", "/auth/signin"])
      expect((await ask({ ":path": path, ...headers })).headers[":status"]).toBe(400)
  })
})
