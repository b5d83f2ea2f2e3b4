import { dropFlow, findFlow, hasFlowCookie } from "../../../../lib/methods/oauth/flow.js"
import { seal } from "../../../../lib/security/jwe.js"
import { attemptPart } from "../../../../lib/security/sealed-attempts.js"
import { begin, callOf, NOW, ORIGIN, providerOf, type Setting, settingOf } from "./setting.js"

const COOKIE = "__Host-authjs.state"
const MINUTE_MS = 60_000

interface Answer {
  readonly cookies: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly provider?: string
}

/** The flow that an answer belongs to. */
async function found(setting: Setting, { cookies, query = {}, provider = "acme" }: Answer) {
  const call = await callOf(setting, { path: `/callback/${provider}`, query, cookies })
  return findFlow(call, providerOf(setting, provider), setting.runtime)?.flow
}

async function dropped(setting: Setting, { cookies, query = {}, provider = "acme" }: Answer) {
  const call = await callOf(setting, { path: `/callback/${provider}`, query, cookies })
  return dropFlow(call, providerOf(setting, provider))
}

describe("an answer", () => {
  it("belongs to the attempt whose state it brings", async () => {
    const setting = settingOf()
    const first = await begin(setting)
    const { cookies, state } = await begin(setting, { cookies: first.cookies })
    expect((await found(setting, { cookies, query: { state } }))?.state).toBe(state)
    expect((await found(setting, { cookies, query: { state: first.state } }))?.state).toBe(first.state)
  })

  it.each([{}, { state: "" }, { state: "another" }, { state: "provider:acme" }])(
    "OID-34: belongs to none with %j",
    async (query) => {
      const setting = settingOf()
      const { cookies } = await begin(setting)
      expect(await found(setting, { cookies, query })).toBeUndefined()
      expect(await dropped(setting, { cookies, query })).toEqual([])
    },
  )

  it("OID-34: belongs to none in another browser", async () => {
    const setting = settingOf()
    const { state } = await begin(setting)
    const other = await begin(setting)
    expect(await found(setting, { cookies: other.cookies, query: { state } })).toBeUndefined()
  })

  it("ADV-13: belongs to the provider that it began with alone", async () => {
    const setting = settingOf([{ id: "acme" }, { id: "other" }])
    const { cookies, state } = await begin(setting)
    expect(await found(setting, { cookies, query: { state }, provider: "other" })).toBeUndefined()
    expect(await found(setting, { cookies, query: { state } })).toBeDefined()
  })

  it("ADV-13: belongs to the redirect URI's path that it began for alone", async () => {
    const { cookies, state } = await begin(settingOf({}, { redirectProxyUrl: `${ORIGIN}/other` }))
    expect(await found(settingOf(), { cookies, query: { state } })).toBeUndefined()
    const same = settingOf({}, { redirectProxyUrl: "http://localhost/other" })
    expect((await found(same, { cookies, query: { state } }))?.returnPath).toBe("/other/callback/acme")
  })

  it("belongs to the provider's one attempt where there is no state", async () => {
    const setting = settingOf([
      { id: "acme", checks: ["pkce"] },
      { id: "other", checks: ["pkce"] },
    ])
    const { cookies } = await begin(setting)
    const flow = await found(setting, { cookies, query: { state: "whatever" } })
    expect(flow?.verifier).toMatch(/^[\w-]{43}$/)
    expect(await found(setting, { cookies, provider: "other" })).toBeUndefined()
    expect(await dropped(setting, { cookies })).toEqual([{ drop: "state", part: attemptPart("provider:acme") }])
  })

  it.each([
    [15 * MINUTE_MS, true],
    // Clocks may differ by 15 seconds.
    [15 * MINUTE_MS + 15_000, false],
  ])("is good for 15 minutes: after %d ms it is %s", async (after, isGood) => {
    const setting = settingOf()
    const { cookies, state } = await begin(setting)
    setting.time.now += after
    expect((await found(setting, { cookies, query: { state } })) !== undefined).toBe(isGood)
  })

  it("belongs to none where the cookie was sealed for something else, or holds no attempt", async () => {
    const setting = settingOf()
    const { keys } = setting.runtime
    const sealed = (purpose: string, flow: unknown) => ({
      [`${COOKIE}.${attemptPart("s")}`]: seal({ flow }, keys.for(purpose), 60, NOW),
    })
    const flow = { provider: "acme", state: "s", callbackUrl: ORIGIN }
    const query = { state: "s" }
    expect(await found(setting, { cookies: sealed("latchkey.flow", flow), query })).toEqual(flow)
    for (const purpose of ["latchkey.challenge", "latchkey.form_post", "authjs.session-token", ""])
      expect(await found(setting, { cookies: sealed(purpose, flow), query })).toBeUndefined()
    for (const odd of [undefined, null, "acme", ["acme"], {}])
      expect(await found(setting, { cookies: sealed("latchkey.flow", odd), query })).toBeUndefined()
  })

  it("clears the attempt's cookie, whether it opens or not, and no other", async () => {
    const setting = settingOf()
    const first = await begin(setting)
    const { cookies, state } = await begin(setting, { cookies: first.cookies })
    const drop = [{ drop: "state", part: attemptPart(state) }]
    expect(await dropped(setting, { cookies, query: { state } })).toEqual(drop)
    const broken = { ...cookies, [`${COOKIE}.${attemptPart(state)}`]: "broken" }
    expect(await dropped(setting, { cookies: broken, query: { state } })).toEqual(drop)
  })
})

