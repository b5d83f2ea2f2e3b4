/**
 * ADV-15 and ADV-28 on every host: a configuration that must not be served.
 *
 * @module
 */
import { authHandlers, authMiddleware, getSession } from "../../lib/index.js"
import type { AuthConfig, Provider } from "../../lib/types.js"
import { configOf } from "../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { deepFreeze, guardProcess } from "./support/guard.js"

guardProcess()

describeServers("ADV-28: cookies that carry more than they should", (start, stage) => {
  const WRONG: [string, unknown, string][] = [
    ["a name with an attribute", { sessionToken: { name: "a; Domain=evil.test" } }, "sessionToken.name"],
    ["a name with a value", { sessionToken: { name: "a=b" } }, "sessionToken.name"],
    ["a name with a comma", { csrfToken: { name: "a,b=c" } }, "csrfToken.name"],
    ["a name with a line", { callbackUrl: { name: "a\r\nSet-Cookie: x=y" } }, "callbackUrl.name"],
    ["a name with a tab", { state: { name: "a\tb" } }, "state.name"],
    ["a name with a space after it", { nonce: { name: "a " } }, "nonce.name"],
    ["a name with a NUL", { nonce: { name: "a\0" } }, "nonce.name"],
    ["a name in quotes", { pkceCodeVerifier: { name: '"a"' } }, "pkceCodeVerifier.name"],
    ["a name of another alphabet", { webauthnChallenge: { name: "s\u00e9ance" } }, "webauthnChallenge.name"],
    ["an empty name", { sessionToken: { name: "" } }, "sessionToken.name"],
    ["a name that is a list", { sessionToken: { name: ["a"] } }, "sessionToken.name"],
    [
      "a domain with an attribute",
      { sessionToken: { options: { domain: "app.test; Path=/x" } } },
      "sessionToken.options",
    ],
    ["a domain with a line", { sessionToken: { options: { domain: "app.test\nX: y" } } }, "sessionToken.options"],
    ["a domain of two", { sessionToken: { options: { domain: "app.test,evil.test" } } }, "sessionToken.options"],
    [
      "a path with an attribute",
      { sessionToken: { options: { path: "/; Domain=evil.test" } } },
      "sessionToken.options",
    ],
    ["a path with a line", { sessionToken: { options: { path: "/\r\nX: y" } } }, "sessionToken.options"],
    [
      "a sameSite with an attribute",
      { sessionToken: { options: { sameSite: "lax; Domain=evil.test" } } },
      "sessionToken.options",
    ],
    [
      "a priority with an attribute",
      { sessionToken: { options: { priority: "low; Domain=evil.test" } } },
      "sessionToken.options",
    ],
    ["a maxAge with an attribute", { state: { options: { maxAge: "60; Domain=evil.test" } } }, "state.options"],
    ["a maxAge that is no number", { state: { options: { maxAge: Number.NaN } } }, "state.options"],
    ["a time that is none", { state: { options: { expires: new Date(Number.NaN) } } }, "state.options"],
    [
      "a prefix and a domain",
      { csrfToken: { name: "__Host-csrf", options: { domain: "app.test" } } },
      "csrfToken.options",
    ],
    [
      "a prefix in other letters and a domain",
      { csrfToken: { name: "__hOsT-csrf", options: { domain: "app.test" } } },
      "csrfToken.options",
    ],
    ["a prefix and a path", { csrfToken: { name: "__Host-csrf", options: { path: "/auth" } } }, "csrfToken.options"],
    [
      "a domain for the cookie whose own name forbids it",
      { csrfToken: { options: { domain: "app.test" } } },
      "csrfToken.options",
    ],
    [
      "a path for the cookie whose own name forbids it",
      { csrfToken: { options: { path: "/auth" } } },
      "csrfToken.options",
    ],
    [
      "a prefix and no Secure",
      { sessionToken: { name: "__Secure-sid", options: { secure: false } } },
      "sessionToken.options",
    ],
  ]

  it.each(WRONG)("ADV-28: %s stops the start, and nothing is served", async (_, cookies, path) => {
    const { logger, text } = recordingLogger()
    const config = { ...configOf({ logger }), cookies } as AuthConfig
    if (stage !== "Auth()") {
      // Each factory, though one of them is the host's.
      for (const begin of [() => start(config), async () => authHandlers(config), async () => authMiddleware(config)])
        await expect(begin()).rejects.toThrow(`cookies.${path}`)
      await expect(getSession(new Request("http://app.test/"), config)).rejects.toThrow(`cookies.${path}`)
      return
    }
    const browser = (await start(config)).browser()
    for (const action of ["session", "csrf", "providers", "signin"]) {
      const page = await browser.get(`/auth/${action}`)
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
      expect([...page.headers].join() + (await page.text())).not.toMatch(/evil|X: y/)
    }
    expect(text()).toContain(`cookies.${path}`)
  })

  it.each<[string, NonNullable<AuthConfig["cookies"]>]>([
    ["names of its own", { sessionToken: { name: "shop.sid" }, csrfToken: { name: "shop.csrf" } } as never],
    ["a domain for the session", { sessionToken: { options: { domain: ".app.test" } } } as never],
    [
      "a domain for a CSRF cookie without the prefix",
      { csrfToken: { name: "csrf", options: { domain: "app.test" } } } as never,
    ],
  ])("ADV-28: an application with %s starts", async (_, cookies) => {
    const browser = (await start(configOf({ cookies }))).browser()
    expect((await browser.get("/auth/csrf")).status).toBe(200)
  })
})

describeServers("ADV-15: a configuration that can't work", (start, stage) => {
  const oidc = { id: "oidc", name: "Broken", type: "oidc", clientId: "a", clientSecret: "b" }
  const BROKEN: [string, Partial<AuthConfig>, RegExp][] = [
    ["a provider without endpoints", { providers: [oidc as Provider] }, /providers\[0\]\.issuer/],
    ["a provider of no kind", { providers: [{ id: "x", name: "X", type: "telepathy" } as never] }, /providers\[0\]/],
    ["a store that lacks what is needed", { adapter: {} as never }, /adapter/],
    ["sessions in a store that there is not", { session: { strategy: "database" } }, /adapter|session/],
    ["a strategy of no kind", { session: { strategy: "cookie" as never } }, /session\.strategy/],
    ["an age that is none", { session: { maxAge: Number.NaN } }, /session\.maxAge/],
  ]

  it.each(BROKEN)("ADV-15: by %s lets nobody in", async (_, over, said) => {
    const { logger, records, text } = recordingLogger()
    const config = deepFreeze({ ...configOf({ logger, secret: TEST_SECRET }), ...over })
    if (stage !== "Auth()") {
      await expect(start(config)).rejects.toThrow(said)
      return
    }
    const good = (await start(configOf())).browser()
    await good.post("/auth/callback/credentials", { csrfToken: await good.csrf(), username: "ada", password: "right" })
    const browser = (await start(config)).browser()
    for (const cookie of good.jar.all()) browser.jar.put(cookie)
    for (const path of ["session", "signin", "callback/oidc?code=1", "csrf", "providers"]) {
      records.length = 0
      const page = await browser.get(`/auth/${path}`)
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
      expect(await page.text()).not.toMatch(/"user"|"expires"|csrfToken":"/)
      expect(records.filter(({ level }) => level === "error")).toHaveLength(1)
      expect(text()).toMatch(said)
    }
    // Nor does another way in.
    await expect(getSession(new Request("http://app.test/"), config)).rejects.toThrow(said)
    expect(() => authHandlers(config)).toThrow(said)
  })
})
