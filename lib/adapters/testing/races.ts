import { ACCOUNT, type AdapterTestCase, defineCases, defineGuaranteeCases, PASSKEY } from "./case.js"
import { expectEqual, expectNull, expectOneWinner } from "./expect.js"
import { accountKey, newAccount, newLink, newUser, storeAccount, storePasskey, storeUser } from "./fixtures.js"

/** Starts the calls at once, and waits until all have settled. */
const inParallel = <T>(count: number, call: (index: number) => T): Promise<PromiseSettledResult<Awaited<T>>[]> =>
  Promise.allSettled(Array.from({ length: count }, async (_, index) => await call(index)))

export const raceCases: readonly AdapterTestCase[] = [
  ...defineGuaranteeCases("atomic-tokens", ["createVerificationToken", "useVerificationToken"], {
    async "useVerificationToken succeeds for one of 50 concurrent calls"({ adapter }) {
      const link = newLink()
      const { identifier, token } = link
      await adapter.createVerificationToken(link)
      const results = await inParallel(50, () => adapter.useVerificationToken({ identifier, token }))
      const why =
        "useVerificationToken finds and deletes in one step: one call returns the link, the others return null"
      const outcomes = results.map((result) =>
        result.status === "rejected" ? "error" : result.value ? "link" : "null",
      )
      expectEqual(outcomes.sort(), ["link", ...Array.from({ length: 49 }, () => "null")], why)
    },
  }),

  ...defineCases(["createUser", "linkAccount", "updateAccount", "listAccountsByUserId"], {
    async "updateAccount keeps the tokens of one sign-in together in 50 concurrent calls"({ adapter }) {
      const { user, account } = await storeAccount(adapter)
      const results = await inParallel(50, (i) =>
        adapter.updateAccount({ ...account, access_token: `a ${i}`, refresh_token: `r ${i}` }),
      )
      const why = "updateAccount writes all members in one step, whichever call is the last"
      expectEqual(results.filter(({ status }) => status === "rejected").length, 0, why)
      const [stored] = await adapter.listAccountsByUserId(user.id)
      expectEqual(stored?.refresh_token, stored?.access_token?.replace("a", "r"), why)
    },
  }),

  ...defineGuaranteeCases("unique-email", ["createUser", "getUserByEmail", "deleteUser"], {
    async "createUser creates one user in 20 concurrent calls with the same address"({ adapter }) {
      const { email } = newUser()
      const results = await inParallel(20, (index) => adapter.createUser(newUser({ email, name: `Ada ${index}` })))
      const why =
        "createUser checks the address and writes in one step (a unique index): one call succeeds, the others reject"
      const winner = expectOneWinner(results, why)
      const stored = await adapter.getUserByEmail(email)
      expectEqual(
        [stored?.id, stored?.name],
        [winner.id, winner.name],
        "the stored user is the user of the call that succeeded",
      )
      await adapter.deleteUser(winner.id)
      expectNull(
        await adapter.getUserByEmail(email),
        "createUser stored one user: after the deletion of this user, no user has the address",
      )
    },
  }),

  ...defineGuaranteeCases("unique-account", [...ACCOUNT, "unlinkAccount"], {
    async "linkAccount succeeds for one of 20 concurrent calls with the same account"({ adapter }) {
      const users = await Promise.all(Array.from({ length: 20 }, async () => await storeUser(adapter)))
      const { provider, providerAccountId } = newAccount("")
      const results = await inParallel(20, async (index) => {
        const userId = users[index]?.id ?? ""
        await adapter.linkAccount(newAccount(userId, { provider, providerAccountId }))
        return userId
      })
      const why =
        "linkAccount checks the account and writes in one step (a unique index): one call succeeds, the others reject"
      const winner = expectOneWinner(results, why)
      const owner = await adapter.getUserByAccount({ provider, providerAccountId })
      expectEqual(owner?.id, winner, "the account belongs to the user of the call that succeeded")
      await adapter.unlinkAccount({ provider, providerAccountId })
      const remainingOwner = await adapter.getUserByAccount({ provider, providerAccountId })
      expectNull(remainingOwner, "linkAccount stored one account: after unlinkAccount, no user has the account")
    },
  }),

  ...defineGuaranteeCases("cascade", [...ACCOUNT, "deleteUser"], {
    async "linkAccount leaves no orphaned account when the user is deleted at the same time"({ adapter, requires }) {
      if (!requires("references")) return
      const newOwner = await storeUser(adapter)
      const results = await inParallel(10, async () => {
        const deleted = await storeUser(adapter)
        const account = newAccount(deleted.id)
        const [, deletion] = await inParallel(2, (index) =>
          index === 0 ? adapter.linkAccount(account) : adapter.deleteUser(deleted.id),
        )
        // The database may reject one of the two calls with a retryable error, for example because of a deadlock.
        if (deletion?.status === "rejected") await adapter.deleteUser(deleted.id)
        expectNull(
          await adapter.getUserByAccount(accountKey(account)),
          "getUserByAccount returns null for the account of a deleted user",
        )
        await adapter.linkAccount({ ...account, userId: newOwner.id })
      })
      const failure = results.find((result) => result.status === "rejected")
      const why = "linkAccount leaves no row if the user is deleted at the same time: the account can be linked again"
      expectEqual(failure?.reason, undefined, why)
    },
  }),

  ...defineGuaranteeCases("counters", [...PASSKEY, "updateAuthenticatorCounter"], {
    async "updateAuthenticatorCounter succeeds for one of 10 concurrent calls with the same counter"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { counter: 3 })
      const { credentialID } = passkey
      const results = await inParallel(10, () => adapter.updateAuthenticatorCounter(credentialID, 4))
      const why = "updateAuthenticatorCounter compares and sets in one step: one call succeeds, the others reject"
      expectEqual(expectOneWinner(results, why).counter, 4, "the successful call returns the new counter")
      expectEqual((await adapter.getAuthenticator(credentialID))?.counter, 4, "the new counter is stored")
    },

    async "updateAuthenticatorCounter ends at the highest of 10 concurrent counters"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { counter: 1 })
      const { credentialID } = passkey
      await inParallel(10, (index) => adapter.updateAuthenticatorCounter(credentialID, 20 - index))
      const stored = await adapter.getAuthenticator(credentialID)
      expectEqual(stored?.counter, 20, "a slower update with a smaller counter never replaces the highest counter")
    },
  }),
]
