import type { AdapterUser } from "../adapter.js"
import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet, expectRejected, expectTrue } from "./expect.js"
import { fresh, inDays, newUser, storeUser } from "./fixtures.js"

export const emailCases: readonly ContractCase[] = [
  contractCase({
    name: "updateUser makes a changed address unproved, unless it is given the proof too",
    needs: ["createUser", "getUser", "updateUser"],
    promise: "unproved-changes",
    async check({ adapter }) {
      const { id, email, emailVerified } = await storeUser(adapter, { emailVerified: inDays(-1) })
      await adapter.updateUser({ id, email })
      const same = (await adapter.getUser(id))?.emailVerified
      expectEqual(same, emailVerified, "updateUser with the address that the user has keeps the proof")
      await adapter.updateUser({ id, email: newUser().email })
      const why = "the proof was of the earlier address: the owner of the new one has proved nothing"
      expectNull((await adapter.getUser(id))?.emailVerified, why)
      const proof = inDays(0)
      await adapter.updateUser({ id, email: newUser().email, emailVerified: proof })
      expectEqual(
        (await adapter.getUser(id))?.emailVerified,
        proof,
        "updateUser stores a proof that comes with the address",
      )
    },
  }),

  contractCase({
    name: "lockUser gives the user within a transaction, and null for an unknown id",
    needs: ["createUser", "updateUser", "lockUser", "transaction"],
    async check({ adapter }) {
      const { id, name } = await storeUser(adapter)
      const read = await adapter.transaction(async (within) => {
        const user = await within.lockUser?.(id)
        await within.updateUser?.({ id, image: "https://example.test/1.png" })
        return [user?.name, await within.lockUser?.(crypto.randomUUID())]
      })
      expectEqual(read, [name, null], "lockUser gives the whole user, and null where there is none")
    },
  }),

  contractCase({
    name: "updateUser moves a user to another address and frees the old one",
    needs: ["createUser", "getUserByEmail", "updateUser"],
    promise: "address-changes",
    async check({ adapter }) {
      const { id, email } = await storeUser(adapter)
      const moved = `${fresh()}@example.test`
      await adapter.updateUser({ id, email: moved })
      expectNull(
        await adapter.getUserByEmail(email),
        "after a change of address getUserByEmail gives null for the old one",
      )
      expectEqual((await adapter.getUserByEmail(moved))?.id, id, "getUserByEmail finds the user by the new address")
      const other = await storeUser(adapter, { email })
      expectEqual(
        (await adapter.getUserByEmail(email))?.id,
        other.id,
        "an address that was left is free for somebody else",
      )
    },
  }),

  contractCase({
    name: "createUser refuses a second user with the same address",
    needs: ["createUser", "getUserByEmail"],
    promise: "unique-email",
    async check({ adapter }) {
      const first = await storeUser(adapter)
      await expectRejected(
        () => adapter.createUser(newUser({ email: first.email })),
        "createUser rejects an address that is taken: otherwise one person becomes two users, by chance either one",
      )
      expectEqual((await adapter.getUserByEmail(first.email))?.id, first.id, "the first user keeps the address")
    },
  }),

  contractCase({
    name: "updateUser refuses the address of another user",
    needs: ["createUser", "getUserByEmail", "updateUser", "getUser"],
    promise: "unique-email",
    async check({ adapter }) {
      const [first, second] = [await storeUser(adapter), await storeUser(adapter)]
      await expectRejected(
        () => adapter.updateUser({ id: second.id, email: first.email }),
        "updateUser rejects an address that is taken: otherwise one user signs in as another",
      )
      expectEqual((await adapter.getUserByEmail(first.email))?.id, first.id, "the first user keeps the address")
      expectEqual((await adapter.getUser(second.id))?.email, second.email, "a refused updateUser changes nothing")
    },
  }),

  contractCase({
    name: "createUser keeps users without an address apart",
    needs: ["createUser", "getUser"],
    promise: "users-without-email",
    async check({ adapter }) {
      // The type wants an address, and yet some providers give none.
      const nobody = () => newUser({ email: null, emailVerified: null } as unknown as AdapterUser)
      const why = "createUser takes users without an address: some providers give none, and null equals nobody's"
      const first = await expectQuiet(() => adapter.createUser(nobody()), why)
      const second = await expectQuiet(() => adapter.createUser(nobody()), why)
      expectTrue(String(first.id) !== String(second.id), "two users without an address are two users")
      expectEqual((await adapter.getUser(first.id))?.email ?? null, null, "an address that was not given stays null")
    },
  }),
]