it("a browser that has a cookie for an answer, though it may not open, is told from one that has none", async () => {
  const setting = settingOf()
  const { cookies, state } = await begin(setting)
  const has = async (own: Record<string, string>, query: Record<string, string>) =>
    hasFlowCookie(await callOf(setting, { query, cookies: own }), providerOf(setting))
  expect(await has(cookies, { state })).toBe(true)
  expect(await has({ [`${COOKIE}.${attemptPart(state)}`]: "broken" }, { state })).toBe(true)
  expect(await has(cookies, { state: "another" })).toBe(false)
  expect(await has({}, { state })).toBe(false)
})

describe("attempts under way", () => {
  const names = (cookies: object) => Object.keys(cookies).filter((name) => name.startsWith(`${COOKIE}.`))
  const beginAt = (setting: Setting, second: number, cookies: Record<string, string>, query = {}) => {
    setting.time.now = NOW + second * 1000
    return begin(setting, { cookies, query })
  }

  it("are kept in a cookie each, which ends when they do", async () => {
    const { changes, state } = await begin(settingOf())
    expect(changes).toEqual([
      { put: "state", part: attemptPart(state), value: expect.any(String), expires: new Date(NOW + 15 * MINUTE_MS) },
    ])
    expect(attemptPart(state)).toMatch(/^[\w-]{16}$/)
  })

  it("are five at most in one browser: the oldest makes room", async () => {
    const setting = settingOf()
    let cookies: Record<string, string> = {}
    const states: string[] = []
    for (let second = 0; second < 8; second++) {
      const begun = await beginAt(setting, second, cookies)
      cookies = begun.cookies
      states.push(begun.state)
      expect(names(cookies)).toHaveLength(Math.min(second + 1, 5))
    }
    const latest = states.slice(-5).map((state) => `${COOKIE}.${attemptPart(state)}`)
    expect(names(cookies).sort()).toEqual(latest.sort())
  })

  it("go by age, not by the order in which the browser sends them", async () => {
    const setting = settingOf()
    let cookies: Record<string, string> = {}
    const states: string[] = []
    for (let second = 0; second < 5; second++) {
      const begun = await beginAt(setting, second, cookies)
      states.push(begun.state)
      cookies = Object.fromEntries(Object.entries(begun.cookies).reverse())
    }
    const { cookies: after } = await beginAt(setting, 5, cookies)
    expect(after).not.toHaveProperty([`${COOKIE}.${attemptPart(states[0] ?? "")}`])
    expect(names(after)).toHaveLength(5)
  })

  it("go first when they don't open any more", async () => {
    const setting = settingOf()
    let cookies: Record<string, string> = { [`${COOKIE}.${"x".repeat(16)}`]: "broken" }
    for (let second = 0; second < 5; second++) cookies = (await beginAt(setting, second, cookies)).cookies
    expect(names(cookies)).toHaveLength(5)
    expect(Object.values(cookies)).not.toContain("broken")
  })

  it("take 3000 characters at most beside the new one: a session needs the rest of the headers", async () => {
    const setting = settingOf()
    const fake = (letter: string, size: number) => ({ [`${COOKIE}.${letter.repeat(16)}`]: "x".repeat(size) })
    const { cookies: fits } = await begin(setting, { cookies: { ...fake("a", 1_500), ...fake("b", 1_500) } })
    expect(names(fits)).toHaveLength(3)
    const { cookies: tooMany } = await begin(setting, { cookies: { ...fake("a", 1_500), ...fake("b", 1_501) } })
    expect(names(tooMany)).toHaveLength(2)
  })

  it("fill the cookies up to session.maxCookieSize at most: beside a large session none is kept", async () => {
    const setting = settingOf()
    const { changes } = await begin(setting)
    const newSize = changes.reduce((sum, change) => sum + ("put" in change ? change.value.length : 0), 0)
    const older = { [`${COOKIE}.${"a".repeat(16)}`]: "x".repeat(1_000) }
    const rest = `session=; ${Object.entries(older).map((pair) => pair.join("="))}`.length
    const beside = (session: number) => begin(setting, { cookies: { session: "s".repeat(session), ...older } })
    const most = 7_168 - newSize - rest
    expect(names((await beside(most)).cookies)).toHaveLength(2)
    expect(names((await beside(most + 1)).cookies)).toHaveLength(1)
    expect(names((await beside(11_000)).cookies)).toHaveLength(1)
  })

  it("are cleared ten at a time, where somebody has planted more", async () => {
    const setting = settingOf()
    const planted = Array.from({ length: 30 }, (_, i) => [`${COOKIE}.${String(i).padStart(16, "x")}`, "broken"])
    const once = await begin(setting, { cookies: Object.fromEntries(planted) })
    expect(names(once.cookies)).toHaveLength(30 - 10 + 1)
    const twice = await begin(setting, { cookies: once.cookies })
    expect(names(twice.cookies)).toHaveLength(30 - 20 + 2)
  })

  it("leave cookies alone that only look like theirs", async () => {
    const setting = settingOf()
    const tails = [
      "",
      ".",
      ".0",
      `.${"x".repeat(15)}`,
      `.${"x".repeat(17)}`,
      `.${"x".repeat(15)}!`,
      `x.${"x".repeat(16)}`,
    ]
    const alike = Object.fromEntries(tails.map((tail) => [COOKIE + tail, "x".repeat(4_000)]))
    const { cookies } = await begin(setting, { cookies: alike })
    expect(cookies).toMatchObject(alike)
  })
})
