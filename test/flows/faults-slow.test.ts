/**
 * What takes its time: every scenario is begun at once, so that the file takes about as long as one deadline.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, type StageName, type Start } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { guardProcess } from "./support/guard.js"
import {
  begin,
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

/** The deadline and what a loaded machine adds. */
const PATIENCE_MS = 10_000
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

interface Outcome {
  site: Site
  page: Page
  tookMs: number
  cookies: number
  session: unknown
}

async function run({ start, stage }: { start: Start; stage: StageName }, scenario: Scenario): Promise<Outcome> {
  const op = await startFaultyProvider()
  const site = await startSite({ start, stage, op }, { providers: scenario.providers?.(op) ?? [op.oidc()] })
  op.set(scenario.mode ?? {})
  const browser = site.app.browser()
  await browser.csrf()
  let began = performance.now()
  let page = await begin(browser, { callbackUrl: "/cart" })
  if (!scenario.isBeginning) {
    const back = await op.authorize(page.location)
    began = performance.now()
    page = await comeBack(browser, op, back)
  }
  const tookMs = performance.now() - began
  return { site, page, tookMs, cookies: flowCookies(browser).length, session: await sessionOf(browser) }
}

/** All on the first two, the first of them everywhere. */
const rows = <T>(stage: StageName, all: readonly T[]) =>
  stage === "Auth()" || stage === "Express 5" ? all : all.slice(0, 1)
const scenariosOf = (stage: StageName) => rows(stage, SCENARIOS)
const begun = new Map<string, Promise<Outcome>>()
const starts: { start: Start; stage: StageName }[] = []

beforeAll(() => {
  for (const place of starts)
    for (const scenario of scenariosOf(place.stage)) {
      const outcome = run(place, scenario)
      // Told by the scenario's own test.
      outcome.catch(() => {})
      begun.set(place.stage + scenario.name, outcome)
    }
})
afterAll(async () => {
  for (const outcome of begun.values())
    await outcome.then(
      ({ site }) => site.op.close(),
      () => {},
    )
})

describeServers("a provider that takes its time", (start, stage) => {
  starts.push({ start, stage })

  it.each(scenariosOf(stage))(
    "$name does not keep the person waiting",
    async ({ name, endpoint, says = LATE }) => {
      const outcome = await begun.get(stage + name)
      if (!outcome) throw new Error("not begun")
      const { site, page, tookMs, cookies, session } = outcome
      expect(tookMs).toBeLessThan(PATIENCE_MS)
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
    const began = performance.now()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS)
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([2, 2])
    await op.close()
  })
})

describe("FLT-05: an answer of 64 MB", () => {
  const memory = () => process.memoryUsage().rss / 1e6

  describeServers("FLT-05", (start, stage) => {
    it.each(rows(stage, ["token", "userinfo", "discovery", "jwks"] as const))(
      "is cut off at %s, long before it fills the memory",
      async (endpoint) => {
        const op = await startFaultyProvider()
        const fault = { [endpoint]: "huge" } as const
        const attempt = async () => {
          const site = await startSite({ start, stage, op }, { providers: fromUserinfo?.(op) ?? [], mode: { fault } })
          const browser = site.app.browser()
          const first = await begin(browser)
          const page =
            endpoint === "discovery" ? first : await comeBack(browser, op, await op.authorize(first.location))
          expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
          expect(site.logText()).toContain("larger than 1000000 bytes")
          expect(site.failures()).toHaveLength(1)
          await until(() => op.last(endpoint).isAborted)
        }
        // What is loaded and compiled on the way does not count.
        await attempt()
        const growths: number[] = []
        for (let i = 0; i < 3; i++) {
          const before = memory()
          let most = before
          let isOver = false
          const watch = (async () => {
            while (!isOver) {
              most = Math.max(most, memory())
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
})
