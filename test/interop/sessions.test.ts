/**
 * The records of sessions, while an application on Auth.js runs in parallel with the same secret and adapter.
 *
 * @module
 */
import { endSession, listSessions } from "../../lib/index.js"
import { MemoryStore } from "../../lib/store/memory.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { readEmail, requestLink, startBoth } from "./support/both.js"
import { moveTo, type Site } from "./support/sites.js"

failOnUnhandled()

type Both = Awaited<ReturnType<typeof startBoth>>

const ADA = "ada@example.com"
const NAME = "authjs.session-token"
const STRATEGIES = ["jwt", "database"] as const

let site: Both
afterEach(() => site.close())

interface Setup {
  readonly strategy: (typeof STRATEGIES)[number]
  readonly store?: object
  readonly session?: object
}

/** Starts both applications, with a store for latchkey. Every read at the session endpoint renews the session. */
async function start({ strategy, session, store = { store: MemoryStore() } }: Setup): Promise<Both> {
  site = await startBoth({ ...store, session: { strategy, updateAge: 0, ...session } })
  return site
}

async function signIn(server: Site): Promise<Browser> {
  const browser = await requestLink(server, ADA)
  await browser.get(site.mailbox.link())
  expect(await readEmail(browser)).toBe(ADA)
  return browser
}

async function signOut(browser: Browser): Promise<void> {
  await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
  expect(await readEmail(browser)).toBeUndefined()
}

const moveToAuthjs = (browser: Browser) => moveTo(site.sites.authjs, browser)
const moveToLatchkey = (browser: Browser) => moveTo(site.sites.latchkey, browser)
const sessions = () => listSessions(site.config, site.store.users[0]?.id)
const listIds = async () => (await sessions()).map(({ id }) => id)

describe.each(STRATEGIES)("a session that Auth.js created, with the strategy %s", (strategy) => {
  it("is recorded at its first use, and its copies are refused after the sign-out", async () => {
    const { sites } = await start({ strategy })
    const issued = await signIn(sites.authjs)
    expect(await sessions()).toEqual([])
    const [browser, copy] = [moveToLatchkey(issued), moveToLatchkey(issued)]
    expect([await readEmail(browser), await readEmail(copy)]).toEqual([ADA, ADA])
    expect(await sessions()).toMatchObject([{ id: expect.stringMatching(/^~/), provider: undefined, amr: [] }])
    await signOut(browser)
    expect([await readEmail(moveToLatchkey(issued)), await readEmail(copy), await sessions()]).toEqual([
      undefined,
      undefined,
      [],
    ])
    // Auth.js does not know of the records, so it accepts the cookie, but not a row that was deleted.
    expect(await readEmail(moveToAuthjs(issued))).toBe(strategy === "jwt" ? ADA : undefined)
  })

  it("can be ended by its id, also after latchkey renewed it", async () => {
    const { sites, config } = await start({ strategy })
    const issued = await signIn(sites.authjs)
    const browser = moveToLatchkey(issued)
    expect([await readEmail(browser), await readEmail(browser)]).toEqual([ADA, ADA])
    const [id, ...others] = await listIds()
    expect([others, await endSession(config, id)]).toEqual([[], true])
    expect([await readEmail(moveToLatchkey(issued)), await readEmail(browser)]).toEqual([undefined, undefined])
  })

  it("is refused after session.unregisteredUntil, also if Auth.js has renewed it", async () => {
    const { sites } = await start({ strategy, session: { unregisteredUntil: new Date(Date.now() - 1) } })
    const issued = await signIn(sites.authjs)
    const renewed = issued.clone()
    expect(await readEmail(renewed)).toBe(ADA)
    expect([await readEmail(moveToLatchkey(renewed)), await readEmail(moveToLatchkey(issued))]).toEqual([
      undefined,
      undefined,
    ])
    expect(await sessions()).toEqual([])
  })

  it("is accepted without a store, and its copies are refused after the sign-out if it has a row", async () => {
    const { sites } = await start({ strategy, store: {} })
    const issued = await signIn(sites.authjs)
    const [browser, copy] = [moveToLatchkey(issued), moveToLatchkey(issued)]
    expect([await readEmail(browser), await readEmail(copy)]).toEqual([ADA, ADA])
    await signOut(browser)
    expect(await readEmail(copy)).toBe(strategy === "jwt" ? ADA : undefined)
  })
})

describe.each(STRATEGIES)("a session that latchkey created, with the strategy %s", (strategy) => {
  it("is still the same session in latchkey after Auth.js renewed it", async () => {
    const { sites, store } = await start({ strategy })
    const browser = await signIn(sites.latchkey)
    const [id] = await listIds()
    const expiry = () => store.sessions[0]?.expires.getTime() ?? 0
    const before = { cookie: browser.cookie(NAME), expiry: expiry() }
    const renewed = moveToAuthjs(browser)
    expect(await readEmail(renewed)).toBe(ADA)
    if (strategy === "jwt") expect(renewed.cookie(NAME)).not.toBe(before.cookie)
    else expect(expiry()).toBeGreaterThan(before.expiry)
    const back = moveToLatchkey(renewed)
    expect([await readEmail(back), await readEmail(moveToLatchkey(browser)), await listIds()]).toEqual([ADA, ADA, [id]])
    expect(await sessions()).toMatchObject([{ provider: "mail", method: "email", amr: ["email"] }])
  })

  it("is refused after latchkey ended it, also in a cookie that Auth.js renewed before and afterwards", async () => {
    const { sites, config } = await start({ strategy })
    const browser = await signIn(sites.latchkey)
    const renewed = moveToAuthjs(browser)
    expect(await readEmail(renewed)).toBe(ADA)
    expect(await endSession(config, (await listIds())[0])).toBe(true)
    expect([await readEmail(moveToLatchkey(browser)), await readEmail(moveToLatchkey(renewed))]).toEqual([
      undefined,
      undefined,
    ])
    expect(await readEmail(renewed)).toBe(strategy === "jwt" ? ADA : undefined)
    expect(await readEmail(moveToLatchkey(renewed))).toBeUndefined()
    expect(await sessions()).toEqual([])
  })

  it("is read and renewed by Auth.js without a store too", async () => {
    const { sites } = await start({ strategy, store: {} })
    const browser = await signIn(sites.latchkey)
    const renewed = moveToAuthjs(browser)
    expect([await readEmail(renewed), await readEmail(renewed)]).toEqual([ADA, ADA])
    expect(await readEmail(moveToLatchkey(renewed))).toBe(ADA)
  })
})

it("a database session that latchkey created ends with a sign-out at Auth.js, and its record can be ended", async () => {
  const { sites, config } = await start({ strategy: "database" })
  const browser = await signIn(sites.latchkey)
  const [id] = await listIds()
  await signOut(moveToAuthjs(browser))
  expect(await readEmail(moveToLatchkey(browser))).toBeUndefined()
  expect([await endSession(config, id), await sessions()]).toEqual([true, []])
})
