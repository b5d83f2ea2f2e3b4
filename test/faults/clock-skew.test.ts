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

/** How far the clocks are from the true time, in seconds. */
interface Clocks {
  readonly provider: number
  readonly application: number
}

const clockOf =
  ({ application }: Clocks) =>
  () =>
    Date.now() + application * 1000

const CLOSE: readonly Clocks[] = [
  { provider: 30, application: 0 },
  { provider: -30, application: 0 },
  { provider: 0, application: 30 },
  { provider: 0, application: -30 },
  { provider: 15, application: -15 },
  // Both wrong, and in agreement.
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

/** A provider whose tokens are good for so long alone. */
const livingFor =
  (seconds: number): NonNullable<ProviderMode["claims"]> =>
  (claims) => ({ ...claims, exp: Number(claims["iat"]) + seconds })

describeServer("FLT-13: the clocks", "Auth()", (start, stage) => {
  /** While nothing is wrong the provider's clock is the application's. */
  const site = (clocks: Clocks) =>
    startSite(
      { start, stage, op },
      { mode: { clockOffsetSeconds: clocks.application }, config: { clock: clockOf(clocks) } },
    )

  it.each(CLOSE)("of provider ($provider s) and application ($application s) are near enough", async (clocks) => {
    const one = await site(clocks)
    op.set({ clockOffsetSeconds: clocks.provider })
    const browser = one.app.browser({ now: clockOf(clocks) })
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(one.failures()).toEqual([])
  })

  it.each(AHEAD)("are too far apart: the provider's $provider s, ours $application s", async (clocks) =>
    expectRefused(await site(clocks), {
      mode: { clockOffsetSeconds: clocks.provider },
      reason: /from the future: compare the clocks/,
    }),
  )

  // Its age alone says nothing: how long ago a token may have been made is no one's rule (Core §3.1.3.7, 10).
  it.each(BEHIND)("are too far apart for a token of four minutes: $provider s and $application s", async (clocks) =>
    expectRefused(await site(clocks), {
      mode: { clockOffsetSeconds: clocks.provider, claims: livingFor(240) },
      reason: /"exp".*expiration is past/,
    }),
  )
})
