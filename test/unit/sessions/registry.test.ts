import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { PresentedSession, RegisteredSession, SessionRegistry } from "../../../lib/sessions/session.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig, Store } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { until } from "../../support/wait.js"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The registry of one process. */
function createRegistry(store: Store, over: Partial<AuthConfig> = {}): SessionRegistry {
  const { registry } = createRuntime(configOf({ store, ...over }), {}).sessions
  if (!registry) throw new Error("there is no registry")
  return registry
}

/** A store that runs a function once, before the first write of a session's record. */
function beforeWrite(store: Store, run: () => Promise<unknown>): Store {
  let hasRun = false
  return {
    ...store,
    async set(kind, key, record) {
      if (kind === "session" && !hasRun) {
        hasRun = true
        await run()
      }
      return store.set(kind, key, record)
    },
  }
}

const presented = (over: Partial<PresentedSession> = {}): PresentedSession => ({
  ...{ id: "~from-another-application", owner: "ada", issuedAt: Date.now() - HOUR, expires: Date.now() + HOUR },
  ...{ isUse: true, findUser: async () => ({ id: "ada" }), describe: () => ({}) },
  ...over,
})

const registered = (id: string, over: Partial<RegisteredSession> = {}): RegisteredSession => ({
  ...{ id, createdAt: Date.now(), lastSeenAt: Date.now(), expires: Date.now() + HOUR },
  authentication: { id, owner: "ada", provider: "p", method: "oidc", amr: [] },
  ...over,
})

const idsOf = async (registry: SessionRegistry) => (await registry.list({ owner: "ada" })).map(({ id }) => id)

describe("a session from before the store", () => {
  it("is refused if all sessions of its user are ended while it is registered", async () => {
    const store = MemoryStore()
    const other = createRegistry(store)
    const registry = createRegistry(beforeWrite(store, () => other.endAll({ owner: "ada" })))
    expect(await registry.isLive(presented())).toBe(false)
    expect([await other.isLive(presented()), await idsOf(other)]).toEqual([false, []])
  })

  it("is registered once by two processes", async () => {
    const store = MemoryStore()
    const other = createRegistry(store)
    const registry = createRegistry(beforeWrite(store, async () => other.isLive(presented())))
    expect(await registry.isLive(presented())).toBe(true)
    expect(await idsOf(registry)).toEqual([presented().id])
  })
})

/** A store in which writing a session's record waits, or fails. */
function onFirstWrite(store: Store, wait: () => Promise<unknown>) {
  const state = { hasBegun: false }
  const written = beforeWrite(store, () => {
    state.hasBegun = true
    return wait()
  })
  return { store: written, hasBegun: () => state.hasBegun }
}

describe("a session from before the store, in a process that has read the list of ended sessions", () => {
  const warm = { id: "~warm" }

  it("is accepted by other requests while the first one registers it", async () => {
    const store = MemoryStore()
    let release = () => {}
    const slow = onFirstWrite(store, () => new Promise<void>((resolve) => (release = resolve)))
    const registry = createRegistry(slow.store)
    await createRegistry(store).isLive(presented(warm))
    expect(await registry.isLive(presented(warm))).toBe(true)
    const first = registry.isLive(presented())
    await until(slow.hasBegun)
    const second = registry.isLive(presented())
    release()
    expect(await Promise.all([first, second])).toEqual([true, true])
  })

  it("is accepted after the store failed while it was registered", async () => {
    const store = MemoryStore()
    await createRegistry(store).isLive(presented(warm))
    const registry = createRegistry(beforeWrite(store, () => Promise.reject(new Error("unreachable"))))
    expect(await registry.isLive(presented(warm))).toBe(true)
    await expect(registry.isLive(presented())).rejects.toMatchObject({ type: "AdapterError" })
    expect(await registry.isLive(presented())).toBe(true)
  })

  it("causes an error within five seconds if the store hangs while it is registered", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] })
    const hanging = onFirstWrite(MemoryStore(), () => new Promise(() => {}))
    const failure = Promise.resolve(createRegistry(hanging.store).isLive(presented())).catch((error: Error) => error)
    await jest.advanceTimersByTimeAsync(5_000)
    jest.useRealTimers()
    expect(await Promise.race([failure, "nothing"])).toMatchObject({ type: "AdapterError" })
  })
})

