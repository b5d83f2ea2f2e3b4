/** Confirmations and renewals of one session at once. */
import { createCookieSet } from "../../lib/http/cookies.js"
import { createRuntime } from "../../lib/runtime/runtime.js"
import type { SessionCookies } from "../../lib/sessions/session.js"
import { configOf } from "../express/support/servers.js"
import { describeStores, type Store } from "../support/stores.js"
import { always, CROWD, eachRound, TIMEOUT_MS, times } from "./support/races.js"

const NAME = "authjs.session-token"
const TWO_DAYS_MS = 2 * 24 * 3_600_000

describeStores("50 confirmations and 50 renewals of one session", (kind: Store) => {
  it.each(["jwt", "database"] as const)(
    "keep the latest authentication and all methods (%s)",
    async (strategy) => {
      const time = { now: Date.now() }
      const { adapter, close } = await kind.create({ now: () => time.now })
      const config = { adapter, session: { strategy }, clock: () => time.now }
      const processes = times(2, () => createRuntime(configOf(config), {}).sessions)
      const processOf = (index: number) => processes[index % 2] as (typeof processes)[number]
      const outcomes = await eachRound(async (round) => {
        const { id: owner } = await adapter.createUser({
          id: "",
          email: `ada-${round}@example.com`,
          emailVerified: null,
        })
        const signedIn = {
          user: { id: owner },
          account: { provider: "p", providerAccountId: "1", type: "oidc" as const },
        }
        const opened = { owner, provider: "p", method: "oidc" }
        const empty: SessionCookies = { cookies: {}, cookieSet: createCookieSet(false) }
        const authentication = { ...opened, id: String(round).padStart(22, "s"), amr: ["pwd"], authTime: 1 }
        const { cookies } = await processOf(0).create({ ...signedIn, authentication }, empty)
        const value = cookies.flatMap((change) => ("put" in change ? [change.value] : [])).join("")
        const browser: SessionCookies = { ...empty, cookies: { [NAME]: value } }
        time.now += TWO_DAYS_MS
        const confirm = (index: number) =>
          processOf(index).recordReauthentication(browser, {
            ...authentication,
            amr: [`m${index}`],
            authTime: 1_000 + index,
          })
        const renew = (index: number) => processOf(index).read(browser, { mode: "read" })
        await Promise.all(times(CROWD, (index) => [confirm(index), renew(index)]).flat())
        const found = await processOf(1).authentication(browser)
        return [found?.id === authentication.id, found?.authTime, found?.amr.length]
      })
      expect(outcomes).toEqual(always([true, 1_000 + CROWD - 1, CROWD + 1]))
      await close()
    },
    TIMEOUT_MS,
  )
})
