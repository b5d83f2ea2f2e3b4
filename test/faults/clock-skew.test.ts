import { expectRefused } from "../flows/support/expect-refused.js"
import { guardProcess } from "../flows/support/guard.js"
import { sessionOf, signIn, startSite } from "../flows/support/site.js"
import { describeServer } from "../support/apps.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

/** The offsets of the two clocks from the true time, in seconds. */
interface Clocks {
  readonly provider: number
  readonly application: number
}

const createClock =
  ({ application }: Clocks) =>
  () =>
    Date.now() + application * 1000

const CLOSE: readonly Clocks[] = [
  { provider: 30, application: 0 },
  { provider: -30, application: 0 },
  { provider: 0, application: 30 },
  { provider: 0, application: -30 },
  { provider: 15, application: -15 },
  // Both clocks are wrong by the same amount.
  { provider: 300, application: 300 },
  { provider: -300, application: -300 },
  { provider: 3 * 86_400, application: 3 * 86_400 },
]

const AHEAD: readonly Clocks[] = [
  { provider: 300, application: 0 },
  { provider: 0, application: -300 },
  { provider: 150, application: -150 },
]

const BEHIND: readonly Clocks[] = [
  { provider: -300, application: 0 },
  { provider: 0, application: 300 },
  { provider: -150, application: 150 },
]

/** Gives the provider's id_tokens a lifetime in seconds. */
const withLifetime =
  (seconds: number): NonNullable<ProviderMode["claims"]> =>
  (claims) => ({ ...claims, exp: Number(claims["iat"]) + seconds })

describeServer("FLT-13: clock skew", "Auth()", (start, stage) => {
  /** At startup, the provider's clock equals the application's. */
  const createSite = (clocks: Clocks) =>
    startSite(
      { start, stage, op },
      { mode: { clockOffsetSeconds: clocks.application }, config: { clock: createClock(clocks) } },
    )

  it.each(CLOSE)(
    "sign-in works with offsets of $provider s (provider) and $application s (application)",
    async (clocks) => {
      const site = await createSite(clocks)
      op.set({ clockOffsetSeconds: clocks.provider })
      const browser = site.app.browser({ now: createClock(clocks) })
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
      expect(site.failures()).toEqual([])
    },
  )

  it.each(AHEAD)(
    "an id_token from the future is rejected with offsets of $provider s (provider) and $application s (application)",
    async (clocks) =>
      expectRefused(await createSite(clocks), {
        mode: { clockOffsetSeconds: clocks.provider },
        reason: /from the future: compare the clocks/,
      }),
  )

  // The age of an id_token alone is not checked: OpenID Connect Core §3.1.3.7 (10) leaves the range to the client.
  it.each(BEHIND)(
    "an id_token that lives four minutes is rejected as expired with offsets of $provider s (provider) and $application s (application)",
    async (clocks) =>
      expectRefused(await createSite(clocks), {
        mode: { clockOffsetSeconds: clocks.provider, claims: withLifetime(240) },
        reason: /"exp".*expiration is past/,
      }),
  )
})