describe("a session from before the store that has ended", () => {
  /** A registry whose clock the test sets. */
  function createClocked() {
    const time = { now: Date.now() }
    const clock = () => time.now
    return { time, registry: createRegistry(MemoryStore({ now: clock }), { clock }) }
  }
  /** Cookies are accepted until 15 seconds after their expiry. */
  const TOLERANCE = 14_000

  it("stays ended until its cookie expires, which another process may have renewed just before the end", async () => {
    const { time, registry } = createClocked()
    await registry.isLive(presented({ expires: time.now + 30 * DAY }))
    await registry.end(presented().id)
    time.now += 30 * DAY + TOLERANCE
    expect(await registry.isLive(presented({ expires: time.now + 30 * DAY }))).toBe(false)
  })

  it("stays ended if its cookie lasts longer than session.maxAge", async () => {
    const { time, registry } = createClocked()
    const expires = time.now + 90 * DAY
    await registry.isLive(presented({ expires }))
    await registry.end(presented().id)
    time.now += 90 * DAY + TOLERANCE
    expect(await registry.isLive(presented({ expires }))).toBe(false)
  })

  it("stays ended until its cookie expires, after all sessions of its user have ended", async () => {
    const { time, registry } = createClocked()
    const issuedAt = time.now
    await registry.endAll({ owner: "ada" })
    time.now += 30 * DAY + TOLERANCE
    expect(await registry.isLive(presented({ issuedAt, expires: time.now + 30 * DAY }))).toBe(false)
  })

  it("stays ended for as long as a browser keeps a cookie that another application issued for longer", async () => {
    const { time, registry } = createClocked()
    const issuedAt = time.now
    await registry.endAll({ owner: "ada" })
    for (const days of [31, 90, 399]) {
      time.now = issuedAt + days * DAY
      const session = presented({ id: `~${days}`, issuedAt, expires: time.now + DAY })
      expect([days, await registry.isLive(session)]).toEqual([days, false])
    }
  })

  it("is refused if it was issued longer ago than ended sessions are remembered", async () => {
    const { time, registry } = createClocked()
    const isLive = (days: number, provider?: string) => {
      const authentication = { id: `~${days}`, owner: "ada", provider: "p", method: "oidc", amr: [] }
      return registry.isLive(
        presented({
          ...{ id: `~${days}${provider}`, issuedAt: time.now - days * DAY, expires: time.now + DAY },
          describe: () => (provider ? { authentication: { ...authentication, providerSid: provider } } : {}),
        }),
      )
    }
    expect([await isLive(399), await isLive(401)]).toEqual([true, false])
    // Only cookies of this package contain the session at a provider, and these cookies last for session.maxAge.
    expect([await isLive(29, "sid"), await isLive(31, "sid")]).toEqual([true, false])
  })

  it("stays ended if the provider ended its own session before this session was used", async () => {
    const registry = createRegistry(MemoryStore())
    const authentication = {
      id: presented().id,
      owner: "ada",
      provider: "p",
      method: "oidc",
      amr: [],
      providerSid: "sid",
    }
    await registry.endAll({ provider: "p", sid: "sid" })
    expect(await registry.isLive(presented({ describe: () => ({ authentication }) }))).toBe(false)
    const other = { ...authentication, providerSid: "other" }
    expect(await registry.isLive(presented({ id: "~other", describe: () => ({ authentication: other }) }))).toBe(true)
  })
})

describe("a session that begins after all sessions of its user have ended", () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it("is read once for each list of ended sessions", async () => {
    const store = MemoryStore()
    let reads = 0
    const get: typeof store.get = (kind, key) => {
      if (kind === "session") reads++
      return store.get(kind, key)
    }
    const registry = createRegistry({ ...store, get })
    await createRegistry(store).endAll({ owner: "ada" })
    await registry.add(registered("new"), Date.now() + 1)
    for (let second = 0; second < 20; second++) {
      for (let i = 0; i < 10; i++) expect(await registry.isLive(presented({ id: "new" }))).toBe(true)
      await jest.advanceTimersByTimeAsync(1_001)
    }
    expect(reads).toBe(20)
  })

  it("is refused within a second after it has ended too", async () => {
    const store = MemoryStore()
    const [registry, other] = [createRegistry(store), createRegistry(store)]
    await other.endAll({ owner: "ada" })
    await registry.add(registered("new"), Date.now() + 1)
    expect(await registry.isLive(presented({ id: "new" }))).toBe(true)
    await other.end("new")
    await jest.advanceTimersByTimeAsync(1_001)
    expect(await registry.isLive(presented({ id: "new" }))).toBe(false)
  })
})

describe("the record of a database session", () => {
  it("has the new token, even if another process writes the time of the last use meanwhile", async () => {
    const store = MemoryStore()
    const other = createRegistry(store)
    const longAgo = Date.now() - HOUR
    await other.add(registered("one", { lastSeenAt: longAgo, token: "old" }), Date.now())
    const use = async () => {
      await other.isLive(presented({ id: "one" }))
      await until(async () => ((await other.find("one"))?.lastSeenAt ?? 0) > longAgo)
    }
    const registry = createRegistry(beforeWrite(store, use))
    await registry.replaceToken("one", "new")
    expect(await registry.find("one")).toMatchObject({ token: "new" })
  })

  it("is not restored by a new token after its session has ended", async () => {
    const store = MemoryStore()
    const other = createRegistry(store)
    await other.add(registered("one", { token: "old" }), Date.now())
    const registry = createRegistry(beforeWrite(store, () => other.end("one")))
    await registry.replaceToken("one", "new")
    expect(await registry.find("one")).toBeUndefined()
  })
})

