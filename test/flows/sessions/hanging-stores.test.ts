/** An adapter call that never settles: the request fails in time, and the next one succeeds. */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { describeServers } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { type MailSite, mailbox, startMailSite } from "../support/mail.js"
import { memoryStore, ownMethods, uniqueKeys } from "../support/memory-adapter.js"
import { named, openCallback, param, sessionOf, signIn, startAndApprove } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

type Method = Exclude<keyof Adapter, "transaction" | "keepsVerifiedEmail">

/** The next call of one method hangs, before or after its work, until it is released. */
interface Hang {
  method: Method | undefined
  when: "before" | "after"
  isWaiting: boolean
  release: () => void
}

/** Wraps the adapter, so that the method that `hang` names hangs. */
function hanging(adapter: Adapter, hang: Hang): Adapter {
  const entries = Object.entries(adapter).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      const run = () => Reflect.apply(method as (...args: unknown[]) => unknown, adapter, args)
      if (name !== hang.method) return run()
      hang.method = undefined
      const done = hang.when === "after" ? await run() : undefined
      hang.isWaiting = true
      await new Promise<void>((resolve) => {
        hang.release = resolve
      })
      return hang.when === "after" ? done : run()
    },
  ])
  return Object.fromEntries(entries)
}

describeServers("adapter call that never settles", (start) => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  async function startHanging() {
    const hang: Hang = { method: undefined, when: "before", isWaiting: false, release: () => {} }
    const mail = mailbox()
    const store = memoryStore()
    const deleteUser = async (id: string) => {
      await store.adapter.deleteUser?.(id)
      const others = store.accounts.filter(({ userId }) => userId !== id)
      store.accounts.splice(0, Infinity, ...others)
    }
    const site = await startMailSite(start, {
      store,
      isPlain: true,
      over: (adapter) => {
        const { unlinkAccount } = ownMethods(store)
        return hanging({ ...adapter, ...uniqueKeys(store), deleteUser, ...(unlinkAccount && { unlinkAccount }) }, hang)
      },
      config: { providers: [op.oidc(), named(op.oidc(), "other"), mail.provider], session: { strategy: "database" } },
    })
    return { site, hang }
  }

  /** Advances the time until the response arrives, once the call hangs. */
  async function withTimePassing(request: Promise<Page>, hang: Hang): Promise<Page> {
    let isOver = false
    const answered = request.finally(() => {
      isOver = true
    })
    await until(() => hang.isWaiting)
    for (let second = 0; !isOver && second < 30; second++) {
      await jest.advanceTimersByTimeAsync(1_000)
      // The rollback and the server need real turns of the event loop.
      await new Promise((done) => setImmediate(done))
    }
    hang.isWaiting = false
    return answered
  }

  /** Expects a success without delay. No timer is advanced, so an attempt that waits for an earlier one would hang. */
  async function succeedsAtOnce(site: MailSite, attempt: Promise<unknown>): Promise<void> {
    let isDone = false
    attempt
      .finally(() => {
        isDone = true
      })
      .catch(() => {})
    await until(() => isDone)
    await attempt
    expect([site.store.users.size, site.store.accounts.length]).toEqual([1, 1])
  }

  it.each<[Method, Hang["when"]]>([
    ["getUserByAccount", "before"],
    ["getUserByEmail", "before"],
    ["createUser", "before"],
    ["linkAccount", "before"],
    ["linkAccount", "after"],
    ["createSession", "before"],
    ["createSession", "after"],
  ])("%s hangs %s its work: the sign-in fails, and the next one succeeds at once", async (method, when) => {
    const { site, hang } = await startHanging()
    const browser = site.browser()
    const answer = await startAndApprove(browser, op)
    Object.assign(hang, { method, when })
    const page = await withTimePassing(openCallback(browser, op, answer), hang)
    expect([page.status, param(page.location, "error")]).toEqual([302, "Configuration"])
    await succeedsAtOnce(site, signIn(browser, op))
    expect((await sessionOf(browser))?.user?.["email"]).toBe("alice@example.com")
    // If the call settles later, nothing changes for the signed-in user.
    hang.release()
    await new Promise((done) => setImmediate(done))
    expect([site.store.users.size, site.store.accounts.length]).toEqual([1, 1])
    expect((await sessionOf(browser))?.user?.["email"]).toBe("alice@example.com")
  })

  it("linkAccount settles late: no account of the deleted user remains", async () => {
    const { site, hang } = await startHanging()
    const browser = site.browser()
    const answer = await startAndApprove(browser, op)
    Object.assign(hang, { method: "linkAccount", when: "before" })
    await withTimePassing(openCallback(browser, op, answer), hang)
    expect(site.store.users.size).toBe(0)
    hang.release()
    await until(() => site.store.accounts.length === 0)
    await succeedsAtOnce(site, signIn(browser, op))
  })

  it("linkAccount settles late: no account is linked to the existing user", async () => {
    const { site, hang } = await startHanging()
    const browser = site.browser()
    await signIn(browser, op)
    const answer = await startAndApprove(browser, op, { id: "other" })
    Object.assign(hang, { method: "linkAccount", when: "before" })
    const page = await withTimePassing(openCallback(browser, op, answer), hang)
    expect(param(page.location, "error")).toBe("Configuration")
    hang.release()
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done))
    expect(site.store.accounts.map(({ provider }) => provider)).toEqual(["oidc"])
    await signIn(browser, op, { id: "other" })
    expect(site.store.accounts.map(({ provider }) => provider)).toEqual(["oidc", "other"])
  })

  it("getSessionAndUser hangs: the request fails, and the next one is served at once", async () => {
    const { site, hang } = await startHanging()
    const browser = site.browser()
    await signIn(browser, op)
    Object.assign(hang, { method: "getSessionAndUser", when: "before" })
    const page = await withTimePassing(browser.get("/me"), hang)
    expect(page.status).toBe(503)
    await succeedsAtOnce(site, sessionOf(browser))
    expect((await sessionOf(browser))?.user?.["email"]).toBe("alice@example.com")
  })
})
