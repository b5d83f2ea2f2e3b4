import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectOneWinner } from "./expect.js"
import { keyOf, newAccount, newClaim, newLink, newPasskey, newUser, storeUser } from "./fixtures.js"

/** Calls as many times at once, whatever becomes of each. */
const inParallel = <T>(count: number, call: (index: number) => T): Promise<PromiseSettledResult<Awaited<T>>[]> =>
  Promise.allSettled(Array.from({ length: count }, async (_, index) => await call(index)))

export const raceCases: readonly ContractCase[] = [
  contractCase({
    name: "useVerificationToken has one winner of 50 at once",
    needs: ["createVerificationToken", "useVerificationToken"],
    promise: "atomic-tokens",
    async check({ adapter }) {
      const link = newLink()
      const { identifier, token } = link
      await adapter.createVerificationToken(link)
      const results = await inParallel(50, () => adapter.useVerificationToken({ identifier, token }))
      const why = "useVerificationToken finds and deletes in one step: one call gets the link, the others get null"
      const seen = results.map((result) => (result.status === "rejected" ? "error" : result.value ? "link" : "null"))
      expectEqual(seen.sort(), ["link", ...Array.from({ length: 49 }, () => "null")], why)
    },
  }),

  contractCase({
    name: "claimOnce has one winner of 50 at once",
    needs: ["claimOnce"],
    async check({ adapter }) {
      const claim = newClaim()
      const results = await inParallel(50, () => adapter.claimOnce(claim))
      const why = "claimOnce looks and writes in one step: one call gets true, the others get false"
      const seen = results.map((result) => (result.status === "rejected" ? "error" : String(result.value)))
      expectEqual(seen.sort(), [...Array.from({ length: 49 }, () => "false"), "true"], why)
    },
  }),

  contractCase({
    name: "updateAccount keeps the tokens of one sign-in together, of 50 at once",
    needs: ["createUser", "linkAccount", "updateAccount", "listAccountsByUserId"],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const account = newAccount(user.id)
      await adapter.linkAccount(account)
      const results = await inParallel(50, (i) =>
        adapter.updateAccount({ ...account, access_token: `a ${i}`, refresh_token: `r ${i}` }),
      )
      const why = "updateAccount writes all members in one step, whichever call is the last"
      expectEqual(results.filter(({ status }) => status === "rejected").length, 0, why)
      const [stored] = await adapter.listAccountsByUserId(user.id)
      expectEqual(stored?.refresh_token, stored?.access_token?.replace("a", "r"), why)
    },
  }),

  contractCase({
    name: "createUser makes one user of 20 at once with the same address",
    needs: ["createUser", "getUserByEmail", "deleteUser"],
    promise: "unique-email",
    async check({ adapter }) {
      const { email } = newUser()
      const results = await inParallel(20, (index) => adapter.createUser(newUser({ email, name: `Ada ${index}` })))
      const why = "createUser checks the address and writes in one step (a unique index): one wins, the others reject"
      const winner = expectOneWinner(results, why)
      const stored = await adapter.getUserByEmail(email)
      expectEqual([stored?.id, stored?.name], [winner.id, winner.name], "the row is the winner's")
      await adapter.deleteUser(winner.id)
      expectNull(
        await adapter.getUserByEmail(email),
        "createUser left one row: when it is deleted nobody has the address",
      )
    },
  }),

  contractCase({
    name: "linkAccount links one of 20 at once with the same account",
    needs: ["createUser", "linkAccount", "getUserByAccount", "unlinkAccount"],
    promise: "unique-account",
    async check({ adapter }) {
      const users = await Promise.all(Array.from({ length: 20 }, async () => await storeUser(adapter)))
      const { provider, providerAccountId } = newAccount("")
      const results = await inParallel(20, async (index) => {
        const userId = users[index]?.id ?? ""
        await adapter.linkAccount(newAccount(userId, { provider, providerAccountId }))
        return userId
      })
      const why = "linkAccount checks the account and writes in one step (a unique index): one wins, the others reject"
      const winner = expectOneWinner(results, why)
      const owner = await adapter.getUserByAccount({ provider, providerAccountId })
      expectEqual(owner?.id, winner, "the account is the winner's")
      await adapter.unlinkAccount({ provider, providerAccountId })
      const left = await adapter.getUserByAccount({ provider, providerAccountId })
      expectNull(left, "linkAccount left one row: when it is deleted nobody has the account")
    },
  }),

  contractCase({
    name: "linkAccount leaves no account of nobody when the user is deleted at the same time",
    needs: ["createUser", "deleteUser", "linkAccount", "getUserByAccount"],
    promise: "cascade",
    async check({ adapter, asks }) {
      if (!asks("references")) return
      const next = await storeUser(adapter)
      const results = await inParallel(10, async () => {
        const gone = await storeUser(adapter)
        const account = newAccount(gone.id)
        const [, deletion] = await inParallel(2, (index) =>
          index === 0 ? adapter.linkAccount(account) : adapter.deleteUser(gone.id),
        )
        // The store may tell one of both to try again.
        if (deletion?.status === "rejected") await adapter.deleteUser(gone.id)
        expectNull(await adapter.getUserByAccount(keyOf(account)), "the account of a user who is gone leads to nobody")
        await adapter.linkAccount({ ...account, userId: next.id })
      })
      const failure = results.find((result) => result.status === "rejected")
      const why = "an account whose user was deleted while it was linked can be linked again: no row is left behind"
      expectEqual(failure?.reason, undefined, why)
    },
  }),

  contractCase({
    name: "updateAuthenticatorCounter has one winner of 10 at once with the same counter",
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "updateAuthenticatorCounter"],
    promise: "counters",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const { credentialID } = await adapter.createAuthenticator(newPasskey(user.id, { counter: 3 }))
      const results = await inParallel(10, () => adapter.updateAuthenticatorCounter(credentialID, 4))
      const why = "updateAuthenticatorCounter compares and sets in one step: one wins, the others reject"
      expectEqual(expectOneWinner(results, why).counter, 4, "the winner gets the new counter")
      expectEqual((await adapter.getAuthenticator(credentialID))?.counter, 4, "the new counter is stored")
    },
  }),

  contractCase({
    name: "updateAuthenticatorCounter ends at the highest of 10 different counters at once",
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "updateAuthenticatorCounter"],
    promise: "counters",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const { credentialID } = await adapter.createAuthenticator(newPasskey(user.id, { counter: 1 }))
      await inParallel(10, (index) => adapter.updateAuthenticatorCounter(credentialID, 20 - index))
      const stored = await adapter.getAuthenticator(credentialID)
      expectEqual(stored?.counter, 20, "a slower and smaller update never takes back the highest counter")
    },
  }),
]