describe("the time of the last use", () => {
  it("does not restore an ended session", async () => {
    const store = MemoryStore()
    const other = createRegistry(store)
    await other.add(registered("one", { lastSeenAt: Date.now() - HOUR }), Date.now())
    let isWritten = false
    const ending = beforeWrite(store, () => other.end("one").finally(() => (isWritten = true)))
    await createRegistry(ending).isLive(presented({ id: "one" }))
    await until(() => isWritten)
    expect([await other.isLive(presented({ id: "one" })), await idsOf(other)]).toEqual([false, []])
  })
})

describe("a watched session", () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  const FIVE_MINUTES = 5 * 60_000

  /** Watches a session whose record and cookie end in a minute. The list of ended sessions names its user. */
  async function watchOne(cookieExpires: number) {
    const registry = createRegistry(MemoryStore())
    await registry.endAll({ owner: "ada" })
    jest.advanceTimersByTime(1)
    await registry.add(registered("one", { expires: Date.now() + 60_000 }), Date.now())
    const control = { ended: 0 }
    registry.watch({ id: "one", owner: "ada", expires: Date.now() + cookieExpires }, () => control.ended++)
    return control
  }

  it("continues for five minutes after its expiry, because its cookie may have been renewed without a write of the record", async () => {
    const control = await watchOne(60_000)
    await jest.advanceTimersByTimeAsync(60_000 + FIVE_MINUTES - 1_000)
    expect(control.ended).toBe(0)
    await jest.advanceTimersByTimeAsync(2_000)
    expect(control.ended).toBe(1)
  })

  it("continues until the expiry of the cookie with which the connection was opened", async () => {
    const control = await watchOne(2 * FIVE_MINUTES)
    await jest.advanceTimersByTimeAsync(2 * FIVE_MINUTES - 1_000)
    expect(control.ended).toBe(0)
    await jest.advanceTimersByTimeAsync(2_000)
    expect(control.ended).toBe(1)
  })
})

describe("watched sessions", () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /** Watches the sessions "one" and "two" of a user. The store reads the record of "one" with `read`. */
  async function watchTwo(read: () => Promise<never>) {
    const store = MemoryStore()
    const control = { isFaulty: true, ended: [] as string[], other: createRegistry(store) }
    const get: typeof store.get = (kind, key) => (control.isFaulty && key === "one" ? read() : store.get(kind, key))
    const registry = createRegistry({ ...store, get })
    for (const id of ["one", "two"]) {
      await control.other.add(registered(id), Date.now())
      registry.watch({ id, owner: "ada", expires: Date.now() + HOUR }, () => control.ended.push(id))
    }
    return control
  }

  it.each([
    ["is never answered", () => new Promise<never>(() => {})],
    ["fails", () => Promise.reject(new Error("unreachable"))],
  ])("end within a second, even if the read of another record %s", async (_, read) => {
    const control = await watchTwo(read)
    await control.other.end("one")
    await jest.advanceTimersByTimeAsync(1_000)
    await control.other.end("two")
    await jest.advanceTimersByTimeAsync(1_000)
    expect(control.ended).toEqual(["two"])
    control.isFaulty = false
    await jest.advanceTimersByTimeAsync(6_000)
    expect(control.ended).toEqual(["two", "one"])
  })
})

describe("isActive", () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it("is called again after a minute, and ends all sessions of a banned user", async () => {
    const store = MemoryStore()
    let isBanned = false
    let calls = 0
    const isActive = () => {
      calls++
      return !isBanned
    }
    const [registry, other] = [createRegistry(store, { isActive }), createRegistry(store)]
    for (const id of ["one", "two"]) await other.add(registered(id), Date.now())
    const states = async () =>
      Promise.all([registry.isLive(presented({ id: "one" })), other.isLive(presented({ id: "two" }))])
    expect(await states()).toEqual([true, true])
    isBanned = true
    jest.advanceTimersByTime(59_999)
    expect([await states(), calls]).toEqual([[true, true], 1])
    jest.advanceTimersByTime(1)
    expect([await registry.isLive(presented({ id: "one" })), calls]).toEqual([false, 2])
    jest.advanceTimersByTime(1_001)
    expect([await states(), await idsOf(other)]).toEqual([[false, false], []])
  })

  it("leads to an error within five seconds if the store hangs while the sessions of a banned user end", async () => {
    const store = MemoryStore()
    await createRegistry(store).add(registered("one"), Date.now())
    const set: typeof store.set = (kind, ...rest) =>
      kind === "session" ? store.set(kind, ...rest) : new Promise(() => {})
    const registry = createRegistry({ ...store, set }, { isActive: () => false })
    const failure = Promise.resolve(registry.isLive(presented({ id: "one" }))).catch((error: Error) => error)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(await Promise.race([failure, "nothing"])).toMatchObject({ type: "AdapterError" })
  })
})
