import type { AdapterAccount, AdapterMethod } from "../adapter.js"
import { type ContractCase, contractCase, type Tools } from "./case.js"
import { expectEqual, expectNull, expectQuiet, expectRecord, expectRejected } from "./expect.js"
import { bareAccount, fresh, keyOf, newAccount, storeUser } from "./fixtures.js"

/** Reads an account back by whichever method there is; undefined when there is none. */
async function readAccount(tools: Tools<never>, account: AdapterAccount) {
  const { adapter, skips } = tools
  const isThere = (name: AdapterMethod) => typeof adapter[name] === "function" && !skips(name)
  if (isThere("getAccount")) return adapter.getAccount?.(account.providerAccountId, account.provider)
  if (!isThere("listAccountsByUserId")) return undefined
  const all = await adapter.listAccountsByUserId?.(account.userId)
  return all?.find((one) => one.providerAccountId === account.providerAccountId) ?? null
}

/** What was stored is what was given, as far as it can be read. */
export async function expectStored(tools: Tools<never>, account: AdapterAccount, why: string): Promise<void> {
  const stored = await readAccount(tools, account)
  if (stored !== undefined) expectRecord(stored, account, { tools, why, ownId: true })
}

export const accountCases: readonly ContractCase[] = [
  contractCase({
    name: "linkAccount stores the account",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async check(tools) {
      const user = await storeUser(tools.adapter)
      const account = newAccount(user.id)
      const linked = await tools.adapter.linkAccount(account)
      const why = "linkAccount stores every member that it is given, and nothing else"
      if (linked) expectRecord(linked, account, { tools, why, ownId: true })
      await expectStored(tools, account, why)
      expectEqual(
        (await tools.adapter.getUserByAccount(keyOf(account)))?.id,
        user.id,
        "linkAccount links the account to its user",
      )
    },
  }),

  contractCase({
    name: "linkAccount adds no tokens to an account without any",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async check(tools) {
      const user = await storeUser(tools.adapter)
      const account = bareAccount(user.id)
      // Callers in JavaScript write this; the type forbids it.
      await tools.adapter.linkAccount({ ...account, refresh_token: undefined } as unknown as AdapterAccount)
      await expectStored(tools, account, "a token that was never given is absent: the type knows no null for it")
    },
  }),

  contractCase({
    name: "linkAccount takes members that the store does not know",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    promise: "unknown-members",
    async check(tools) {
      const user = await storeUser(tools.adapter)
      const account = { ...newAccount(user.id), ok: true, not_before: 7, team: { id: "T1", tags: ["a", "b"] } }
      const why = "linkAccount takes whatever the provider sent with its tokens; it may leave members out, but not fail"
      await expectQuiet(() => tools.adapter.linkAccount(account), why)
      expectEqual((await tools.adapter.getUserByAccount(keyOf(account)))?.id, user.id, why)
      const stored: object | null | undefined = await readAccount(tools, account)
      for (const name of ["ok", "not_before", "team"] as const) {
        const value: unknown = Reflect.get(stored ?? {}, name)
        expectEqual(value ?? account[name], account[name], `a member that comes back has its value: ${name}`)
      }
    },
  }),

  contractCase({
    name: "linkAccount refuses an account that is linked already",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    promise: "unique-account",
    async check({ adapter }) {
      const [owner, other] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(owner.id)
      await adapter.linkAccount(account)
      const again = { ...newAccount(other.id), providerAccountId: account.providerAccountId }
      const why = "linkAccount rejects an account that is linked: otherwise somebody else could take it over"
      await expectRejected(() => adapter.linkAccount(again), why)
      expectEqual(
        (await adapter.getUserByAccount(keyOf(account)))?.id,
        owner.id,
        "the account stays with its first user",
      )
    },
  }),

  contractCase({
    name: "linkAccount takes the same id at two providers",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async check({ adapter }) {
      const [first, second] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(first.id)
      const elsewhere = {
        ...newAccount(second.id, { provider: "other" }),
        providerAccountId: account.providerAccountId,
      }
      await adapter.linkAccount(account)
      await adapter.linkAccount(elsewhere)
      const owners = [await adapter.getUserByAccount(keyOf(account)), await adapter.getUserByAccount(keyOf(elsewhere))]
      const why = "an account is known by provider and id together: many providers simply count their users"
      expectEqual([owners[0]?.id, owners[1]?.id], [first.id, second.id], why)
    },
  }),

  contractCase({
    name: "linkAccount does not confuse where a provider's id ends",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    promise: "two-part-keys",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const id = fresh()
      await adapter.linkAccount(newAccount(user.id, { provider: "a", providerAccountId: `b:${id}` }))
      const found = await adapter.getUserByAccount({ provider: "a:b", providerAccountId: id })
      expectNull(found, "(a, b:1) and (a:b, 1) are two accounts: a key of both parts must keep them apart")
    },
  }),

  contractCase({
    name: "linkAccount refuses the account of a user who is not there",
    needs: ["createUser", "deleteUser", "linkAccount", "getUserByAccount"],
    promise: "references",
    async check({ adapter }) {
      const gone = await storeUser(adapter)
      await adapter.deleteUser(gone.id)
      const account = newAccount(gone.id)
      const why = "linkAccount rejects an unknown user: an account of nobody would lock its owner out for ever"
      await expectRejected(() => adapter.linkAccount(account), why)
      expectNull(await adapter.getUserByAccount(keyOf(account)), "a refused account is not linked")
    },
  }),

  contractCase({
    name: "getUserByAccount gives null for a wrong provider or id, and the user for the right ones",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const account = newAccount(user.id)
      const { provider, providerAccountId } = account
      await adapter.linkAccount(account)
      for (const wrong of [
        { provider, providerAccountId: fresh() },
        { provider: fresh(), providerAccountId },
        { provider: fresh(), providerAccountId: fresh() },
      ])
        expectNull(
          await adapter.getUserByAccount(wrong),
          "getUserByAccount gives null unless provider and id are right",
        )
      const found = await adapter.getUserByAccount({ provider, providerAccountId })
      expectRecord(found, user, { tools, why: "getUserByAccount gives the whole user, and nothing of the account" })
    },
  }),

  contractCase({
    name: "updateAccount changes the members that it is given",
    needs: ["createUser", "linkAccount", "updateAccount", "getUserByAccount"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const account = newAccount(user.id)
      await adapter.linkAccount(account)
      const changed = { ...bareAccount(user.id), ...keyOf(account), access_token: fresh(), scope: "user" }
      await adapter.updateAccount({ ...changed, refresh_token: undefined } as unknown as AdapterAccount)
      const why =
        "updateAccount changes the members that are given and keeps the others, the refresh token for instance"
      await expectStored(tools, { ...account, ...changed }, why)
    },
  }),

  contractCase({
    name: "updateAccount changes no account of another user, and adds none",
    needs: ["createUser", "linkAccount", "updateAccount", "getUserByAccount"],
    async check(tools) {
      const { adapter } = tools
      const [owner, other] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(owner.id)
      const unknown = newAccount(owner.id)
      await adapter.linkAccount(account)
      const why = "updateAccount of an account that the user does not have is no error, and changes nothing"
      await expectQuiet(() => adapter.updateAccount({ ...account, userId: other.id, access_token: fresh() }), why)
      await expectQuiet(() => adapter.updateAccount(unknown), why)
      await expectStored(tools, account, why)
      expectEqual((await adapter.getUserByAccount(keyOf(account)))?.id, owner.id, why)
      expectNull(await adapter.getUserByAccount(keyOf(unknown)), why)
    },
  }),

  contractCase({
    name: "unlinkAccount deletes one account and leaves the user",
    needs: ["createUser", "getUser", "linkAccount", "getUserByAccount", "unlinkAccount"],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const [gone, kept] = [newAccount(user.id), newAccount(user.id)]
      for (const account of [gone, kept]) await adapter.linkAccount(account)
      await adapter.unlinkAccount(keyOf(gone))
      expectNull(await adapter.getUserByAccount(keyOf(gone)), "after unlinkAccount getUserByAccount gives null")
      expectEqual(
        (await adapter.getUserByAccount(keyOf(kept)))?.id,
        user.id,
        "unlinkAccount leaves the other accounts alone",
      )
      expectEqual((await adapter.getUser(user.id))?.id, user.id, "unlinkAccount leaves the user")
      const why = "an account that was unlinked can be linked again"
      await expectQuiet(() => adapter.linkAccount(gone), why)
      expectEqual((await adapter.getUserByAccount(keyOf(gone)))?.id, user.id, why)
    },
  }),

  contractCase({
    name: "unlinkAccount of an account that is not there is no error",
    needs: ["unlinkAccount"],
    promise: "quiet-deletes",
    async check({ adapter }) {
      const why = "unlinkAccount of an unknown account is no error"
      await expectQuiet(() => adapter.unlinkAccount({ provider: "example", providerAccountId: fresh() }), why)
    },
  }),

  contractCase({
    name: "listAccountsByUserId gives the accounts of one user",
    needs: ["createUser", "linkAccount", "unlinkAccount", "listAccountsByUserId"],
    async check(tools) {
      const { adapter } = tools
      const [user, other] = [await storeUser(adapter), await storeUser(adapter)]
      const why = "listAccountsByUserId gives an empty list for somebody without accounts"
      expectEqual(await adapter.listAccountsByUserId(user.id), [], why)
      expectEqual(await adapter.listAccountsByUserId(crypto.randomUUID()), [], `${why}, and for nobody`)
      const accounts = [newAccount(user.id), newAccount(user.id, { provider: "other" })]
      for (const account of [...accounts, newAccount(other.id)]) await adapter.linkAccount(account)
      const listed = await adapter.listAccountsByUserId(user.id)
      expectEqual(listed.length, 2, "listAccountsByUserId gives every account of the user, and no other's")
      for (const account of accounts) {
        const found = listed.find(({ providerAccountId }) => providerAccountId === account.providerAccountId)
        expectRecord(found, account, { tools, why: "listAccountsByUserId gives whole accounts", ownId: true })
      }
      await adapter.unlinkAccount(keyOf(accounts[0] ?? newAccount(user.id)))
      const left = (await adapter.listAccountsByUserId(user.id)).map(({ provider }) => provider)
      expectEqual(left, ["other"], "listAccountsByUserId does not give what was unlinked")
    },
  }),
]
