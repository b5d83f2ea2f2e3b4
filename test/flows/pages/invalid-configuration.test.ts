import type { AuthConfig } from "../../../lib/types.js"
import { configOf, people } from "../../express/support/servers.js"
import { recordingLogger } from "../../support/apps.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

describe("Auth() with an invalid configuration", () => {
  const request = async (path: string, over: Partial<AuthConfig>, init: RequestInit = {}) => {
    const { Auth } = await import("../../../lib/index.js")
    const log = recordingLogger()
    const config: AuthConfig = { ...configOf({ trustHost: true, basePath: "/auth", logger: log.logger }), ...over }
    return { response: await Auth(new Request(`https://authjs.test${path}`, init), config), log }
  }

  it.each([
    ["no secret", { secret: [] }, "MissingSecret"],
    ["an untrusted host", { trustHost: false }, "UntrustedHost"],
    [
      "credentials without authorize",
      { providers: [{ ...people(), authorize: undefined, options: {} } as never] },
      "MissingAuthorize",
    ],
    ["database sessions without an adapter", { session: { strategy: "database" as const } }, "UnsupportedStrategy"],
  ])("responds 500 for %s and logs the type of the error", async (_name, over, type) => {
    const { response, log } = await request("/auth/session", over)
    expect([response.status, await response.json()]).toEqual([
      500,
      { message: expect.stringMatching(/problem with the server configuration/) },
    ])
    expect(response.headers.getSetCookie()).toEqual([])
    expect(log.records.filter(({ level }) => level === "error").map(({ code }) => code)).toEqual([type])
  })

  it("responds with an HTML page to a GET and with JSON to a POST", async () => {
    for (const page of ["/auth/signin", "/auth/passkeys", "/auth/sessions"]) {
      const { response } = await request(page, { secret: [] })
      expect([response.status, response.headers.get("content-type")]).toEqual([
        500,
        expect.stringContaining("text/html"),
      ])
    }
    const posted = await request("/auth/signin", { secret: [] }, { method: "POST" })
    expect([posted.response.status, posted.response.headers.get("content-type")]).toEqual([500, "application/json"])
  })

  it("redirects to the custom error page unless that causes a redirect loop", async () => {
    const over = { secret: [], pages: { error: "/oops" } }
    const { response } = await request("/auth/signin", over)
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      "https://authjs.test/oops?error=Configuration",
    ])
    const loop = await request("/auth/signin?callbackUrl=%2Foops%2Fx", over)
    expect([loop.response.status, loop.response.headers.get("location")]).toEqual([500, null])
    expect(loop.log.records.map(({ code }) => code)).toContain("ErrorPageLoop")
  })

  it("responds 200 if providers is undefined", async () => {
    const { response } = await request("/auth/session", { providers: undefined as never })
    expect(response.status).toBe(200)
  })
})
