import { inspect, types } from "node:util"
import type { Adapter } from "../adapter.js"
import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectPasskey, expectQuiet, expectRejected, expectTrue } from "./expect.js"
import { fresh, inDays, newPasskey, storeUser } from "./fixtures.js"

const HOUR_MS = 3_600_000
const REASON = "this transaction is undone on purpose"

const passkeysOf = async (adapter: Required<Pick<Adapter, "listAuthenticatorsByUserId">>, userId: string) =>
  (await adapter.listAuthenticatorsByUserId(userId)).map(({ credentialID }) => credentialID)

/** What the owners of passkeys do with them, which the interface of Auth.js has no methods for. */
export const passkeyOwnerCases: readonly ContractCase[] = [
  contractCase({
    name: "createAuthenticator notes the time itself, and takes no name",
    // Adapters of Auth.js know neither.
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "renameAuthenticator"],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const passkey = newPasskey(user.id, { name: "given", createdAt: inDays(-400) })
      await adapter.createAuthenticator(passkey)
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectNull(stored?.name ?? null, "createAuthenticator leaves the name to renameAuthenticator")
      const { createdAt } = stored ?? {}
      const isNow = types.isDate(createdAt) && Math.abs(Date.now() - createdAt.getTime()) < HOUR_MS
      const why = "createAuthenticator sets createdAt to the present time, as a Date, whatever it is given"
      expectTrue(isNow, `${why}\ngot:      ${inspect(createdAt)}`)
    },
  }),

  contractCase({
    name: "renameAuthenticator names one passkey, and takes the name away again",
    needs: [
      "createUser",
      "createAuthenticator",
      "getAuthenticator",
      "listAuthenticatorsByUserId",
      "renameAuthenticator",
    ],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const [passkey, other] = [newPasskey(user.id), newPasskey(user.id)]
      for (const each of [passkey, other]) await adapter.createAuthenticator(each)
      const { credentialID } = passkey
      // The second is what it is called already: no change, and no error.
      for (const name of ["Ada's phone", "Ada's phone", "work", null]) {
        await adapter.renameAuthenticator(credentialID, name)
        const why = "renameAuthenticator changes the name, and nothing else"
        expectPasskey(await adapter.getAuthenticator(credentialID), { ...passkey, name }, { tools, why })
        const listed = await adapter.listAuthenticatorsByUserId(user.id)
        const nameOf = (id: string) => listed.find((each) => each.credentialID === id)?.name ?? null
        expectEqual(nameOf(credentialID), name, "listAuthenticatorsByUserId gives names")
        expectEqual(nameOf(other.credentialID), null, "renameAuthenticator leaves the user's other passkeys alone")
      }
    },
  }),

  contractCase({
    name: "renameAuthenticator keeps a name that looks like a date, a number or nothing as text",
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "renameAuthenticator"],
    promise: "plain-text",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const { credentialID } = await adapter.createAuthenticator(newPasskey(user.id))
      for (const name of ["2024-01-02T03:04:05.678Z", "@2024-01-02T03:04:05.678Z", "007", "null", "{}"]) {
        await adapter.renameAuthenticator(credentialID, name)
        const stored = await adapter.getAuthenticator(credentialID)
        expectEqual(stored?.name, name, "a passkey's name is text, whatever it looks like")
      }
    },
  }),

  contractCase({
    name: "renameAuthenticator refuses an unknown passkey",
    needs: ["getAuthenticator", "renameAuthenticator"],
    async check({ adapter }) {
      const id = fresh()
      await expectRejected(
        () => adapter.renameAuthenticator(id, "nobody's"),
        "renameAuthenticator of an unknown passkey rejects: who renames one that is gone is told so",
      )
      expectNull(await adapter.getAuthenticator(id), "a refused renameAuthenticator leaves nothing behind")
    },
  }),

  contractCase({
    name: "updateAuthenticatorCounter keeps the name of a passkey and its time",
    needs: [
      "createUser",
      "createAuthenticator",
      "getAuthenticator",
      "updateAuthenticatorCounter",
      "renameAuthenticator",
    ],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const { credentialID } = await adapter.createAuthenticator(newPasskey(user.id))
      await adapter.renameAuthenticator(credentialID, "work")
      const before = await adapter.getAuthenticator(credentialID)
      const why = "updateAuthenticatorCounter, which each sign-in calls, changes the counter alone"
      const updated = await adapter.updateAuthenticatorCounter(credentialID, 3)
      expectEqual(updated, { ...before, counter: 3 }, why)
      expectEqual(await adapter.getAuthenticator(credentialID), { ...before, counter: 3 }, why)
    },
  }),

  contractCase({
    name: "deleteAuthenticator deletes one passkey, and no other",
    needs: [
      "createUser",
      "getUser",
      "createAuthenticator",
      "getAuthenticator",
      "listAuthenticatorsByUserId",
      "deleteAuthenticator",
    ],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const [gone, kept] = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [gone, kept]) await adapter.createAuthenticator(passkey)
      await adapter.deleteAuthenticator(gone.credentialID)
      expectNull(
        await adapter.getAuthenticator(gone.credentialID),
        "after deleteAuthenticator getAuthenticator gives null: nobody signs in with a passkey that was removed",
      )
      const why = "deleteAuthenticator leaves the user's other passkeys alone"
      expectEqual(await passkeysOf(adapter, user.id), [kept.credentialID], why)
      expectEqual((await adapter.getUser(user.id))?.id, user.id, "deleteAuthenticator leaves the user alone")
    },
  }),

  contractCase({
    name: "deleteAuthenticator leaves nothing of a passkey, which another user can store then",
    needs: [
      "createUser",
      "createAuthenticator",
      "listAuthenticatorsByUserId",
      "renameAuthenticator",
      "deleteAuthenticator",
    ],
    async check({ adapter }) {
      const [user, next] = [await storeUser(adapter), await storeUser(adapter)]
      const passkey = newPasskey(user.id)
      await adapter.createAuthenticator(passkey)
      await adapter.renameAuthenticator(passkey.credentialID, "sold")
      await adapter.deleteAuthenticator(passkey.credentialID)
      const why = "after deleteAuthenticator the credential id is free, and nothing is left of what it was called"
      const again = await expectQuiet(() => adapter.createAuthenticator({ ...passkey, userId: next.id }), why)
      expectNull(again.name ?? null, why)
      expectEqual(await passkeysOf(adapter, next.id), [passkey.credentialID], why)
      expectEqual(await passkeysOf(adapter, user.id), [], "a passkey that changed hands is in one list alone")
    },
  }),

  contractCase({
    name: "deleteAuthenticator of a passkey that is not there is no error",
    needs: ["deleteAuthenticator"],
    promise: "quiet-deletes",
    async check({ adapter }) {
      const why = "deleteAuthenticator of an unknown passkey is no error: a form may be sent twice"
      await expectQuiet(() => adapter.deleteAuthenticator(fresh()), why)
    },
  }),

  contractCase({
    name: "transaction undoes what was done to passkeys when its work fails",
    needs: [
      "transaction",
      "createUser",
      "createAuthenticator",
      "getAuthenticator",
      "renameAuthenticator",
      "deleteAuthenticator",
    ],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const [renamed, deleted] = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [renamed, deleted]) await adapter.createAuthenticator(passkey)
      const work = () =>
        adapter.transaction(async (within) => {
          await within.renameAuthenticator?.(renamed.credentialID, "other")
          await within.deleteAuthenticator?.(deleted.credentialID)
          throw new Error(REASON)
        })
      await expectRejected(work, "transaction rejects when its work does")
      const stored = await adapter.getAuthenticator(renamed.credentialID)
      expectNull(stored?.name ?? null, "a transaction that failed names no passkey")
      const found = await adapter.getAuthenticator(deleted.credentialID)
      const why = "a transaction that failed deletes no passkey: its account may be there still"
      expectEqual(found?.credentialID, deleted.credentialID, why)
    },
  }),
]
