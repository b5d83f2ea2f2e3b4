import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectOneWinner, expectRejected } from "./expect.js"
import { keyOf, newAccount, newLink, newSession, newUser, storeUser } from "./fixtures.js"

const REASON = "this transaction is undone on purpose"

/** Work that has gone wrong after its writes. */
const stop = (): never => {
  throw new Error(REASON)
}

export const transactionCases: readonly ContractCase[] = [
  contractCase({
    name: "transaction keeps what its adapter wrote, and gives the result of the work",
    needs: ["transaction", "createUser", "getUser", "linkAccount", "getUserByAccount"],
    async check({ adapter }) {
      const account = newAccount("")
      const id = await adapter.transaction(async (within) => {
        const user = await within.createUser?.(newUser())
        await within.linkAccount?.({ ...account, userId: user?.id ?? "" })
        return user?.id ?? ""
      })
      expectEqual((await adapter.getUser(id))?.id, id, "transaction keeps the user that was created in it")
      expectEqual(
        (await adapter.getUserByAccount(keyOf(account)))?.id,
        id,
        "transaction keeps the account that was linked in it",
      )
    },
  }),

  contractCase({
    name: "transaction sees its own writes",
    needs: ["transaction", "createUser", "getUserByEmail", "linkAccount", "getUserByAccount", "updateUser"],
    async check({ adapter }) {
      const user = newUser()
      const account = newAccount("")
      await adapter.transaction(async (within) => {
        const created = await within.createUser?.(user)
        const id = created?.id ?? ""
        expectEqual(
          (await within.getUserByEmail?.(user.email))?.id,
          id,
          "within a transaction getUserByEmail sees its writes",
        )
        await within.linkAccount?.({ ...account, userId: id })
        expectEqual(
          (await within.getUserByAccount?.(keyOf(account)))?.id,
          id,
          "within a transaction getUserByAccount sees its writes",
        )
        await within.updateUser?.({ id, name: "Grace Hopper" })
      })
      const stored = await adapter.getUserByAccount(keyOf(account))
      expectEqual(stored?.name, "Grace Hopper", "transaction keeps the last of several writes to one row")
    },
  }),

  contractCase({
    name: "transaction leaves nothing behind when its work fails",
    needs: ["transaction", "createUser", "getUserByEmail", "linkAccount", "getUserByAccount", "createSession"],
    async check({ adapter }) {
      const user = newUser()
      const account = newAccount("")
      const session = newSession("")
      const work = () =>
        adapter.transaction(async (within) => {
          const created = await within.createUser?.(user)
          const userId = created?.id ?? ""
          await within.linkAccount?.({ ...account, userId })
          await within.createSession?.({ ...session, userId })
          stop()
        })
      const error = await expectRejected(work, "transaction rejects when its work does")
      const message: unknown = Reflect.get(Object(error), "message")
      expectEqual(message, REASON, "transaction rejects with the work's own error: it says what went wrong")
      expectNull(
        await adapter.getUserByEmail(user.email),
        "a transaction that failed leaves no user: the retry must succeed",
      )
      expectNull(await adapter.getUserByAccount(keyOf(account)), "a transaction that failed leaves no account")
      const found = await adapter.getSessionAndUser?.(session.sessionToken)
      expectNull(found ?? null, "a transaction that failed leaves no session")
    },
  }),

  contractCase({
    name: "transaction undoes changes and deletions when its work fails",
    needs: ["transaction", "createUser", "getUser", "updateUser", "linkAccount", "unlinkAccount", "getUserByAccount"],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const account = newAccount(user.id)
      await adapter.linkAccount(account)
      const session = newSession(user.id)
      await adapter.createSession?.(session)
      const link = newLink()
      await adapter.createVerificationToken?.(link)
      const { identifier, token } = link
      const work = () =>
        adapter.transaction(async (within) => {
          await within.updateUser?.({ id: user.id, name: "somebody else" })
          await within.unlinkAccount?.(keyOf(account))
          await within.deleteSession?.(session.sessionToken)
          await within.useVerificationToken?.({ identifier, token })
          stop()
        })
      await expectRejected(work, "transaction rejects when its work does")
      expectEqual((await adapter.getUser(user.id))?.name, user.name, "a transaction that failed changes no user")
      expectEqual(
        (await adapter.getUserByAccount(keyOf(account)))?.id,
        user.id,
        "a transaction that failed unlinks nothing",
      )
      const found = await adapter.getSessionAndUser?.(session.sessionToken)
      if (adapter.getSessionAndUser && adapter.createSession)
        expectEqual(found?.user.id, user.id, "a transaction that failed ends no session")
      if (adapter.useVerificationToken && adapter.createVerificationToken)
        expectEqual(
          (await adapter.useVerificationToken({ identifier, token }))?.token,
          token,
          "a transaction that failed uses up no link: the person can open it again",
        )
    },
  }),

  contractCase({
    name: "transaction leaves nothing behind when one of its writes is refused",
    needs: ["transaction", "createUser", "getUserByEmail", "linkAccount", "getUserByAccount"],
    promise: "unique-account",
    async check({ adapter }) {
      const owner = await storeUser(adapter)
      const account = newAccount(owner.id)
      await adapter.linkAccount(account)
      const user = newUser()
      const work = () =>
        adapter.transaction(async (within) => {
          const created = await within.createUser?.(user)
          await within.linkAccount?.({ ...account, userId: created?.id ?? "" })
        })
      await expectRejected(work, "transaction rejects when an account is linked already")
      expectNull(await adapter.getUserByEmail(user.email), "a transaction whose second write fails undoes the first")
      expectEqual(
        (await adapter.getUserByAccount(keyOf(account)))?.id,
        owner.id,
        "the account stays with its first user",
      )
    },
  }),

  contractCase({
    name: "transaction lets one of 10 first sign-ins at once through, and leaves no orphan",
    needs: ["transaction", "createUser", "getUserByEmail", "linkAccount", "getUserByAccount", "deleteUser"],
    promise: "unique-email",
    async check({ adapter }) {
      const { email } = newUser()
      const account = newAccount("")
      const signUp = () =>
        adapter.transaction(async (within) => {
          const user = await within.createUser?.(newUser({ email }))
          const userId = user?.id ?? ""
          await within.linkAccount?.({ ...account, userId })
          return userId
        })
      const results = await Promise.allSettled(Array.from({ length: 10 }, signUp))
      const id = expectOneWinner(results, "of transactions that create the same user one wins, the others reject")
      expectEqual((await adapter.getUserByAccount(keyOf(account)))?.id, id, "the account is the winner's")
      await adapter.deleteUser(id)
      expectNull(await adapter.getUserByEmail(email), "the transactions that lost left no user behind")
    },
  }),

  contractCase({
    name: "transaction does not stand in the way of the next one after a failure",
    needs: ["transaction", "createUser", "getUserByEmail"],
    async check({ adapter }) {
      const user = newUser()
      await expectRejected(() => adapter.transaction(async () => stop()), "transaction rejects when its work does")
      await adapter.transaction(async (within) => await within.createUser?.(user))
      const stored = await adapter.getUserByEmail(user.email)
      expectEqual(stored?.email, user.email, "after a failure the same adapter takes the next transaction")
    },
  }),

  contractCase({
    name: "transaction takes what its work calls on the adapter itself for its own",
    needs: ["transaction", "createUser", "getUserByEmail"],
    promise: "joined-calls",
    async check({ adapter }) {
      const [first, second] = [newUser(), newUser()]
      const work = () =>
        adapter.transaction(async (within) => {
          await within.createUser?.(first)
          const seen = await adapter.getUserByEmail(first.email)
          const why = "callbacks of the application know the adapter alone: they see what the transaction wrote"
          expectEqual(seen?.email, first.email, why)
          await adapter.createUser(second)
          stop()
        })
      const error = await expectRejected(work, "transaction rejects when its work does")
      // What was expected within is told first: it is an error of ours.
      if (Reflect.get(Object(error), "message") !== REASON) throw error as Error
      const left = await adapter.getUserByEmail(second.email)
      expectNull(left, "a transaction that failed undoes what its work wrote by way of the adapter itself")
    },
  }),
]
