/**
 * A sign-in whose time is over when its session is there already: the person has to get it.
 */
import type { Adapter } from "../../lib/adapters/adapter.js"
import { describeServer, type Start } from "../support/apps.js"
import { until } from "../support/wait.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, signInByMail, startMailSite } from "./support/mail.js"
import { sessionCookies, sessionOf } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"

/** Not the timers of before: the test lets the time pass. */
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface Slow {
  /** Of the callback `signIn`, which the application is asked with before there is a session. */
  readonly signInMs: number
  /** What the store does in place of deleting the row of before at once. */
  readonly deleteSession?: () => Promise<void>
  /** What the event `signIn` does. */
  readonly told?: () => Promise<void>
}

/** Somebody who is signed in signs in again, by a link, while this is slow. */
async function signInAgain(start: Start, { signInMs, deleteSession, told }: Slow) {
  const state = { isSlow: false, asked: 0, deletions: 0, events: 0 }
  const over = (adapter: Adapter): Partial<Adapter> => ({
    async deleteSession(token) {
      if (state.isSlow) {
        state.deletions++
        await deleteSession?.()
      }
      await adapter.deleteSession?.(token)
    },
  })
  const site = await startMailSite(start, {
    over,
    config: {
      session: { strategy: "database" },
      callbacks: {
        async signIn() {
          if (!state.isSlow) return true
          state.asked++
          await wait(signInMs)
          return true
        },
      },
      events: {
        async signIn() {
          if (!state.isSlow) return
          state.events++
          await told?.()
        },
      },
    },
  })
  const browser = site.browser()
  await signInByMail(site, browser, ADA)
  const [before = ""] = site.store.sessions.keys()
  await askForLink(browser, ADA)
  state.isSlow = true
  let isOver = false
  const signingIn = browser.get(site.mail.linkTo(ADA)).finally(() => {
    isOver = true
  })
  await until(() => state.asked > 0)
  await jest.advanceTimersByTimeAsync(signInMs)
  await until(() => state.deletions > 0)
  for (let quarters = 0; !isOver && quarters < 80; quarters++) await jest.advanceTimersByTimeAsync(250)
  const page = await signingIn
  return { site, browser, before, page, state }
}

describeServer("A session that was opened before the time was over", "Auth()", (start) => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it("is the person's, though the event has no end", async () => {
    const told = () => new Promise<never>(() => {})
    const { site, browser, before, page, state } = await signInAgain(start, { signInMs: 4_900, told })
    expect([errorOf(page), state.events, sessionCookies(browser).length]).toEqual(["", 1, 1])
    expect([site.store.sessions.size, site.store.sessions.has(before)]).toEqual([1, false])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("is the person's, though the one of before is still to be deleted", async () => {
    const deleteSession = () => wait(5_000)
    const { site, browser, before, page, state } = await signInAgain(start, { signInMs: 6_000, deleteSession })
    expect([errorOf(page), state.events]).toEqual(["", 1])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    await jest.advanceTimersByTimeAsync(5_000)
    await until(() => !site.store.sessions.has(before))
    expect(site.store.sessions.size).toBe(1)
  })

  it("is the person's, and the log says that the one of before could not be deleted", async () => {
    const deleteSession = async () => {
      await wait(5_000)
      throw new Error("the store is down")
    }
    const { site, browser, page } = await signInAgain(start, { signInMs: 6_000, deleteSession })
    expect([errorOf(page), site.failures()]).toEqual(["", []])
    await jest.advanceTimersByTimeAsync(5_000)
    await until(() => site.failures().length > 0)
    expect(site.failures()).toMatchObject([{ level: "error", code: "AdapterError" }])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })
})
