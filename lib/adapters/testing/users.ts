import type { AdapterUser } from "../adapter.js"
import { DATABASE_SESSION_METHODS } from "../bind.js"
import { type AdapterTestCase, defineCases, defineGuaranteeCases, requireMethods } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectRecord, expectRejected, expectTrue } from "./expect.js"
import { inDays, newUser, storeUser, uniqueText } from "./fixtures.js"

export const userCases: readonly AdapterTestCase[] = [
  ...requireMethods(
    "has the methods that accounts and sessions need",
    DATABASE_SESSION_METHODS,
    "sign-in requires these methods, but the adapter lacks them",
  ),

  ...requireMethods(
    "has unlinkAccount and deleteUser",
    ["unlinkAccount", "deleteUser"],
    "deletion of users and accounts requires these methods, but the adapter lacks them",
  ),

  ...defineCases(["createUser", "getUser"], {
    async "createUser returns the stored user with its id"(tools) {
      const user = newUser()
      const created = await tools.adapter.createUser(user)
      const why = "createUser returns the given user; only the id may differ"
      expectRecord(created, { ...user, id: created?.id }, { tools, why })
      expectTrue(
        created.id !== undefined && created.id !== null && String(created.id) !== "",
        `${why}: the id is missing`,
      )
      if (tools.requires("string-ids")) expectEqual(typeof created.id, "string", "createUser returns a string id")
      const stored = await tools.adapter.getUser(created.id)
      expectRecord(
        stored,
        { ...user, id: created.id },
        { tools, why: "createUser stores what it returns: getUser must return the same" },
      )
    },

    async "createUser does not keep a reference to the given object"(tools) {
      const user = newUser()
      const created = await tools.adapter.createUser(user)
      const { id } = created
      Object.assign(user, { name: "changed outside" })
      Object.assign(created, { name: "changed outside" })
      const read = await tools.adapter.getUser(id)
      expectEqual(read?.name, "Ada Lovelace", "a change of the object after createUser changes no row")
      Object.assign(read ?? {}, { name: "changed outside" })
      const again = await tools.adapter.getUser(id)
      expectEqual(again?.name, "Ada Lovelace", "a change of the result of getUser changes no row")
    },

    async "createUser keeps a missing name and picture null or absent, and emailVerified null"({ adapter }) {
      const nulls = await storeUser(adapter, { name: null, image: null, emailVerified: null })
      const { name: _, image: __, ...bare } = newUser({ emailVerified: null })
      const absent = await adapter.createUser(bare)
      for (const { id } of [nulls, absent]) {
        const read = await adapter.getUser(id)
        expectEqual(read?.name ?? null, null, "getUser returns null or undefined for a name that was never set")
        expectEqual(read?.image ?? null, null, "getUser returns null or undefined for a picture that was never set")
        expectNull(
          read?.emailVerified,
          "getUser returns null for an address that was never verified: it must not look verified",
        )
      }
    },
  }),

  ...defineGuaranteeCases("unknown-members", ["createUser", "getUser"], {
    async "createUser accepts profile members that are unknown to the adapter"({ adapter }) {
      const user = { ...newUser(), favouriteColour: "green" }
      const why =
        "createUser accepts every member that `profile` returns: it may omit an unknown member, but must not fail"
      const created = await expectNoError(() => adapter.createUser(user), why)
      const read: object | null = await adapter.getUser(created.id)
      const colour: unknown = Reflect.get(read ?? {}, "favouriteColour")
      expectEqual(colour ?? "green", "green", "a member that is returned has the value that was stored")
    },
  }),

  ...defineCases(["createUser", "getUser"], {
    async "getUser returns null for an unknown id, and the user for a known one"(tools) {
      const { adapter } = tools
      const created = await storeUser(adapter)
      const found = await expectNoError(
        () => adapter.getUser(crypto.randomUUID()),
        "getUser of an unknown id is not an error",
      )
      expectNull(found, "getUser returns null for an unknown id: anything else signs the visitor in as another user")
      expectRecord(await adapter.getUser(created.id), created, { tools, why: "getUser returns the whole user" })
    },
  }),

  ...defineGuaranteeCases("any-id", ["getUser"], {
    async "getUser returns null for an invalid id"({ adapter }) {
      for (const id of [uniqueText(), "unknown", "0", ""]) {
        const why = `getUser of an id of any form is not an error, here ${JSON.stringify(id)}: a session may contain the id of another database`
        expectNull(await expectNoError(() => adapter.getUser(id), why), why)
      }
    },
  }),

  ...defineCases(["createUser", "getUserByEmail"], {
    async "getUserByEmail returns null for an unknown address, and the user for a known one"(tools) {
      const { adapter } = tools
      const created = await storeUser(adapter)
      expectNull(
        await adapter.getUserByEmail(`${uniqueText()}@example.test`),
        "getUserByEmail returns null for an unknown address: anything else signs the visitor in as another user",
      )
      const found = await adapter.getUserByEmail(created.email)
      expectRecord(found, created, { tools, why: "getUserByEmail returns the whole user" })
    },
  }),

  ...defineCases(["createUser", "getUser", "updateUser"], {
    async "updateUser changes the given members and keeps the others"(tools) {
      const { adapter } = tools
      const created = await storeUser(adapter)
      const updated = await adapter.updateUser({ id: created.id, name: "Grace Hopper" })
      const expected = { ...created, name: "Grace Hopper" }
      expectRecord(updated, expected, { tools, why: "updateUser returns the whole user with the change" })
      const stored = await adapter.getUser(created.id)
      expectRecord(stored, expected, { tools, why: "updateUser stores the change and keeps the other members" })
    },

    async "updateUser sets and clears emailVerified"({ adapter }) {
      const { id } = await storeUser(adapter, { emailVerified: null })
      const verifiedAt = inDays(0)
      await adapter.updateUser({ id, emailVerified: verifiedAt })
      expectEqual(
        (await adapter.getUser(id))?.emailVerified,
        verifiedAt,
        "updateUser stores when the address was verified",
      )
      await adapter.updateUser({ id, emailVerified: null })
      expectNull((await adapter.getUser(id))?.emailVerified, "updateUser with null clears emailVerified")
    },
  }),

  ...defineGuaranteeCases("partial-updates", ["createUser", "getUser", "updateUser"], {
    async "updateUser treats undefined as unchanged"({ adapter }) {
      const { id, email } = await storeUser(adapter)
      // The type forbids undefined, but JavaScript callers can pass it.
      await adapter.updateUser({ id, name: undefined, email: undefined, image: null } as unknown as AdapterUser)
      const stored = await adapter.getUser(id)
      expectEqual(
        [stored?.name, stored?.email, stored?.image ?? null],
        ["Ada Lovelace", email, null],
        "updateUser ignores undefined members and clears members that are null",
      )
    },
  }),

  ...defineGuaranteeCases("known-users", ["updateUser", "getUser"], {
    async "updateUser rejects an unknown user"({ adapter }) {
      const id = crypto.randomUUID()
      const why = "updateUser of an unknown user rejects: there is no user to return"
      await expectRejected(() => adapter.updateUser({ id, name: "unknown" }), why)
      expectNull(await adapter.getUser(id), "updateUser of an unknown user creates no user")
    },
  }),
]
