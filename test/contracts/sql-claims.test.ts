import { SqlAdapter } from "../../lib/adapters/sql.js"
import { mysql, postgres, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"

const MINUTE_MS = 60_000
const REASON = "undone on purpose"

for (const each of [sqlite, postgres, mysql])
  describeStore(`what was claimed on ${each.name}`, each, ({ create }) => {
    let opened: Awaited<ReturnType<typeof create>>
    let adapter: SqlAdapter
    let now: number

    beforeEach(async () => {
      now = Date.now()
      opened = await create()
      adapter = SqlAdapter({ ...opened.database.place, now: () => now })
    })
    afterEach(async () => {
      await adapter.close()
      await opened.close()
    })

    const newClaim = () => ({ id: crypto.randomUUID(), expires: new Date(now + MINUTE_MS) })
    const rows = () => opened.database.raw.query("SELECT identifier, token FROM verification_tokens")
    const stored = async () => {
      const [row] = await rows()
      return { identifier: String(row?.["identifier"]), token: String(row?.["token"]) }
    }

    it("stands as a hash, under what is no address", async () => {
      const claim = newClaim()
      await adapter.claimOnce(claim)
      expect(await stored()).toEqual({ identifier: "latchkey:claimed", token: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(await opened.dump?.()).not.toContain(claim.id)
    })

    it("is known to every process, and to one winner of many in two of them", async () => {
      const claim = newClaim()
      const claims = Array.from({ length: 20 }, (_, i) => (i % 2 ? adapter : opened.adapter).claimOnce(claim))
      expect((await Promise.all(claims)).filter((isMine) => isMine)).toEqual([true])
      expect(await rows()).toHaveLength(1)
    })

    it("is neither used nor deleted as a link, though a visitor should guess its row", async () => {
      const claim = newClaim()
      await adapter.claimOnce(claim)
      const row = await stored()
      expect(await adapter.useVerificationToken(row)).toBeNull()
      await adapter.deleteVerificationTokens(row.identifier)
      expect([await stored(), await adapter.claimOnce(claim)]).toEqual([row, false])
    })

    it("is undone with its transaction", async () => {
      const claim = newClaim()
      const work = adapter.transaction(async (within) => {
        expect([await within.claimOnce?.(claim), await within.claimOnce?.(claim)]).toEqual([true, false])
        throw new Error(REASON)
      })
      await expect(work).rejects.toThrow(REASON)
      expect(await adapter.claimOnce(claim)).toBe(true)
    })

    it("is swept when its time is over, where nothing else is written either", async () => {
      await adapter.claimOnce(newClaim())
      now += MINUTE_MS - 1
      expect(await adapter.sweep()).toBe(0)
      now += 20 * MINUTE_MS
      const kept = newClaim()
      await adapter.claimOnce(kept)
      await until(async () => (await rows()).length === 1, 5_000)
      expect(await adapter.claimOnce(kept)).toBe(false)
    })
  })
