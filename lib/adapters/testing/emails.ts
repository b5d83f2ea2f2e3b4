import type { AdapterUser } from "../adapter.js"
import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet, expectRejected, expectTrue } from "./expect.js"
import { fresh, newUser, storeUser } from "./fixtures.js"

export const emailCases: readonly ContractCase[] = [
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
