import { inspect } from "node:util"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { Claims } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import {
  expectNoSecret,
  openCallback,
  param,
  type SiteOptions,
  signIn,
  startAndApprove,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

/** Records the calls of `console` during a test. */
function recordConsole() {
  const calls: unknown[][] = []
  const levels = ["log", "info", "warn", "error", "debug"] as const
  const spies = levels.map((level) => jest.spyOn(console, level).mockImplementation((...args) => void calls.push(args)))
  return {
    text: () =>
      calls
        .map((args) => args.map((arg) => (typeof arg === "string" ? arg : inspect(arg, { depth: 9 }))).join(" "))
        .join("\n"),
    stop() {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

describeServers("Secrets and attacker-controlled text", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("ADV-16: no secret is logged if the provider refuses the client, even at debug level", async () => {
    const fault = { token: { status: 401, body: { error: "invalid_client" } } }
    const site = await createSite({ config: { debug: true } })
    await expectRefused(site, { mode: { fault }, reason: /invalid_client/ })
    expectNoSecret(site, site.logText())
  })

  it("ADV-16: no secret is logged if the provider repeats the request in its error", async () => {
    // Some servers put the whole request into the error response.
    const site = await createSite()
    const attempt = async (browser: Browser) => {
      const back = await startAndApprove(browser, op)
      const body = {
        error: "invalid_grant",
        error_description: `${param(back, "code")} of ${param(back, "state")} is spent`,
        code: param(back, "code"),
      }
      op.set({ fault: { token: { status: 400, body } } })
      return openCallback(browser, op, back)
    }
    await expectRefused(site, { attempt, reason: /invalid_grant/ })
  })

  it("ADV-16: no secret is printed on the console without a logger", async () => {
    const output = recordConsole()
    try {
      const site = await createSite({ logs: "to the console", config: { debug: true } })
      await signIn(site.app.browser(), op)
      op.set({ fault: { token: { status: 401, body: { error: "invalid_client" } } } })
      await signIn(site.app.browser(), op)
      expect(output.text()).toContain("invalid_client")
      expectNoSecret(site, output.text())
    } finally {
      output.stop()
    }
  })

  it.each(["text", "a page"])(
    "ADV-31: the provider's error parameters do not appear in pages or headers: %s",
    async (kind) => {
      const evil = kind === "text" ? "<svg onload=alert(1)>" : "<script>alert(1)</script>\r\nSet-Cookie: a=b"
      const site = await createSite()
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
        const errorPage = await browser.get(page.location)
        const html = await errorPage.text()
        for (const text of [page.location, html, page.headers.getSetCookie().join()]) {
          expect(decodeURIComponent(text.replaceAll("%", "%25"))).not.toContain("onload")
          expect(text).not.toMatch(/alert\(|evil/)
        }
        return page
      }
      await expectRefused(site, { attempt, reason: /the provider answered/ })
      // Each record is one line: control characters are escaped.
      const output = recordConsole()
      const plain = await createSite({ logs: "to the console" })
      op.set({
        authorizationResponse: ({ state }: Claims) => ({
          state,
          error: "x",
          error_description: "a\r\n[latchkey][error] forged",
        }),
      })
      await signIn(plain.app.browser(), op)
      output.stop()
      expect(output.text()).toContain("forged")
      expect(output.text()).not.toMatch(/^\[latchkey\]\[error\] forged/m)
    },
  )

  it("ADV-31: query parameters of the error page do not appear in it", async () => {
    const { app } = await createSite()
    for (const path of ["/auth/error", "/auth/signin"]) {
      const html = await (
        await app.browser().get(`${path}?error=<svg onload=alert(1)>&error_description=<b>evil`)
      ).text()
      expect(html).not.toMatch(/onload|evil|alert\(/)
    }
  })
})
