/** FLT-05: the size limit of provider responses. */
import { setTimeout as pause } from "node:timers/promises"
import { describeServers } from "../../support/apps.js"
import { startFaultyProvider } from "../../support/faulty-provider.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { begin, openCallback, startSite } from "../support/site.js"

guardProcess()

const residentMb = () => process.memoryUsage().rss / 1e6

describeServers("FLT-05: a provider response of 64 MB", (start, stage) => {
  const endpoints = ["token", "userinfo", "discovery", "jwks"] as const
  it.each(stage === "Auth()" || stage === "Express 5" ? endpoints : endpoints.slice(0, 1))(
    "is aborted before it fills the memory (%s)",
    async (endpoint) => {
      const op = await startFaultyProvider()
      const fault = { [endpoint]: "huge" } as const
      const attempt = async () => {
        const site = await startSite(
          { start, stage, op },
          { providers: [op.oidc({ idToken: false })], mode: { fault } },
        )
        const browser = site.app.browser()
        const first = await begin(browser)
        const page =
          endpoint === "discovery" ? first : await openCallback(browser, op, await op.authorize(first.location))
        expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect(site.logText()).toContain("larger than 1000000 bytes")
        expect(site.failures()).toHaveLength(1)
        await until(() => op.last(endpoint).isAborted)
      }
      // Warm up, so that loading and compiling code does not count as growth.
      await attempt()
      const growths: number[] = []
      for (let i = 0; i < 3; i++) {
        const before = residentMb()
        let peak = before
        let isDone = false
        const watch = (async () => {
          while (!isDone) {
            peak = Math.max(peak, residentMb())
            await pause(5)
          }
        })()
        await attempt()
        isDone = true
        await watch
        growths.push(peak - before)
      }
      // The smallest of three, because garbage collection runs at unpredictable times.
      expect(Math.min(...growths)).toBeLessThan(10)
      await op.close()
    },
  )
})
