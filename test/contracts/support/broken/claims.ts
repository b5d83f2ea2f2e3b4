import type { AdapterClaim } from "../../../../lib/adapters/adapter.js"
import { type Mistake, tick } from "./mistake.js"

/** True for the first who comes with a key. */
const firstOf = (keyOf: (claim: AdapterClaim) => string) => {
  const claimed = new Set<string>()
  return async (claim: AdapterClaim) => {
    const isFirst = !claimed.has(keyOf(claim))
    claimed.add(keyOf(claim))
    return isFirst
  }
}

/** Mistakes in what is good once. */
export const BROKEN_CLAIMS: readonly Mistake[] = [
  {
    mistake: "looks for a claim first and writes it later (FLT-10)",
    foundBy: ["claimOnce has one winner of 50 at once"],
    change() {
      const claimed = new Set<string>()
      return {
        async claimOnce({ id }: AdapterClaim) {
          const isFirst = !claimed.has(id)
          await tick()
          claimed.add(id)
          return isFirst
        },
      }
    },
  },
  {
    mistake: "fails over a claim that is there",
    foundBy: ["claimOnce gives true to the first, and false afterwards", "claimOnce has one winner of 50 at once"],
    change: (good) => ({
      async claimOnce(claim: AdapterClaim) {
        if (await good.claimOnce(claim)) return true
        throw new Error("UNIQUE constraint failed: claims")
      },
    }),
  },
  {
    mistake: "takes a claim with another end for another one",
    foundBy: ["claimOnce gives true to the first, and false afterwards"],
    change: () => ({ claimOnce: firstOf(({ id, expires }) => `${id} ${expires.toISOString()}`) }),
  },
  {
    mistake: "has one claim for all",
    foundBy: ["claimOnce keeps ids apart", "claimOnce is not in the way of sign-in links, nor they in its"],
    change: () => ({ claimOnce: firstOf(() => "claimed") }),
  },
  {
    mistake: "keeps the last claim alone",
    foundBy: ["claimOnce keeps ids apart"],
    change() {
      let last = ""
      return {
        async claimOnce({ id }: AdapterClaim) {
          const isFirst = id !== last
          last = id
          return isFirst
        },
      }
    },
  },
  {
    mistake: "refuses a claim whose end has come",
    foundBy: ["claimOnce takes an id whose end has come"],
    change: (good) => ({
      async claimOnce(claim: AdapterClaim) {
        if (claim.expires.getTime() < Date.now()) throw new Error("invalid expire time")
        return good.claimOnce(claim)
      },
    }),
  },
  {
    mistake: "keeps claims among the links",
    foundBy: ["claimOnce is not in the way of sign-in links, nor they in its"],
    change: (good) => ({
      async claimOnce({ id, expires }: AdapterClaim) {
        const link = { identifier: id, token: id }
        const found = await good.useVerificationToken(link)
        await good.createVerificationToken({ ...link, expires })
        return found === null
      },
    }),
  },
]
