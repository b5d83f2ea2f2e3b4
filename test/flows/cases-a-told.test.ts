import { inspect } from "node:util"
import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { comeBack, expectNoSecret, goAndAgree, param, type SiteOptions, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

/** Holds what `console` is told during a test. */
function listenToConsole() {
  const said: unknown[][] = []
  const levels = ["log", "info", "warn", "error", "debug"] as const
  const spies = levels.map((level) => jest.spyOn(console, level).mockImplementation((...args) => void said.push(args)))
  return {
    text: () =>
      said
        .map((args) => args.map((arg) => (typeof arg === "string" ? arg : inspect(arg, { depth: 9 }))).join(" "))
        .join("\n"),
    stop() {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

describeServers("an attack that others fell to", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("ADV-16: names no secret in the log when the client is refused, at debug level either", async () => {
    const fault = { token: { status: 401, body: { error: "invalid_client" } } }
    const one = await site({ config: { debug: true } })
    await expectRefused(one, { mode: { fault }, reason: /invalid_client/ })
    expectNoSecret(one, one.logText())
  })

  it("ADV-16: names none when the provider repeats what it was sent", async () => {
    // What a careless server puts into its answer: the whole request.
    const one = await site()
    const attempt = async (browser: Browser) => {
      const back = await goAndAgree(browser, op)
      const body = {
        error: "invalid_grant",
        error_description: `${param(back, "code")} of ${param(back, "state")} is spent`,
        code: param(back, "code"),
      }
      op.set({ fault: { token: { status: 400, body } } })
      return comeBack(browser, op, back)
    }
    await expectRefused(one, { attempt, reason: /invalid_grant/ })
  })

  it("ADV-16: prints none on the console, where there is no logger", async () => {
    const ear = listenToConsole()
    try {
      const one = await site({ logs: "to the console", config: { debug: true } })
      await signIn(one.app.browser(), op)
      op.set({ fault: { token: { status: 401, body: { error: "invalid_client" } } } })
      await signIn(one.app.browser(), op)
      expect(ear.text()).toContain("invalid_client")
      expectNoSecret(one, ear.text())
    } finally {
      ear.stop()
    }
  })

  it.each(["text", "a page"])("ADV-31: shows nothing of what the answer says went wrong, be it %s", async (kind) => {
    const evil = kind === "text" ? "<svg onload=alert(1)>" : "<script>alert(1)</script>\r\nSet-Cookie: a=b"
    const one = await site()
    const attempt = async (browser: Browser) => {
      const authorizationResponse = ({ state }: Claims) => ({
        state,
        error: evil,
        error_description: evil,
        error_hint: evil,
        error_uri: "https://evil.test",
      })
      op.set({ authorizationResponse })
      const page = await signIn(browser, op)
      const shown = await browser.get(page.location)
      const html = await shown.text()
      for (const text of [page.location, html, page.headers.getSetCookie().join()]) {
        expect(decodeURIComponent(text.replaceAll("%", "%25"))).not.toContain("onload")
        expect(text).not.toMatch(/alert\(|evil/)
      }
      return page
    }
    await expectRefused(one, { attempt, reason: /the provider answered/ })
    // One line per record, control characters written out.
    const ear = listenToConsole()
    const plain = await site({ logs: "to the console" })
    op.set({
      authorizationResponse: ({ state }: Claims) => ({
        state,
        error: "x",
        error_description: "a\r\n[latchkey][error] forged",
      }),
    })
    await signIn(plain.app.browser(), op)
    ear.stop()
    expect(ear.text()).toContain("forged")
    expect(ear.text()).not.toMatch(/^\[latchkey\]\[error\] forged/m)
  })

  it("ADV-31: shows nothing of a made-up error page's address", async () => {
    const { app } = await site()
    for (const path of ["/auth/error", "/auth/signin"]) {
      const html = await (
        await app.browser().get(`${path}?error=<svg onload=alert(1)>&error_description=<b>evil`)
      ).text()
      expect(html).not.toMatch(/onload|evil|alert\(/)
    }
  })
})
