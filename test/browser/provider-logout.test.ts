/** Users sign out of two applications at once, by sign-out at their common provider. */
import { createServer } from "node:http"
import express, { type Express } from "express"
import type { Browser, Page } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, optionalAuth } from "../../lib/index.js"
import { configOf } from "../express/support/servers.js"
import { type Listening, listen } from "../support/listen.js"
import { type RealProvider, startRealProvider } from "../support/real-provider.js"
import { type RecordingLogger, recordingLogger } from "../support/recording-logger.js"
import { until } from "../support/wait.js"
import { describeInChromium, launch, newPerson, type Person } from "./support/chromium.js"
import { heading } from "./support/visits.js"

const CLIENT_SECRET = "a secret of the client, which has more than 32 characters"

/** An application with one page, which shows the current user. */
function createSite(clientId: string, provider: RealProvider, { logger }: RecordingLogger): Express {
  const providers = [provider.oidc({ clientId, clientSecret: CLIENT_SECRET, logout: true })]
  const strategy = clientId === "one" ? "jwt" : "database"
  const app = express()
  app.use(authMiddleware(configOf({ providers, logger, adapter: MemoryAdapter(), session: { strategy } })))
  app.get("/{*path}", optionalAuth, (req, res) => void res.send(`<h1>${req.auth?.user.name ?? "Signed out"}</h1>`))
  return app
}

describeInChromium("sign-out at a provider", () => {
  describe.each([
    { provider: "a provider that asks for confirmation", asks: true, scripts: [true, false] },
    { provider: "a provider that does not ask", asks: false, scripts: [true] },
  ])("$provider", ({ asks, scripts }) => {
    let browser: Browser
    let provider: RealProvider
    let servers: Listening[]
    let origins: [string, string]
    let person: Person
    const log = recordingLogger()

    beforeAll(async () => {
      ;[browser, provider] = await Promise.all([launch(), startRealProvider({ skipsSignOutPage: !asks })])
      const apps = ["one", "two"].map((id) => createSite(id, provider, log))
      servers = await Promise.all(apps.map((app) => listen(createServer(app))))
      // Ports share cookies, so each application has its own host.
      const [one = "", two = ""] = servers.map(({ origin }) => origin)
      origins = [one.replace("127.0.0.1", "one.localhost"), two.replace("127.0.0.1", "two.localhost")]
      const register = (id: string, origin: string, server: string) =>
        provider.addClient({
          ...{ client_id: id, client_secret: CLIENT_SECRET },
          redirect_uris: [`${origin}/auth/callback/real`],
          post_logout_redirect_uris: [`${origin}/auth/post-logout/real`],
          // The provider's server can't resolve the host.
          backchannel_logout_uri: `${server}/auth/backchannel-logout/real`,
          backchannel_logout_session_required: true,
        })
      await register("one", origins[0], one)
      await register("two", origins[1], two)
    })
    afterEach(async () => {
      await person.context.close()
      expect([person.complaints, log.records]).toEqual([[], []])
    })
    afterAll(() => Promise.all([browser.close(), provider.close(), ...servers.map((server) => server.close())]))

    async function startSignIn(page: Page, origin: string): Promise<void> {
      await page.goto(`${origin}/auth/signin?callbackUrl=/home`)
      await page.getByRole("button", { name: "Real provider" }).click()
    }

    const userOn = async (page: Page) => {
      await page.reload()
      return page.getByRole("heading", { level: 1 }).textContent()
    }

    it.each(scripts)("ends the sessions of both applications within a second, JavaScript: %s", async (js) => {
      person = await newPerson(browser, { javaScriptEnabled: js, locale: "en" })
      await person.context.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }))
      const [first, second] = [await person.newPage(), await person.newPage()]
      await startSignIn(first, origins[0])
      await first.getByRole("button", { name: "Alice" }).click()
      await heading(first, "Alice")
      // The provider does not ask again.
      await startSignIn(second, origins[1])
      await heading(second, "Alice")

      await first.goto(`${origins[0]}/auth/signout?callbackUrl=/bye`)
      await first.getByRole("main").getByRole("button", { name: "Sign out" }).click()
      if (asks) {
        await first.waitForURL((url) => url.origin === provider.issuer)
        expect(await userOn(second)).toBe("Alice")
        await first.getByRole("button", { name: "Sign out" }).click()
      }
      await first.waitForURL(`${origins[0]}/bye`)
      const returnedAt = performance.now()
      await heading(first, "Signed out")
      await until(async () => (await userOn(second)) === "Signed out")
      expect(performance.now() - returnedAt).toBeLessThan(1_000)

      await startSignIn(first, origins[0])
      await first.getByRole("button", { name: "Bob" }).click()
      await heading(first, "Bob")
    })
  })
})
