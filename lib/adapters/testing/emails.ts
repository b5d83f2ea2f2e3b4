import type { AdapterUser } from "../adapter.js"
import { type AdapterTestCase, defineCases, defineGuaranteeCases } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectRejected, expectTrue } from "./expect.js"
import { inDays, newUser, storeUser, uniqueText } from "./fixtures.js"

export const emailCases: readonly AdapterTestCase[] = [
  ...defineGuaranteeCases("unverified-changes", ["createUser", "getUser", "updateUser"], {
    async "updateUser makes a changed address unverified, unless it sets emailVerified too"({ adapter }) {
      const { id, email, emailVerified } = await storeUser(adapter, { emailVerified: inDays(-1) })
      await adapter.updateUser({ id, email })
      const unchanged = (await adapter.getUser(id))?.emailVerified
      expectEqual(unchanged, emailVerified, "updateUser with an unchanged address keeps emailVerified")
      await adapter.updateUser({ id, email: newUser().email })
      const why = "updateUser with a new address clears emailVerified: only the old address was verified"
      expectNull((await adapter.getUser(id))?.emailVerified, why)
      const verifiedAt = inDays(0)
      await adapter.updateUser({ id, email: newUser().email, emailVerified: verifiedAt })
      expectEqual(
        (await adapter.getUser(id))?.emailVerified,
        verifiedAt,
        "updateUser stores emailVerified if the call sets both the address and emailVerified",
      )
    },
  }),

  ...defineCases(["createUser", "updateUser", "lockUser", "transaction"], {
    async "lockUser returns the user within a transaction, and null for an unknown id"({ adapter }) {
      const { id, name } = await storeUser(adapter)
      const read = await adapter.transaction(async (tx) => {
        const user = await tx.lockUser?.(id)
        await tx.updateUser?.({ id, image: "https://example.test/1.png" })
        return [user?.name, await tx.lockUser?.(crypto.randomUUID())]
      })
      expectEqual(read, [name, null], "lockUser returns all fields of the user, or null for an unknown id")
    },
  }),

  ...defineGuaranteeCases("address-changes", ["createUser", "getUserByEmail", "updateUser"], {
    async "updateUser moves a user to another address and frees the old one"({ adapter }) {
      const { id, email } = await storeUser(adapter)
      const newEmail = `${uniqueText()}@example.test`
      await adapter.updateUser({ id, email: newEmail })
      expectNull(
        await adapter.getUserByEmail(email),
        "after a change of address, getUserByEmail returns null for the old address",
      )
      expectEqual((await adapter.getUserByEmail(newEmail))?.id, id, "getUserByEmail finds the user by the new address")
      const other = await storeUser(adapter, { email })
      expectEqual((await adapter.getUserByEmail(email))?.id, other.id, "another user can have the old address")
    },
  }),

  ...defineGuaranteeCases("unique-email", ["createUser", "getUserByEmail"], {
    async "createUser rejects a second user with the same address"({ adapter }) {
      const first = await storeUser(adapter)
      await expectRejected(
        () => adapter.createUser(newUser({ email: first.email })),
        "createUser rejects an address that is taken: otherwise one visitor has two users",
      )
      expectEqual((await adapter.getUserByEmail(first.email))?.id, first.id, "the first user keeps the address")
    },
  }),

  ...defineGuaranteeCases("unique-email", ["createUser", "getUserByEmail", "updateUser", "getUser"], {
    async "updateUser rejects the address of another user"({ adapter }) {
      const [first, second] = [await storeUser(adapter), await storeUser(adapter)]
      await expectRejected(
        () => adapter.updateUser({ id: second.id, email: first.email }),
        "updateUser rejects an address that is taken: otherwise one user signs in as another",
      )
      expectEqual((await adapter.getUserByEmail(first.email))?.id, first.id, "the first user keeps the address")
      expectEqual((await adapter.getUser(second.id))?.email, second.email, "a rejected updateUser changes nothing")
    },
  }),

  ...defineGuaranteeCases("users-without-email", ["createUser", "getUser"], {
    async "createUser keeps users without an address apart"({ adapter }) {
      // The type requires an address, but some providers return none.
      const userWithoutAddress = () => newUser({ email: null, emailVerified: null } as unknown as AdapterUser)
      const why = "createUser accepts several users without an address: some providers return no address"
      const first = await expectNoError(() => adapter.createUser(userWithoutAddress()), why)
      const second = await expectNoError(() => adapter.createUser(userWithoutAddress()), why)
      expectTrue(String(first.id) !== String(second.id), "two users without an address are two users")
      expectEqual((await adapter.getUser(first.id))?.email ?? null, null, "an address that was not given stays null")
    },
  }),
]
