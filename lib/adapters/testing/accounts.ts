import type { AdapterAccount, AdapterMethod } from "../adapter.js"
import { ACCOUNT, type AdapterTestCase, defineCases, defineGuaranteeCases, type Tools } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectOwner, expectRecord, expectRejected } from "./expect.js"
import { accountKey, bareAccount, newAccount, storeAccount, storeUser, uniqueText } from "./fixtures.js"

/** Returns the stored account; null if there is none, or undefined if no method of the adapter reads accounts. */
async function readAccount(tools: Tools<never>, account: AdapterAccount) {
  const { adapter, skips } = tools
  const isAvailable = (name: AdapterMethod) => typeof adapter[name] === "function" && !skips(name)
  if (isAvailable("getAccount")) return adapter.getAccount?.(account.providerAccountId, account.provider)
  if (!isAvailable("listAccountsByUserId")) return undefined
  const accounts = await adapter.listAccountsByUserId?.(account.userId)
  return accounts?.find(({ providerAccountId }) => providerAccountId === account.providerAccountId) ?? null
}

/** Expects the stored account to equal the given one. Passes if the adapter has no method that reads accounts. */
export async function expectStored(tools: Tools<never>, account: AdapterAccount, why: string): Promise<void> {
  const stored = await readAccount(tools, account)
  if (stored !== undefined) expectRecord(stored, account, { tools, why, added: "id" })
}

