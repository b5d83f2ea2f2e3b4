import type { Adapter, AdapterUser } from "../../../../lib/adapters/adapter.js"
import type { Defect } from "./defect.js"

type Work = (adapter: Adapter) => Promise<unknown>

const ALL = [
  "transaction rolls back all writes when its work fails",
  "transaction rolls back changes and deletions when its work fails",
  "transaction rolls back changes to passkeys when its work fails",
]

/** Defects of transactions. */
export const BROKEN_TRANSACTIONS: readonly Defect[] = [
  {
    name: "rolls back nothing",
    foundBy: [...ALL, "transaction rolls back all writes when one of them is rejected"],
    change: (good) => ({ transaction: (work: Work) => work(good) }),
  },
  {
    name: "commits nothing",
    foundBy: [
      "transaction commits the writes and returns the result of the work",
      "transaction does not block the next transaction after a failure",
    ],
    change: (good) => ({
      async transaction(work: Work) {
        const results: unknown[] = []
        const undo = new Error("undo")
        await good
          .transaction(async (within) => {
            results.push(await work(within))
            throw undo
          })
          .catch((error: unknown) => {
            if (error !== undo) throw error
          })
        return results[0]
      },
    }),
  },
  {
    name: "does not return the result of the work",
    foundBy: [
      "transaction commits the writes and returns the result of the work",
      "transaction commits one of 10 concurrent first sign-ins and leaves no orphan",
    ],
    change: (good) => ({
      async transaction(work: Work) {
        await good.transaction(work)
      },
    }),
  },
  {
    name: "replaces the error of the work",
    foundBy: ["transaction rolls back all writes when its work fails"],
    change: (good) => ({
      transaction: (work: Work) =>
        good.transaction(work).catch(() => {
          throw new Error("rolled back")
        }),
    }),
  },
  {
    name: "rejects every transaction after a failed one",
    foundBy: ["transaction does not block the next transaction after a failure"],
    change(good) {
      let isBroken = false
      return {
        async transaction(work: Work) {
          if (isBroken) throw new Error("current transaction is aborted")
          return good.transaction(work).catch((error: unknown) => {
            isBroken = true
            throw error
          })
        },
      }
    },
  },
  {
    name: "locks a user without reading the row",
    foundBy: ["lockUser returns the user within a transaction, and null for an unknown id"],
    change: () => ({ lockUser: async (id: string) => ({ id }) }),
  },
  {
    name: "does not see the transaction's own writes",
    foundBy: ["transaction reads its own writes"],
    change: (good) => ({
      transaction: (work: Work) =>
        good.transaction((within) => {
          const written: AdapterUser[] = []
          const createUser = async (user: AdapterUser) => {
            written.push(user)
            return within.createUser?.(user)
          }
          const hidden = (email: string) => written.some((user) => user.email === email)
          const getUserByEmail = (email: string) => (hidden(email) ? null : within.getUserByEmail?.(email))
          return work({ ...within, createUser, getUserByEmail } as Adapter)
        }),
    }),
  },
  {
    name: "runs calls on the adapter itself outside of the transaction",
    guarantee: "joined-calls",
    foundBy: ["transaction includes calls of its work on the adapter itself"],
    change(good) {
      const others: AdapterUser[] = []
      let isInside = false
      return {
        createUser(user: AdapterUser) {
          if (isInside) others.push(user)
          return good.createUser(user)
        },
        getUserByEmail: async (email: string) =>
          (await good.getUserByEmail(email)) ?? others.find((user) => user.email === email) ?? null,
        transaction: (work: Work) =>
          good.transaction((within) => {
            isInside = true
            return work(within).finally(() => {
              isInside = false
            })
          }),
      }
    },
  },
]
