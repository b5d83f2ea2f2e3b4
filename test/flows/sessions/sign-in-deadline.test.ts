/** A sign-in whose deadline passes after its session was created. The user must still get the session. */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { describeServer, type Start } from "../../support/apps.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, signInByMail, startMailSite } from "../support/mail.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"

/** Uses the current global timer, which is a fake during the tests. */
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface Delays {
  /** The duration of the `signIn` callback, which runs before the session is created. */
  readonly signInMs: number
  /** Runs before the adapter deletes the previous session. */
  readonly deleteSession?: () => Promise<void>
  /** The handler of the `signIn` event. */
  readonly onSignIn?: () => Promise<void>
}

/** A signed-in user signs in again with an email link, while these functions are slow. */
async function signInAgain(start: Start, { signInMs, deleteSession, onSignIn }: Delays) {
  const state = { isSlow: false, callbacks: 0, deletions: 0, events: 0 }
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
          state.callbacks++
          await wait(signInMs)
          return true
        },
      },
      events: {
        async signIn() {
          if (!state.isSlow) return
          state.events++
          await onSignIn?.()
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
  await until(() => state.callbacks > 0)
  await jest.advanceTimersByTimeAsync(signInMs)
  await until(() => state.deletions > 0)
  for (let quarters = 0; !isOver && quarters < 80; quarters++) await jest.advanceTimersByTimeAsync(250)
  const page = await signingIn
  return { site, browser, before, page, state }
}

describeServer("session that was created before the deadline", "Auth()", (start) => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it("reaches the user even if the signIn event handler never settles", async () => {
    const onSignIn = () => new Promise<never>(() => {})
    const { site, browser, before, page, state } = await signInAgain(start, { signInMs: 4_900, onSignIn })
    expect([errorOf(page), state.events, sessionCookies(browser).length]).toEqual(["", 1, 1])
    expect([site.store.sessions.size, site.store.sessions.has(before)]).toEqual([1, false])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("reaches the user even if the previous session is not deleted yet", async () => {
    const deleteSession = () => wait(5_000)
    const { site, browser, before, page, state } = await signInAgain(start, { signInMs: 6_000, deleteSession })
    expect([errorOf(page), state.events]).toEqual(["", 1])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    await jest.advanceTimersByTimeAsync(5_000)
    await until(() => !site.store.sessions.has(before))
    expect(site.store.sessions.size).toBe(1)
  })

  it("reaches the user if the previous session cannot be deleted, which is logged", async () => {
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
