/**
 * What takes its time: the scenarios are begun one after the other, each as soon as the one before it waits for what
 * does not come, and then they wait together. So the file takes about as long as one deadline, and none spends it on the
 * others' work.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, type StageName, type Start } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { guardProcess } from "./support/guard.js"
import {
  comeBack,
  expectNoSecret,
  flowCookies,
  param,
  type Site,
  sessionOf,
  signIn,
  startSite,
} from "./support/site.js"

guardProcess()

/** How long anybody waits, in turns of this process: while a loaded machine gives it none, no timer goes off, the library's neither. */
const PATIENCE_TURNS = 100
const TURN_MS = 100

/** The page, or "too late" where it has not come in that many turns. */
async function inTime(page: Promise<Page>): Promise<Page> {
  const isOver = new AbortController()
  const late = async () => {
    for (let turn = 0; turn < PATIENCE_TURNS; turn++) await pause(TURN_MS, undefined, { signal: isOver.signal })
    throw new Error(`no answer within ${(PATIENCE_TURNS * TURN_MS) / 1000} s`)
  }
  return Promise.race([page, late()]).finally(() => isOver.abort())
}

const never = () => new Promise<never>(() => {})

interface Scenario {
  name: string
  /** From the beginning of the attempt. */
  mode?: ProviderMode
  providers?: (op: FaultyProvider) => AuthConfig["providers"]
  /** What hangs, and must be let go. */
  endpoint?: "discovery" | "token" | "userinfo" | "jwks"
  /** The attempt does not get as far as the provider. */
  isBeginning?: boolean
  says?: RegExp
}

// The call says which it was; on a stalled machine the whole is over first.
const LATE = /within 8 s/
const fromUserinfo: Scenario["providers"] = (op) => [op.oidc({ idToken: false })]

const SCENARIOS: readonly Scenario[] = [
  { name: "FLT-02: a token endpoint that hangs", mode: { fault: { token: "hang" } }, endpoint: "token" },
  {
    name: "FLT-02: a userinfo that hangs",
    mode: { fault: { userinfo: "hang" } },
    endpoint: "userinfo",
    providers: fromUserinfo,
  },
  {
    name: "FLT-03: discovery that hangs",
    mode: { fault: { discovery: "hang" } },
    endpoint: "discovery",
    isBeginning: true,
  },
  { name: "FLT-03: a JWKS that hangs", mode: { fault: { jwks: "hang" } }, endpoint: "jwks" },
  { name: "FLT-04: a token endpoint that drips", mode: { fault: { token: "drip" } }, endpoint: "token" },
  {
    name: "FLT-04: a userinfo that drips",
    mode: { fault: { userinfo: "drip" } },
    endpoint: "userinfo",
    providers: fromUserinfo,
  },
  {
    name: "FLT-04: discovery that drips",
    mode: { fault: { discovery: "drip" } },
    endpoint: "discovery",
    isBeginning: true,
  },
  { name: "FLT-04: a JWKS that drips", mode: { fault: { jwks: "drip" } }, endpoint: "jwks" },
  {
    name: "FLT-04: a slow token endpoint and then a JWKS that hangs",
    mode: { fault: { token: { delayMs: 5000 }, jwks: "hang" } },
    says: /within 8 s/,
  },
  {
    name: "FLT-02: a provider's own token request that never ends",
    providers: (op) => [op.oidc({ token: { request: never } })],
    says: /within 8 s/,
  },
  {
    name: "FLT-02: a provider's own userinfo request that never ends",
    providers: (op) => [op.oidc({ idToken: false, userinfo: { request: never } })],
    says: /within 8 s/,
  },
  {
    name: "FLT-02: a profile function that never ends",
    providers: (op) => [op.oidc({ profile: never })],
    says: /within 8 s/,
  },
]

interface Place {
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
  readonly ask: () => Promise<Outcome>
  /** Has the attempt come to where it hangs? */
  readonly isWaiting: () => boolean
}

/** Somebody who is about to ask what will not be answered. */
async function prepare({ start, stage }: Place, scenario: Scenario): Promise<Prepared> {
  const op = await startFaultyProvider()
  const site = await startSite({ start, stage, op }, { providers: scenario.providers?.(op) ?? [op.oidc()] })
  op.set(scenario.mode ?? {})
  const browser = site.app.browser()
  const csrfToken = await browser.csrf()
  const beginning = () => browser.post("/auth/signin/oidc", { csrfToken, callbackUrl: "/cart" })
  const back = scenario.isBeginning ? undefined : await op.authorize((await beginning()).location)
  async function ask(): Promise<Outcome> {
    const page = await inTime(back === undefined ? beginning() : comeBack(browser, op, back))
    return { site, page, cookies: flowCookies(browser).length, session: await sessionOf(browser) }
  }
  const { endpoint } = scenario
  return { ask, isWaiting: () => endpoint === undefined || op.count(endpoint) > 0 }
}

/** All on the first two, the first of each case everywhere. */
const scenariosOf = (stage: StageName) =>
  stage === "Auth()" || stage === "Express 5"
    ? SCENARIOS
    : ["FLT-02", "FLT-03", "FLT-04"].flatMap((id) => SCENARIOS.find(({ name }) => name.startsWith(id)) ?? [])
const begun = new Map<string, Promise<Outcome>>()
const places: Place[] = []

beforeAll(async () => {
  const prepared = new Map<string, Prepared>()
  for (const place of places)
    for (const scenario of scenariosOf(place.stage))
      prepared.set(place.stage + scenario.name, await prepare(place, scenario))
  for (const [name, { ask, isWaiting }] of prepared) {
    const outcome = ask()
    begun.set(name, outcome)
    // What became of it is told by the scenario's own test.
    await Promise.race([until(isWaiting), outcome]).catch(() => {})
  }
}, 60_000)
afterAll(async () => {
  for (const outcome of begun.values())
    await outcome.then(
      ({ site }) => site.op.close(),
      () => {},
    )
})

describeServers("a provider that takes its time", (start, stage) => {
  places.push({ start, stage })

  it.each(scenariosOf(stage))(
    "$name does not keep the person waiting",
    async ({ name, endpoint, says = LATE }) => {
      const outcome = await begun.get(stage + name)
      if (!outcome) throw new Error("not begun")
      const { site, page, cookies, session } = outcome
      expect([page.status, new URL(page.location).pathname]).toEqual([302, "/auth/signin"])
      expect(param(page.location, "error")).toBe("OAuthCallbackError")
      expect(param(page.location, "callbackUrl")).toBe(`${site.app.origin}/cart`)
      expect([cookies, session]).toEqual([0, null])
      expect(site.failures()).toHaveLength(1)
      expect(Object(site.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
      expect(site.logText()).toMatch(says)
      expectNoSecret(site, site.logText())
      expect(site.events).toEqual([])
      if (endpoint) await until(() => site.op.last(endpoint).isAborted)
    },
    30_000,
  )
})

describeServers("a provider that hangs after it was known", (start, stage) => {
  it("FLT-03: is signed in to with the metadata and keys of before", async () => {
    let now = Date.now()
    const op = await startFaultyProvider()
    const site = await startSite({ start, stage, op }, { config: { clock: () => now } })
    await signIn(site.app.browser(), op)
    now += 60 * 60 * 1000 + 1000
    op.set({ clockOffsetSeconds: 3601, fault: { discovery: "hang", jwks: "drip" } })
    const browser = site.app.browser()
    await inTime(signIn(browser, op))
    expect(await sessionOf(browser)).not.toBeNull()
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([2, 2])
    await op.close()
  })
})
