import { inspect, types } from "node:util"
import type { Adapter } from "../adapter.js"
import { type AdapterTestCase, defineCases, defineGuaranteeCases, PASSKEY } from "./case.js"
import { expectEqual, expectNull, expectPasskey, expectQuiet, expectRejected, expectTrue } from "./expect.js"
import { fresh, inDays, newPasskey, storePasskey, storeUser } from "./fixtures.js"

const HOUR_MS = 3_600_000
const REASON = "this transaction is rolled back on purpose"

const listPasskeys = async (adapter: Required<Pick<Adapter, "listAuthenticatorsByUserId">>, userId: string) =>
  (await adapter.listAuthenticatorsByUserId(userId)).map(({ credentialID }) => credentialID)

/** Tests the management of passkeys by their owners, for which the interface of Auth.js has no methods. */
export const passkeyOwnerCases: readonly AdapterTestCase[] = [
  ...defineCases([...PASSKEY, "renameAuthenticator"], {
    // Auth.js adapters support neither.
    async "createAuthenticator sets the time itself and ignores a name"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { name: "given", createdAt: inDays(-400) })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectNull(stored?.name ?? null, "createAuthenticator leaves the name to renameAuthenticator")
      const { createdAt } = stored ?? {}
      const isNow = types.isDate(createdAt) && Math.abs(Date.now() - createdAt.getTime()) < HOUR_MS
      const why = "createAuthenticator ignores the passed createdAt and sets it to the current time, as a Date"
      expectTrue(isNow, `${why}\ngot:      ${inspect(createdAt)}`)
    },
  }),

  ...defineCases([...PASSKEY, "listAuthenticatorsByUserId", "renameAuthenticator"], {
    async "renameAuthenticator sets and removes the name of one passkey"(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const [passkey, other] = [newPasskey(user.id), newPasskey(user.id)]
      for (const each of [passkey, other]) await adapter.createAuthenticator(each)
      const { credentialID } = passkey
      // The second call sets the same name: no change, and no error.
      for (const name of ["Ada's phone", "Ada's phone", "work", null]) {
        await adapter.renameAuthenticator(credentialID, name)
        const why = "renameAuthenticator changes only the name"
        expectPasskey(await adapter.getAuthenticator(credentialID), { ...passkey, name }, { tools, why })
        const listed = await adapter.listAuthenticatorsByUserId(user.id)
        const findName = (id: string) => listed.find((each) => each.credentialID === id)?.name ?? null
        expectEqual(findName(credentialID), name, "listAuthenticatorsByUserId returns names")
        expectEqual(findName(other.credentialID), null, "renameAuthenticator does not change the user's other passkeys")
      }
    },
  }),

  ...defineGuaranteeCases("plain-text", [...PASSKEY, "renameAuthenticator"], {
    async "renameAuthenticator keeps a name that looks like a date, a number or nothing as text"({ adapter }) {
      const { passkey } = await storePasskey(adapter)
      const { credentialID } = passkey
      for (const name of ["2024-01-02T03:04:05.678Z", "@2024-01-02T03:04:05.678Z", "007", "null", "{}"]) {
        await adapter.renameAuthenticator(credentialID, name)
        const stored = await adapter.getAuthenticator(credentialID)
        expectEqual(stored?.name, name, "a passkey's name stays a string even if it looks like a date or a number")
      }
    },
  }),

  ...defineCases(["getAuthenticator", "renameAuthenticator"], {
    async "renameAuthenticator rejects an unknown passkey"({ adapter }) {
      const id = fresh()
      await expectRejected(
        () => adapter.renameAuthenticator(id, "unknown"),
        "renameAuthenticator of an unknown passkey rejects, so that the user sees that it is gone",
      )
      expectNull(await adapter.getAuthenticator(id), "a rejected renameAuthenticator stores nothing")
    },
  }),

  ...defineCases([...PASSKEY, "updateAuthenticatorCounter", "renameAuthenticator"], {
    async "updateAuthenticatorCounter keeps the name and the creation time of a passkey"({ adapter }) {
      const { passkey } = await storePasskey(adapter)
      const { credentialID } = passkey
      await adapter.renameAuthenticator(credentialID, "work")
      const before = await adapter.getAuthenticator(credentialID)
      const why = "updateAuthenticatorCounter, which each sign-in calls, changes only the counter"
      const updated = await adapter.updateAuthenticatorCounter(credentialID, 3)
      expectEqual(updated, { ...before, counter: 3 }, why)
      expectEqual(await adapter.getAuthenticator(credentialID), { ...before, counter: 3 }, why)
    },
  }),

  ...defineCases([...PASSKEY, "getUser", "listAuthenticatorsByUserId", "deleteAuthenticator"], {
    async "deleteAuthenticator deletes only the given passkey"({ adapter }) {
      const user = await storeUser(adapter)
      const [gone, kept] = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [gone, kept]) await adapter.createAuthenticator(passkey)
      await adapter.deleteAuthenticator(gone.credentialID)
      expectNull(
        await adapter.getAuthenticator(gone.credentialID),
        "after deleteAuthenticator getAuthenticator returns null: a removed passkey cannot sign in",
      )
      const why = "deleteAuthenticator does not change the user's other passkeys"
      expectEqual(await listPasskeys(adapter, user.id), [kept.credentialID], why)
      expectEqual((await adapter.getUser(user.id))?.id, user.id, "deleteAuthenticator does not change the user")
    },
  }),

  ...defineCases(
    ["createUser", "createAuthenticator", "listAuthenticatorsByUserId", "renameAuthenticator", "deleteAuthenticator"],
    {
      async "deleteAuthenticator removes all data of a passkey, so that another user can store it"({ adapter }) {
        const [user, next] = [await storeUser(adapter), await storeUser(adapter)]
        const passkey = newPasskey(user.id)
        await adapter.createAuthenticator(passkey)
        await adapter.renameAuthenticator(passkey.credentialID, "sold")
        await adapter.deleteAuthenticator(passkey.credentialID)
        const why = "after deleteAuthenticator the credential id is free and the name is gone"
        const again = await expectQuiet(() => adapter.createAuthenticator({ ...passkey, userId: next.id }), why)
        expectNull(again.name ?? null, why)
        expectEqual(await listPasskeys(adapter, next.id), [passkey.credentialID], why)
        expectEqual(
          await listPasskeys(adapter, user.id),
          [],
          "a passkey that changed its user is only in the list of the new user",
        )
      },
    },
  ),

  ...defineGuaranteeCases("quiet-deletes", ["deleteAuthenticator"], {
    async "deleteAuthenticator of an unknown passkey is not an error"({ adapter }) {
      const why = "deleteAuthenticator of an unknown passkey is not an error: a form may be submitted twice"
      await expectQuiet(() => adapter.deleteAuthenticator(fresh()), why)
    },
  }),

  ...defineCases([...PASSKEY, "transaction", "renameAuthenticator", "deleteAuthenticator"], {
    async "transaction rolls back changes to passkeys when its work fails"({ adapter }) {
      const user = await storeUser(adapter)
      const [renamed, deleted] = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [renamed, deleted]) await adapter.createAuthenticator(passkey)
      const work = () =>
        adapter.transaction(async (within) => {
          await within.renameAuthenticator?.(renamed.credentialID, "other")
          await within.deleteAuthenticator?.(deleted.credentialID)
          throw new Error(REASON)
        })
      await expectRejected(work, "transaction rejects when its work rejects")
      const stored = await adapter.getAuthenticator(renamed.credentialID)
      expectNull(stored?.name ?? null, "a failed transaction renames no passkey")
      const found = await adapter.getAuthenticator(deleted.credentialID)
      const why = "a failed transaction deletes no passkey: its account may still exist"
      expectEqual(found?.credentialID, deleted.credentialID, why)
    },
  }),
]