export const accountCases: readonly AdapterTestCase[] = [
  ...defineCases(ACCOUNT, {
    async "linkAccount stores the account"(tools) {
      const user = await storeUser(tools.adapter)
      const account = newAccount(user.id)
      const linked = await tools.adapter.linkAccount(account)
      const why = "linkAccount stores every given member and nothing else"
      if (linked) expectRecord(linked, account, { tools, why, added: "id" })
      await expectStored(tools, account, why)
      await expectOwner(tools.adapter, account, { id: user.id, why: "linkAccount links the account to its user" })
    },

    async "linkAccount adds no tokens to an account without tokens"(tools) {
      const user = await storeUser(tools.adapter)
      const account = bareAccount(user.id)
      // The type forbids undefined, but JavaScript callers can pass it.
      await tools.adapter.linkAccount({ ...account, refresh_token: undefined } as unknown as AdapterAccount)
      await expectStored(tools, account, "a token that was never given is absent: its type does not allow null")
    },
  }),

  ...defineGuaranteeCases("unknown-members", ACCOUNT, {
    async "linkAccount accepts members that are unknown to the adapter"(tools) {
      const user = await storeUser(tools.adapter)
      const account = { ...newAccount(user.id), ok: true, not_before: 7, team: { id: "T1", tags: ["a", "b"] } }
      const why = "linkAccount accepts every member of a token response: it may omit a member, but must not fail"
      await expectNoError(() => tools.adapter.linkAccount(account), why)
      await expectOwner(tools.adapter, account, { id: user.id, why })
      const stored: object | null | undefined = await readAccount(tools, account)
      for (const name of ["ok", "not_before", "team"] as const) {
        const value: unknown = Reflect.get(stored ?? {}, name)
        expectEqual(
          value ?? account[name],
          account[name],
          `a member that is returned has the value that was stored: ${name}`,
        )
      }
    },
  }),

  ...defineGuaranteeCases("unique-account", ACCOUNT, {
    async "linkAccount rejects an account that is already linked"({ adapter }) {
      const [owner, other] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(owner.id)
      await adapter.linkAccount(account)
      const duplicate = { ...newAccount(other.id), providerAccountId: account.providerAccountId }
      const why = "linkAccount rejects a linked account: otherwise another user could take over the account"
      await expectRejected(() => adapter.linkAccount(duplicate), why)
      await expectOwner(adapter, account, { id: owner.id, why: "the account stays with its first user" })
    },
  }),

  ...defineCases(ACCOUNT, {
    async "linkAccount accepts the same id at two providers"({ adapter }) {
      const [first, second] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(first.id)
      const atOtherProvider = {
        ...newAccount(second.id, { provider: "other" }),
        providerAccountId: account.providerAccountId,
      }
      await adapter.linkAccount(account)
      await adapter.linkAccount(atOtherProvider)
      const owners = [
        await adapter.getUserByAccount(accountKey(account)),
        await adapter.getUserByAccount(accountKey(atOtherProvider)),
      ]
      const why = "provider and id together identify an account: two providers may use the same id"
      expectEqual([owners[0]?.id, owners[1]?.id], [first.id, second.id], why)
    },
  }),

  ...defineGuaranteeCases("two-part-keys", ACCOUNT, {
    async "linkAccount keeps provider and id apart"({ adapter }) {
      const user = await storeUser(adapter)
      const id = uniqueText()
      await adapter.linkAccount(newAccount(user.id, { provider: "a", providerAccountId: `b:${id}` }))
      const found = await adapter.getUserByAccount({ provider: "a:b", providerAccountId: id })
      expectNull(found, "(a, b:1) and (a:b, 1) are two accounts: a key of both parts must keep them apart")
    },
  }),

  ...defineGuaranteeCases("references", [...ACCOUNT, "deleteUser"], {
    async "linkAccount rejects the account of an unknown user"({ adapter }) {
      const deletedUser = await storeUser(adapter)
      await adapter.deleteUser(deletedUser.id)
      const account = newAccount(deletedUser.id)
      const why = "linkAccount rejects an unknown user: an account without a user would lock its owner out permanently"
      await expectRejected(() => adapter.linkAccount(account), why)
      expectNull(await adapter.getUserByAccount(accountKey(account)), "a rejected account is not linked")
    },
  }),

  ...defineCases(ACCOUNT, {
    async "getUserByAccount returns null for a wrong provider or id, and the user for matching ones"(tools) {
      const { adapter } = tools
      const { user, account } = await storeAccount(adapter)
      const { provider, providerAccountId } = account
      for (const wrong of [
        { provider, providerAccountId: uniqueText() },
        { provider: uniqueText(), providerAccountId },
        { provider: uniqueText(), providerAccountId: uniqueText() },
      ])
        expectNull(await adapter.getUserByAccount(wrong), "getUserByAccount returns null unless provider and id match")
      const found = await adapter.getUserByAccount({ provider, providerAccountId })
      expectRecord(found, user, { tools, why: "getUserByAccount returns the whole user, without account members" })
    },
  }),

  ...defineCases([...ACCOUNT, "updateAccount"], {
    async "updateAccount changes the given members"(tools) {
      const { adapter } = tools
      const { user, account } = await storeAccount(adapter)
      const changed = { ...bareAccount(user.id), ...accountKey(account), access_token: uniqueText(), scope: "user" }
      await adapter.updateAccount({ ...changed, refresh_token: undefined } as unknown as AdapterAccount)
      const why = "updateAccount changes the given members and keeps the others, for example the refresh token"
      await expectStored(tools, { ...account, ...changed }, why)
    },

    async "updateAccount removes the members that are null"(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const members = { refresh_token: uniqueText(), ...(adapter.keepsVerifiedEmail && { verifiedEmail: user.email }) }
      const account = newAccount(user.id, members)
      await adapter.linkAccount(account)
      const names = Object.keys(members)
      const removed = Object.fromEntries(names.map((name) => [name, null]))
      await adapter.updateAccount({ ...account, ...removed })
      const stored: object | null | undefined = await readAccount(tools, account)
      const left = names.filter((name) => (Reflect.get(stored ?? {}, name) ?? null) !== null)
      expectEqual(left, [], "updateAccount removes the members that are null, for example a revoked refresh token")
    },

    async "updateAccount changes no account of another user, and adds none"(tools) {
      const { adapter } = tools
      const [owner, other] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(owner.id)
      const unknown = newAccount(owner.id)
      await adapter.linkAccount(account)
      const why = "updateAccount of an account that the user does not have is not an error and changes nothing"
      await expectNoError(
        () => adapter.updateAccount({ ...account, userId: other.id, access_token: uniqueText() }),
        why,
      )
      await expectNoError(() => adapter.updateAccount(unknown), why)
      await expectStored(tools, account, why)
      await expectOwner(adapter, account, { id: owner.id, why })
      expectNull(await adapter.getUserByAccount(accountKey(unknown)), why)
    },
  }),

  ...defineCases([...ACCOUNT, "getUser", "unlinkAccount"], {
    async "unlinkAccount deletes one account and leaves the user"({ adapter }) {
      const user = await storeUser(adapter)
      const [unlinked, kept] = [newAccount(user.id), newAccount(user.id)]
      for (const account of [unlinked, kept]) await adapter.linkAccount(account)
      await adapter.unlinkAccount(accountKey(unlinked))
      expectNull(
        await adapter.getUserByAccount(accountKey(unlinked)),
        "after unlinkAccount getUserByAccount returns null",
      )
      await expectOwner(adapter, kept, { id: user.id, why: "unlinkAccount does not change the other accounts" })
      expectEqual((await adapter.getUser(user.id))?.id, user.id, "unlinkAccount leaves the user")
      const why = "an account that was unlinked can be linked again"
      await expectNoError(() => adapter.linkAccount(unlinked), why)
      await expectOwner(adapter, unlinked, { id: user.id, why })
    },
  }),

  ...defineGuaranteeCases("quiet-deletes", ["unlinkAccount"], {
    async "unlinkAccount of an account that does not exist is not an error"({ adapter }) {
      const why = "unlinkAccount of an unknown account is not an error"
      await expectNoError(() => adapter.unlinkAccount({ provider: "example", providerAccountId: uniqueText() }), why)
    },
  }),

  ...defineCases(["createUser", "linkAccount", "unlinkAccount", "listAccountsByUserId"], {
    async "listAccountsByUserId returns the accounts of one user"(tools) {
      const { adapter } = tools
      const [user, other] = [await storeUser(adapter), await storeUser(adapter)]
      const why = "listAccountsByUserId returns an empty list for a user without accounts"
      expectEqual(await adapter.listAccountsByUserId(user.id), [], why)
      expectEqual(await adapter.listAccountsByUserId(crypto.randomUUID()), [], `${why}, and for an unknown user`)
      const accounts = [newAccount(user.id), newAccount(user.id, { provider: "other" })]
      for (const account of [...accounts, newAccount(other.id)]) await adapter.linkAccount(account)
      const listed = await adapter.listAccountsByUserId(user.id)
      expectEqual(
        listed.length,
        2,
        "listAccountsByUserId returns every account of the user, and no account of another user",
      )
      for (const account of accounts) {
        const found = listed.find(({ providerAccountId }) => providerAccountId === account.providerAccountId)
        expectRecord(found, account, { tools, why: "listAccountsByUserId returns whole accounts", added: "id" })
      }
      await adapter.unlinkAccount(accountKey(accounts[0] ?? newAccount(user.id)))
      const remaining = (await adapter.listAccountsByUserId(user.id)).map(({ provider }) => provider)
      expectEqual(remaining, ["other"], "listAccountsByUserId omits unlinked accounts")
    },
  }),
]
