/**
 * Providers that hang or respond slowly. The scenarios start one after the other, each when the previous one is waiting
 * for its hanging request, and then wait concurrently. The file takes about as long as one deadline.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, type StageName, type Start } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../../support/faulty-provider.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import {
  expectNoSecret,
  flowCookies,
  openCallback,
  param,
  type Site,
  sessionOf,
  signIn,
  startSite,
} from "../support/site.js"

guardProcess()

/** The timeout, counted in timers of this process: on a stalled machine, the timers of the library are late too. */
const TIMEOUT_TURNS = 100
const TURN_MS = 100

/** Returns the page, or throws when the timeout is over. */
async function withTimeout(page: Promise<Page>): Promise<Page> {
  const isOver = new AbortController()
  const late = async () => {
    for (let turn = 0; turn < TIMEOUT_TURNS; turn++) await pause(TURN_MS, undefined, { signal: isOver.signal })
    throw new Error(`no answer within ${(TIMEOUT_TURNS * TURN_MS) / 1000} s`)
  }
  return Promise.race([page, late()]).finally(() => isOver.abort())
}

const never = () => new Promise<never>(() => {})

interface Scenario {
  name: string
  /** Set before the sign-in starts. */
  mode?: ProviderMode
  providers?: (op: FaultyProvider) => AuthConfig["providers"]
  /** The endpoint that hangs. Its request must be aborted. */
  endpoint?: "discovery" | "token" | "userinfo" | "jwks"
  /** The sign-in fails before the redirect to the provider. */
  failsAtStart?: boolean
}

const fromUserinfo: Scenario["providers"] = (op) => [op.oidc({ idToken: false })]

const SCENARIOS: readonly Scenario[] = [
  { name: "FLT-02: a token endpoint that hangs", mode: { fault: { token: "hang" } }, endpoint: "token" },
  {
    name: "FLT-02: a userinfo endpoint that hangs",
    mode: { fault: { userinfo: "hang" } },
    endpoint: "userinfo",
    providers: fromUserinfo,
  },
  {
    name: "FLT-03: discovery that hangs",
    mode: { fault: { discovery: "hang" } },
    endpoint: "discovery",
    failsAtStart: true,
  },
  { name: "FLT-03: a JWKS that hangs", mode: { fault: { jwks: "hang" } }, endpoint: "jwks" },
  {
    name: "FLT-04: a token endpoint that responds byte by byte",
    mode: { fault: { token: "drip" } },
    endpoint: "token",
  },
  {
    name: "FLT-04: a userinfo endpoint that responds byte by byte",
    mode: { fault: { userinfo: "drip" } },
    endpoint: "userinfo",
    providers: fromUserinfo,
  },
  {
    name: "FLT-04: discovery that responds byte by byte",
    mode: { fault: { discovery: "drip" } },
    endpoint: "discovery",
    failsAtStart: true,
  },
  { name: "FLT-04: a JWKS that arrives byte by byte", mode: { fault: { jwks: "drip" } }, endpoint: "jwks" },
  {
    name: "FLT-04: a slow token endpoint and then a JWKS that hangs",
    mode: { fault: { token: { delayMs: 5000 }, jwks: "hang" } },
  },
  {
    name: "FLT-02: a custom token request that never resolves",
    providers: (op) => [op.oidc({ token: { request: never } })],
  },
  {
    name: "FLT-02: a custom userinfo request that never resolves",
    providers: (op) => [op.oidc({ idToken: false, userinfo: { request: never } })],
  },
  {
    name: "FLT-02: a profile callback that never resolves",
    providers: (op) => [op.oidc({ profile: never })],
  },
]

interface Target {
  start: Start
  stage: StageName
}

interface Outcome {
  site: Site
  page: Page
  cookies: number
  session: unknown
}

interface Prepared {
  readonly run: () => Promise<Outcome>
  /** True if the hanging request was sent. */
  readonly isWaiting: () => boolean
}

/** Prepares a sign-in up to the request that hangs. */
async function prepare({ start, stage }: Target, scenario: Scenario): Promise<Prepared> {
  const op = await startFaultyProvider()
  const site = await startSite({ start, stage, op }, { providers: scenario.providers?.(op) ?? [op.oidc()] })
  op.set(scenario.mode ?? {})
  const browser = site.app.browser()
  const csrfToken = await browser.csrf()
  const startSignIn = () => browser.post("/auth/signin/oidc", { csrfToken, callbackUrl: "/cart" })
  const back = scenario.failsAtStart ? undefined : await op.authorize((await startSignIn()).location)
  async function run(): Promise<Outcome> {
    const page = await withTimeout(back === undefined ? startSignIn() : openCallback(browser, op, back))
    return { site, page, cookies: flowCookies(browser).length, session: await sessionOf(browser) }
  }
  const { endpoint } = scenario
  return { run, isWaiting: () => endpoint === undefined || op.count(endpoint) > 0 }
}

/** All scenarios on two of the servers, the first scenario of each case on the others. */
const scenariosOf = (stage: StageName) =>
  stage === "Auth()" || stage === "Express 5"
    ? SCENARIOS
    : ["FLT-02", "FLT-03", "FLT-04"].flatMap((id) => SCENARIOS.find(({ name }) => name.startsWith(id)) ?? [])
const outcomes = new Map<string, Promise<Outcome>>()
const targets: Target[] = []

beforeAll(async () => {
  const prepared = new Map<string, Prepared>()
  for (const target of targets)
    for (const scenario of scenariosOf(target.stage))
      prepared.set(target.stage + scenario.name, await prepare(target, scenario))
  for (const [name, { run, isWaiting }] of prepared) {
    const outcome = run()
    outcomes.set(name, outcome)
    // The test of the scenario reports a failure.
    await Promise.race([until(isWaiting), outcome]).catch(() => {})
  }
}, 60_000)
afterAll(async () => {
  for (const outcome of outcomes.values())
    await outcome.then(
      ({ site }) => site.op.close(),
      () => {},
    )
})

describeServers("slow provider", (start, stage) => {
  targets.push({ start, stage })

  it.each(scenariosOf(stage))(
    "$name: redirects to the sign-in page in time",
    async ({ name, endpoint }) => {
      const outcome = await outcomes.get(stage + name)
      if (!outcome) throw new Error("not started")
      const { site, page, cookies, session } = outcome
      expect([page.status, new URL(page.location).pathname]).toEqual([302, "/auth/signin"])
      expect(param(page.location, "error")).toBe("OAuthCallbackError")
      expect(param(page.location, "callbackUrl")).toBe(`${site.app.origin}/cart`)
      expect([cookies, session]).toEqual([0, null])
      expect(site.failures()).toHaveLength(1)
      expect(Object(site.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
      expect(site.logText()).toMatch(/(in time|within 8 s)/)
      expectNoSecret(site, site.logText())
      expect(site.events).toEqual([])
      if (endpoint) await until(() => site.op.last(endpoint).isAborted)
    },
    30_000,
  )
})

describeServers("provider that hangs after its metadata was cached", (start, stage) => {
  it("FLT-03: signs in with the cached metadata and keys", async () => {
    let now = Date.now()
    const op = await startFaultyProvider()
    const site = await startSite({ start, stage, op }, { config: { clock: () => now } })
    await signIn(site.app.browser(), op)
    now += 60 * 60 * 1000 + 1000
    op.set({ clockOffsetSeconds: 3601, fault: { discovery: "hang", jwks: "drip" } })
    const browser = site.app.browser()
    await withTimeout(signIn(browser, op))
    expect(await sessionOf(browser)).not.toBeNull()
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([2, 2])
    await op.close()
  })
})
