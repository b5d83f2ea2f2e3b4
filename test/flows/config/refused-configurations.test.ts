/**
 * ADV-15 and ADV-28 on every server: invalid cookie options and broken configurations are refused.
 *
 * @module
 */
import { authHandlers, authMiddleware, getSession } from "../../../lib/index.js"
import type { AuthConfig, Provider } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { deepFreeze, guardProcess } from "../support/guard.js"

guardProcess()

describeServers("ADV-28: cookie options that could inject attributes", (start, stage) => {
  const WRONG: [string, unknown, string][] = [
    ["a name with an attribute", { sessionToken: { name: "a; Domain=evil.test" } }, "sessionToken.name"],
    ["a name with a value", { sessionToken: { name: "a=b" } }, "sessionToken.name"],
    ["a name with a comma", { csrfToken: { name: "a,b=c" } }, "csrfToken.name"],
    ["a name with a line break", { callbackUrl: { name: "a\r\nSet-Cookie: x=y" } }, "callbackUrl.name"],
    ["a name with a tab", { state: { name: "a\tb" } }, "state.name"],
    ["a name with a trailing space", { nonce: { name: "a " } }, "nonce.name"],
    ["a name with a NUL", { nonce: { name: "a\0" } }, "nonce.name"],
    ["a name in quotes", { pkceCodeVerifier: { name: '"a"' } }, "pkceCodeVerifier.name"],
    ["a name with a non-ASCII character", { webauthnChallenge: { name: "s\u00e9ance" } }, "webauthnChallenge.name"],
    ["an empty name", { sessionToken: { name: "" } }, "sessionToken.name"],
    ["a name that is a list", { sessionToken: { name: ["a"] } }, "sessionToken.name"],
    [
      "a domain with an attribute",
      { sessionToken: { options: { domain: "app.test; Path=/x" } } },
      "sessionToken.options.domain",
    ],
    [
      "a domain with a line break",
      { sessionToken: { options: { domain: "app.test\nX: y" } } },
      "sessionToken.options.domain",
    ],
    ["a list of two domains", { sessionToken: { options: { domain: "app.test,evil.test" } } }, "sessionToken.options"],
    [
      "a path with an attribute",
      { sessionToken: { options: { path: "/; Domain=evil.test" } } },
      "sessionToken.options.path",
    ],
    ["a path with a line break", { sessionToken: { options: { path: "/\r\nX: y" } } }, "sessionToken.options.path"],
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
    ["a maxAge of NaN", { state: { options: { maxAge: Number.NaN } } }, "state.options"],
    ["an invalid date", { state: { options: { expires: new Date(Number.NaN) } } }, "state.options"],
    [
      "the __Host- prefix with a domain",
      { csrfToken: { name: "__Host-csrf", options: { domain: "app.test" } } },
      "csrfToken.options",
    ],
    [
      "the __Host- prefix in another case with a domain",
      { csrfToken: { name: "__hOsT-csrf", options: { domain: "app.test" } } },
      "csrfToken.options",
    ],
    [
      "the __Host- prefix with a path",
      { csrfToken: { name: "__Host-csrf", options: { path: "/auth" } } },
      "csrfToken.options",
    ],
    [
      "a domain for the CSRF cookie, whose default name has the __Host- prefix",
      { csrfToken: { options: { domain: "app.test" } } },
      "csrfToken.options",
    ],
    [
      "a path for the CSRF cookie, whose default name has the __Host- prefix",
      { csrfToken: { options: { path: "/auth" } } },
      "csrfToken.options",
    ],
    [
      "the __Secure- prefix without Secure",
      { sessionToken: { name: "__Secure-sid", options: { secure: false } } },
      "sessionToken.options",
    ],
  ]

  it.each(WRONG)("ADV-28: %s is refused at start-up", async (_, cookies, path) => {
    const { logger, text } = recordingLogger()
    const config = { ...configOf({ logger }), cookies } as AuthConfig
    if (stage !== "Auth()") {
      // Every factory is tested, although this server uses only one of them.
      for (const create of [() => start(config), async () => authHandlers(config), async () => authMiddleware(config)])
        await expect(create()).rejects.toThrow(`cookies.${path}`)
      await expect(getSession(new Request("http://app.test/"), config)).rejects.toThrow(`cookies.${path}`)
      return
    }
    const browser = (await start(config)).browser()
    for (const action of ["session", "csrf", "providers", "signin"]) {
      const page = await browser.get(`/auth/${action}`)
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
      expect([...page.headers].join() + (await page.text())).not.toMatch(/evil|X: y/)
    }
    // The log of `Auth()` names the options object instead of the invalid attribute.
    expect(text()).toContain(`cookies.${path.replace(/options\..*/, "options")}`)
  })

  it.each<[string, NonNullable<AuthConfig["cookies"]>]>([
    ["custom names", { sessionToken: { name: "shop.sid" }, csrfToken: { name: "shop.csrf" } } as never],
    ["a domain for the session", { sessionToken: { options: { domain: ".app.test" } } } as never],
    [
      "a domain for a CSRF cookie without the prefix",
      { csrfToken: { name: "csrf", options: { domain: "app.test" } } } as never,
    ],
  ])("ADV-28: accepts %s", async (_, cookies) => {
    const browser = (await start(configOf({ cookies }))).browser()
    expect((await browser.get("/auth/csrf")).status).toBe(200)
  })
})

describeServers("ADV-15: a broken configuration", (start, stage) => {
  const oidc = { id: "oidc", name: "Broken", type: "oidc", clientId: "a", clientSecret: "b" }
  const BROKEN: [string, Partial<AuthConfig>, RegExp][] = [
    ["a provider without endpoints", { providers: [oidc as Provider] }, /providers\[0\]\.issuer/],
    [
      "a provider of an unknown type",
      { providers: [{ id: "x", name: "X", type: "telepathy" } as never] },
      /providers\[0\]/,
    ],
    ["an adapter without the required methods", { adapter: {} as never }, /adapter/],
    ["database sessions without an adapter", { session: { strategy: "database" } }, /adapter|session/],
    ["an unknown session strategy", { session: { strategy: "cookie" as never } }, /session\.strategy/],
    ["a session maxAge of NaN", { session: { maxAge: Number.NaN } }, /session\.maxAge/],
  ]

  it.each(BROKEN)("ADV-15: %s yields errors instead of sessions", async (_, over, message) => {
    const { logger, records, text } = recordingLogger()
    const config = deepFreeze({ ...configOf({ logger, secret: TEST_SECRET }), ...over })
    if (stage !== "Auth()") {
      await expect(start(config)).rejects.toThrow(message)
      return
    }
    const signedIn = (await start(configOf())).browser()
    await signedIn.post("/auth/callback/credentials", {
      csrfToken: await signedIn.csrf(),
      username: "ada",
      password: "right",
    })
    const browser = (await start(config)).browser()
    for (const cookie of signedIn.jar.all()) browser.jar.put(cookie)
    for (const path of ["session", "signin", "callback/oidc?code=1", "csrf", "providers"]) {
      records.length = 0
      const page = await browser.get(`/auth/${path}`)
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
      expect(await page.text()).not.toMatch(/"user"|"expires"|csrfToken":"/)
      expect(records.filter(({ level }) => level === "error")).toHaveLength(1)
      expect(text()).toMatch(message)
    }
    // The other entry points refuse the configuration too.
    await expect(getSession(new Request("http://app.test/"), config)).rejects.toThrow(message)
    expect(() => authHandlers(config)).toThrow(message)
  })
})
