import type { AdapterMethod, AdapterUser } from "../adapter.js"
import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet, expectRecord, expectRejected, expectTrue } from "./expect.js"
import { fresh, inDays, newUser, storeUser } from "./fixtures.js"

const SESSION_METHODS: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]

export const userCases: readonly ContractCase[] = [
  contractCase({
    name: "has the methods that accounts and sessions need",
    needs: [],
    async check({ adapter, skips }) {
      const missing = SESSION_METHODS.filter((name) => typeof adapter[name] !== "function" && !skips(name))
      expectEqual(missing, [], "every adapter has these methods: without them nobody signs in")
    },
  }),

  contractCase({
    name: "has unlinkAccount and deleteUser",
    needs: [],
    async check({ adapter, skips }) {
      const methods = ["unlinkAccount", "deleteUser"] as const
      const missing = methods.filter((name) => typeof adapter[name] !== "function" && !skips(name))
      expectEqual(missing, [], "every adapter has these methods: people leave, too")
    },
  }),

  contractCase({
    name: "createUser gives the user as it was stored, with its id",
    needs: ["createUser", "getUser"],
    async check(tools) {
      const user = newUser()
      const created = await tools.adapter.createUser(user)
      const why = "createUser gives back what it was given; only the id may be another"
      expectRecord(created, { ...user, id: created?.id }, { tools, why })
      expectTrue(created.id !== undefined && created.id !== null && String(created.id) !== "", `${why}: there is no id`)
      if (tools.asks("string-ids")) expectEqual(typeof created.id, "string", "createUser gives an id that is text")
      const stored = await tools.adapter.getUser(created.id)
      expectRecord(
        stored,
        { ...user, id: created.id },
        { tools, why: "createUser stores what it gives: getUser must give the same" },
      )
    },
  }),

  contractCase({
    name: "createUser does not hold on to the object that it was given",
    needs: ["createUser", "getUser"],
    async check(tools) {
      const user = newUser()
      const created = await tools.adapter.createUser(user)
      const { id } = created
      Object.assign(user, { name: "changed outside" })
      Object.assign(created, { name: "changed outside" })
      const read = await tools.adapter.getUser(id)
      expectEqual(read?.name, "Ada Lovelace", "what a caller does to its object after createUser changes no row")
      Object.assign(read ?? {}, { name: "changed outside" })
      const again = await tools.adapter.getUser(id)
      expectEqual(again?.name, "Ada Lovelace", "what a caller does to the answer of getUser changes no row")
    },
  }),

  contractCase({
    name: "createUser keeps a name, a picture and a proof that are not there as null or absent",
    needs: ["createUser", "getUser"],
    async check({ adapter }) {
      const nulls = await storeUser(adapter, { name: null, image: null, emailVerified: null })
      const { name: _, image: __, ...bare } = newUser({ emailVerified: null })
      const absent = await adapter.createUser(bare)
      for (const { id } of [nulls, absent]) {
        const read = await adapter.getUser(id)
        expectEqual(read?.name ?? null, null, "getUser gives null, or nothing, for a name that was never given")
        expectEqual(read?.image ?? null, null, "getUser gives null, or nothing, for a picture that was never given")
        expectNull(
          read?.emailVerified,
          "getUser gives null for an address that was never proven: it must not look proven",
        )
      }
    },
  }),

  contractCase({
    name: "createUser takes members of a profile that the store does not know",
    needs: ["createUser", "getUser"],
    promise: "unknown-members",
    async check({ adapter }) {
      const user = { ...newUser(), favouriteColour: "green" }
      const why = "createUser takes what an application's `profile` gives; a member may be left out, but is no error"
      const created = await expectQuiet(() => adapter.createUser(user), why)
      const read: object | null = await adapter.getUser(created.id)
      const colour: unknown = Reflect.get(read ?? {}, "favouriteColour")
      expectEqual(colour ?? "green", "green", "a member that comes back has the value that was stored")
    },
  }),

  contractCase({
    name: "getUser gives null for an unknown id, and the user for a known one",
    needs: ["createUser", "getUser"],
    async check(tools) {
      const { adapter } = tools
      const created = await storeUser(adapter)
      const found = await expectQuiet(
        () => adapter.getUser(crypto.randomUUID()),
        "getUser of an unknown id is no error",
      )
      expectNull(found, "getUser gives null for an unknown id: anything else signs people in as somebody")
      expectRecord(await adapter.getUser(created.id), created, { tools, why: "getUser gives the whole user" })
    },
  }),

  contractCase({
    name: "getUser gives null for what is no id",
    needs: ["getUser"],
    promise: "any-id",
    async check({ adapter }) {
      for (const id of [fresh(), "nobody", "0", ""]) {
        const why = `getUser of an id of any form is no error, here ${JSON.stringify(id)}: sessions may hold the ids of another store`
        expectNull(await expectQuiet(() => adapter.getUser(id), why), why)
      }
    },
  }),

  contractCase({
    name: "getUserByEmail gives null for an unknown address, and the user for a known one",
    needs: ["createUser", "getUserByEmail"],
    async check(tools) {
      const { adapter } = tools
      const created = await storeUser(adapter)
      expectNull(
        await adapter.getUserByEmail(`${fresh()}@example.test`),
        "getUserByEmail gives null for an unknown address: anything else signs people in as somebody",
      )
      const found = await adapter.getUserByEmail(created.email)
      expectRecord(found, created, { tools, why: "getUserByEmail gives the whole user" })
    },
  }),

  contractCase({
    name: "updateUser changes what it is given and keeps the rest",
    needs: ["createUser", "getUser", "updateUser"],
    async check(tools) {
      const { adapter } = tools
      const created = await storeUser(adapter)
      const updated = await adapter.updateUser({ id: created.id, name: "Grace Hopper" })
      const expected = { ...created, name: "Grace Hopper" }
      expectRecord(updated, expected, { tools, why: "updateUser gives the whole user, changed" })
      const stored = await adapter.getUser(created.id)
      expectRecord(stored, expected, { tools, why: "updateUser stores the change and keeps the rest" })
    },
  }),

  contractCase({
    name: "updateUser sets and clears the proof of an address",
    needs: ["createUser", "getUser", "updateUser"],
    async check({ adapter }) {
      const { id } = await storeUser(adapter, { emailVerified: null })
      const proven = inDays(0)
      await adapter.updateUser({ id, emailVerified: proven })
      expectEqual((await adapter.getUser(id))?.emailVerified, proven, "updateUser stores when the address was proven")
      await adapter.updateUser({ id, emailVerified: null })
      expectNull((await adapter.getUser(id))?.emailVerified, "updateUser with null clears: the proof is gone")
    },
  }),

  contractCase({
    name: "updateUser takes undefined for nothing to change",
    needs: ["createUser", "getUser", "updateUser"],
    promise: "partial-updates",
    async check({ adapter }) {
      const { id, email } = await storeUser(adapter)
      // Callers in JavaScript write this; the type forbids it.
      await adapter.updateUser({ id, name: undefined, email: undefined, image: null } as unknown as AdapterUser)
      const stored = await adapter.getUser(id)
      expectEqual(
        [stored?.name, stored?.email, stored?.image ?? null],
        ["Ada Lovelace", email, null],
        "updateUser leaves members alone that are undefined, and clears those that are null",
      )
    },
  }),

  contractCase({
    name: "updateUser refuses a user who is not there",
    needs: ["updateUser", "getUser"],
    promise: "known-users",
    async check({ adapter }) {
      const id = crypto.randomUUID()
      const why = "updateUser of an unknown user rejects: it has no user to give back"
      await expectRejected(() => adapter.updateUser({ id, name: "nobody" }), why)
      expectNull(await adapter.getUser(id), "updateUser of an unknown user creates nobody")
    },
  }),
]
