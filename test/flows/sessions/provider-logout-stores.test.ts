/**
 * Logout at the provider on every kind of store, with the longest id_token that is stored.
 *
 * @module
 */
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, type RunningApp, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { param, sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const MAX_LENGTH = 6_000

describeStores("logout at the provider", (kind) => {
  describeServer(kind.name, "Express 5", (start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    /** Starts two applications that share one adapter, like two processes. */
    async function startSites(strategy: "jwt" | "database"): Promise<[RunningApp, RunningApp]> {
      const { logger } = recordingLogger()
      const providers = [op.oidc({ logout: "https://op.test/end" })]
      const config: AuthConfig = {
        providers,
        logger,
        secret: TEST_SECRET,
        adapter: store.adapter,
        session: { strategy },
      }
      return [await start({ ...config }), await start({ ...config })]
    }

    /** Signs in with an id_token of a length between 5,900 and 6,000. */
    async function signInWithLongToken(browser: Browser): Promise<string> {
      let idToken = ""
      op.set({
        claims: (claims) => ({ ...claims, padding: "p".repeat(3_840) }),
        token(json) {
          idToken = String(json["id_token"])
          return json
        },
      })
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
      expect(idToken.length).toBeGreaterThan(MAX_LENGTH - 100)
      expect(idToken.length).toBeLessThanOrEqual(MAX_LENGTH)
      return idToken
    }

    it.each(["jwt", "database"] as const)(
      "sends the id_token of another process, with strategy %s",
      async (strategy) => {
        const [one, two] = await startSites(strategy)
        const first = one.browser()
        const idToken = await signInWithLongToken(first)
        const browser = two.browser()
        for (const { name, value } of first.cookies()) browser.setCookie(name, value)
        const twin = browser.clone()
        const { location } = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
        expect([new URL(location).host, param(location, "id_token_hint")]).toEqual(["op.test", idToken])
        expect(await sessionOf(twin)).toBeNull()
        // The session has ended, and its id_token is deleted.
        const again = await twin.post("/auth/signout", { csrfToken: await twin.csrf() })
        expect(again.location).toBe(`${two.origin}/`)
      },
    )
  })
})
