/**
 * FLT-05: an answer that is larger than any memory.
 */
import { setTimeout as pause } from "node:timers/promises"
import { describeServers } from "../support/apps.js"
import { startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { guardProcess } from "./support/guard.js"
import { begin, comeBack, startSite } from "./support/site.js"

guardProcess()

const residentMb = () => process.memoryUsage().rss / 1e6

describeServers("FLT-05: an answer of 64 MB", (start, stage) => {
  const everywhere = ["token", "userinfo", "discovery", "jwks"] as const
  it.each(stage === "Auth()" || stage === "Express 5" ? everywhere : everywhere.slice(0, 1))(
    "is cut off at %s, long before there is no room left",
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
        const page = endpoint === "discovery" ? first : await comeBack(browser, op, await op.authorize(first.location))
        expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect(site.logText()).toContain("larger than 1000000 bytes")
        expect(site.failures()).toHaveLength(1)
        await until(() => op.last(endpoint).isAborted)
      }
      // What is loaded and compiled on the way does not count.
      await attempt()
      const growths: number[] = []
      for (let i = 0; i < 3; i++) {
        const before = residentMb()
        let most = before
        let isOver = false
        const watch = (async () => {
          while (!isOver) {
            most = Math.max(most, residentMb())
            await pause(5)
          }
        })()
        await attempt()
        isOver = true
        await watch
        growths.push(most - before)
      }
      // The least of three: a garbage collector chooses its own moments.
      expect(Math.min(...growths)).toBeLessThan(10)
      await op.close()
    },
  )
})
