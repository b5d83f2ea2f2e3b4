/**
 * Requests with several session cookies. The session whose authentication is checked must be the session that is read.
 * An attacker who has a victim's stale cookie sends it after a cookie of their own.
 *
 * @module
 */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { requireAuth } from "../../../lib/index.js"
import Passkey from "../../../lib/providers/passkey.js"
import { describeServer, type Handler, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { usePasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"

guardProcess()

const NAME = "authjs.session-token"
const ADA = "ada@example.com"
const EVE = "eve@example.com"
const MINUTE = 60_000
const HOUR_SECONDS = 3600

const readSessionCookie = (browser: Browser) => browser.cookie(NAME) ?? ""

async function startSite(start: Start, strategy: "jwt" | "database") {
  const time = { now: Date.now() }
  const now = () => time.now
  const [mail, adapter] = [mailbox(), MemoryAdapter({ now })]
  const session = { strategy, maxAge: HOUR_SECONDS, updateAge: HOUR_SECONDS }
  const config = { secret: TEST_SECRET, logger: recordingLogger().logger, adapter, session, clock: now }
  // Each framework has its own types for a middleware.
  const guard = requireAuth({ freshWithin: "10m", factors: 2 }) as unknown as Handler
  const app = await start(
    { ...config, providers: [mail.provider, Passkey] },
    {
      routes(server) {
        server.use("/strong", guard)
        server.use("/strong", (_, res) => res.end("in"))
      },
    },
  )
  const byMail = async (email: string) => {
    const browser = app.browser({ now })
    await askForLink(browser, email)
    await browser.get(mail.linkTo(email))
    return browser
  }
  return { app, time, adapter, byMail }
}

type Site = Awaited<ReturnType<typeof startSite>>

/** Signs the attacker in. Returns a function that confirms the session with two factors, and returns its cookie. */
async function prepareAttacker({ app, byMail }: Site) {
  const attacker = await byMail(EVE)
  const { passkey } = await passkeys.register(attacker, app.origin)
  const confirm = async () => {
    const { options } = await passkeys.optionsFor(attacker, { action: "authenticate" })
    const data = JSON.stringify(usePasskey(passkey, options, { origin: app.origin }))
    await attacker.post("/auth/callback/passkey", { action: "authenticate", data, reauthenticate: "true" })
    return readSessionCookie(attacker)
  }
  return { attacker, confirm }
}

/** Ways to end the attacker's session while its record remains. Each returns the cookie of that session. */
const ENDINGS: Readonly<Record<string, (site: Site, confirm: () => Promise<string>) => Promise<string>>> = {
  async "of a deleted user"({ adapter, time }, confirm) {
    time.now += 30 * MINUTE
    const cookie = await confirm()
    await adapter.deleteUser?.((await adapter.getUserByEmail(EVE))?.id ?? "")
    return cookie
  },
  async "that was confirmed just before its row expired"({ time }, confirm) {
    time.now += 39 * MINUTE
    const cookie = await confirm()
    time.now += 2 * MINUTE
    return cookie
  },
}

/**
 * Request headers with the attacker's session cookie before the victim's, and with the attacker's other cookies. The
 * session cookie is passed separately, because the attacker's browser may have cleared it.
 */
const bothCookies = (others: string, [first, second]: readonly [attacker: string, victim: string]) => {
  const rest = others.split("; ").filter((pair) => !pair.startsWith(`${NAME}=`))
  return { headers: { cookie: [...rest, `${NAME}=${first}`, `${NAME}=${second}`].join("; ") } }
}

describe.each(["jwt", "database"] as const)("An authentication of another session (%s)", (strategy) => {
  describeServer("in a cookie before the user's own cookie", "Express 5", (start) => {
    it.each(Object.entries(ENDINGS))("SEC-23: does not confirm the user if it is of a session %s", async (_, end) => {
      const site = await startSite(start, strategy)
      const { attacker, confirm } = await prepareAttacker(site)
      site.time.now += 20 * MINUTE
      const [victim, otherBrowser] = [await site.byMail(ADA), await site.byMail(ADA)]
      const stolen = readSessionCookie(victim)
      const attackerCookie = await end(site, confirm)
      const csrfToken = await attacker.csrf()
      const both = bothCookies(attacker.cookieHeader(), [attackerCookie, stolen])
      // The victim's session is valid, but not strong enough.
      const alone = bothCookies("", ["", stolen])
      expect(await (await attacker.clone().get("/me", alone)).json()).toMatchObject({ user: { email: ADA } })
      expect((await attacker.clone().get("/strong", both)).location).toMatch(/\/auth\/(reauthenticate|signin)\?/)
      const registration = "/auth/webauthn-options/passkey?action=register"
      expect((await attacker.clone().get(registration, both)).status).not.toBe(200)
      await attacker.clone().post("/auth/sessions", { csrfToken, do: "end-others" }, both)
      expect(await (await otherBrowser.get("/me")).json()).toMatchObject({ user: { email: ADA } })
    })
  })
})
