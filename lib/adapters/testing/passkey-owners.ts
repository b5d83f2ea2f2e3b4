import { inspect, types } from "node:util"
import type { Adapter } from "../adapter.js"
import { type AdapterTestCase, defineCases, defineGuaranteeCases, PASSKEY } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectPasskey, expectRejected, expectTrue } from "./expect.js"
import { inDays, newPasskey, storePasskey, storeUser, uniqueText } from "./fixtures.js"

const HOUR_MS = 3_600_000
const REASON = "this transaction is rolled back on purpose"

const listPasskeys = async (adapter: Required<Pick<Adapter, "listAuthenticatorsByUserId">>, userId: string) =>
  (await adapter.listAuthenticatorsByUserId(userId)).map(({ credentialID }) => credentialID)

/** Tests the methods with which users manage their passkeys. The interface of Auth.js does not have these methods. */
export const passkeyOwnerCases: readonly AdapterTestCase[] = [
  ...defineCases([...PASSKEY, "renameAuthenticator"], {
    // The case needs `renameAuthenticator`, because adapters of Auth.js support neither a name nor a creation time.
    async "createAuthenticator sets the creation time itself and ignores a name"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { name: "given", createdAt: inDays(-400) })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectNull(
        stored?.name ?? null,
        "createAuthenticator ignores a passed name: only renameAuthenticator sets the name",
      )
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
      // Setting the same name a second time is not an error.
      for (const name of ["Ada's phone", "Ada's phone", "work", null]) {
        await adapter.renameAuthenticator(credentialID, name)
        const why = "renameAuthenticator changes only the name"
        expectPasskey(await adapter.getAuthenticator(credentialID), { ...passkey, name }, { tools, why })
        const listed = await adapter.listAuthenticatorsByUserId(user.id)
        const findName = (id: string) => listed.find((each) => each.credentialID === id)?.name ?? null
        expectEqual(findName(credentialID), name, "listAuthenticatorsByUserId returns the names of passkeys")
        expectEqual(findName(other.credentialID), null, "renameAuthenticator does not change the user's other passkeys")
      }
    },
  }),

  ...defineGuaranteeCases("plain-text", [...PASSKEY, "renameAuthenticator"], {
    async "renameAuthenticator keeps a name that looks like a date, a number or null as text"({ adapter }) {
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
      const id = uniqueText()
      await expectRejected(
        () => adapter.renameAuthenticator(id, "unknown"),
        "renameAuthenticator of an unknown passkey rejects, so that the user learns that the passkey was removed",
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
      const [deleted, kept] = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [deleted, kept]) await adapter.createAuthenticator(passkey)
      await adapter.deleteAuthenticator(deleted.credentialID)
      expectNull(
        await adapter.getAuthenticator(deleted.credentialID),
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
        const [user, newOwner] = [await storeUser(adapter), await storeUser(adapter)]
        const passkey = newPasskey(user.id)
        await adapter.createAuthenticator(passkey)
        await adapter.renameAuthenticator(passkey.credentialID, "sold")
        await adapter.deleteAuthenticator(passkey.credentialID)
        const why = "after deleteAuthenticator, the passkey can be stored again, and has no name"
        const recreated = await expectNoError(
          () => adapter.createAuthenticator({ ...passkey, userId: newOwner.id }),
          why,
        )
        expectNull(recreated.name ?? null, why)
        expectEqual(await listPasskeys(adapter, newOwner.id), [passkey.credentialID], why)
        expectEqual(
          await listPasskeys(adapter, user.id),
          [],
          "a passkey that another user has stored is only in the list of that user",
        )
      },
    },
  ),

  ...defineGuaranteeCases("quiet-deletes", ["deleteAuthenticator"], {
    async "deleteAuthenticator of an unknown passkey is not an error"({ adapter }) {
      const why = "deleteAuthenticator of an unknown passkey is not an error: a form may be submitted twice"
      await expectNoError(() => adapter.deleteAuthenticator(uniqueText()), why)
    },
  }),

  ...defineCases([...PASSKEY, "transaction", "renameAuthenticator", "deleteAuthenticator"], {
    async "transaction rolls back changes to passkeys when its work fails"({ adapter }) {
      const user = await storeUser(adapter)
      const [renamed, deleted] = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [renamed, deleted]) await adapter.createAuthenticator(passkey)
      const work = () =>
        adapter.transaction(async (tx) => {
          await tx.renameAuthenticator?.(renamed.credentialID, "other")
          await tx.deleteAuthenticator?.(deleted.credentialID)
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
