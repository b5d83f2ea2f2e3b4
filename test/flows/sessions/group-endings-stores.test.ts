/**
 * Ending many sessions at once, on every kind of store.
 *
 * @module
 */
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { RegisteredSession, SessionGroup, SessionRegistry } from "../../../lib/sessions/session.js"
import { configOf } from "../../express/support/servers.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const SESSIONS = 200
const LIMIT_MS = 1_000
/** The number is fixed, because repeating until one round is fast enough would pass by chance. */
const ROUNDS = 3
const DAY_MS = 86_400_000
const OWNER = { owner: "ada" }
const SUB = { provider: "oidc", sub: "alice" }

const createSession = (index: number): RegisteredSession => {
  const id = String(index).padStart(22, "0")
  const times = { createdAt: Date.now(), lastSeenAt: Date.now(), expires: Date.now() + DAY_MS }
  const opened = { provider: SUB.provider, providerSub: SUB.sub, providerSid: `sid-${index}` }
  return { id, ...times, authentication: { id, ...OWNER, ...opened, method: "oidc", amr: [] } }
}

describeStores(`${SESSIONS} sessions`, (kind) => {
  let open: OpenStore
  beforeEach(async () => {
    open = await kind.create()
  })
  afterEach(() => open.close())

  const createRegistry = (): SessionRegistry => {
    const { registry } = createRuntime(configOf({ adapter: open.adapter, session: { strategy: "jwt" } }), {}).sessions
    if (!registry) throw new Error("there is no registry")
    return registry
  }

  /** Creates sessions of a user, and ends a group that contains all of them. Returns how long that took. */
  async function measureEnd(registry: SessionRegistry, group: SessionGroup): Promise<number> {
    await Promise.all(
      Array.from({ length: SESSIONS }, (_, index) => registry.add(createSession(index), Date.now() + 1)),
    )
    expect(await registry.list(group)).toHaveLength(SESSIONS)
    const startedAt = performance.now()
    await registry.endAll(group)
    const tookMs = performance.now() - startedAt
    expect([await registry.list(OWNER), await registry.list(SUB)]).toEqual([[], []])
    expect(await registry.list({ provider: SUB.provider, sid: "sid-7" })).toEqual([])
    return tookMs
  }

  it.each<[string, SessionGroup]>([
    ["of a user at a provider", SUB],
    ["of a user", OWNER],
  ])("%s end within a second", async (_, group) => {
    const registry = createRegistry()
    const other = { ...createSession(SESSIONS), authentication: undefined }
    await registry.add(other, Date.now())
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) times.push(await measureEnd(registry, group))
    const median = times.sort((one, two) => one - two)[Math.floor(ROUNDS / 2)]
    expect(median).toBeLessThan(LIMIT_MS)
    expect(await registry.find(other.id)).toBeDefined()
  })
})
