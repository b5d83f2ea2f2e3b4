import { ACCOUNT, type AdapterTestCase, defineCases, defineGuaranteeCases } from "./case.js"
import { expectEqual, expectNull, expectOneWinner, expectOwner, expectRejected } from "./expect.js"
import { accountKey, newAccount, newLink, newSession, newUser, storeAccount } from "./fixtures.js"

const REASON = "this transaction is rolled back on purpose"

/** Makes the work of a transaction fail. */
const failOnPurpose = (): never => {
  throw new Error(REASON)
}

export const transactionCases: readonly AdapterTestCase[] = [
  ...defineCases([...ACCOUNT, "transaction", "getUser"], {
    async "transaction commits the writes and returns the result of the work"({ adapter }) {
      const account = newAccount("")
      const id = await adapter.transaction(async (tx) => {
        const user = await tx.createUser?.(newUser())
        await tx.linkAccount?.({ ...account, userId: user?.id ?? "" })
        return user?.id ?? ""
      })
      expectEqual((await adapter.getUser(id))?.id, id, "transaction commits the user that its work has created")
      await expectOwner(adapter, account, { id, why: "transaction commits the account that its work has linked" })
    },
  }),

  ...defineCases([...ACCOUNT, "transaction", "getUserByEmail", "updateUser"], {
    async "transaction reads its own writes"({ adapter }) {
      const user = newUser()
      const account = newAccount("")
      await adapter.transaction(async (tx) => {
        const created = await tx.createUser?.(user)
        const id = created?.id ?? ""
        expectEqual(
          (await tx.getUserByEmail?.(user.email))?.id,
          id,
          "within a transaction, getUserByEmail reads the transaction's own writes",
        )
        await tx.linkAccount?.({ ...account, userId: id })
        expectEqual(
          (await tx.getUserByAccount?.(accountKey(account)))?.id,
          id,
          "within a transaction, getUserByAccount reads the transaction's own writes",
        )
        await tx.updateUser?.({ id, name: "Grace Hopper" })
      })
      const stored = await adapter.getUserByAccount(accountKey(account))
      expectEqual(stored?.name, "Grace Hopper", "transaction commits the last of several writes to one row")
    },
  }),

  ...defineCases([...ACCOUNT, "transaction", "getUserByEmail", "createSession"], {
    async "transaction rolls back all writes when its work fails"({ adapter }) {
      const user = newUser()
      const account = newAccount("")
      const session = newSession("")
      const work = () =>
        adapter.transaction(async (tx) => {
          const created = await tx.createUser?.(user)
          const userId = created?.id ?? ""
          await tx.linkAccount?.({ ...account, userId })
          await tx.createSession?.({ ...session, userId })
          failOnPurpose()
        })
      const error = await expectRejected(work, "transaction rejects when its work rejects")
      const message: unknown = Reflect.get(Object(error), "message")
      expectEqual(message, REASON, "transaction rejects with the work's own error")
      expectNull(await adapter.getUserByEmail(user.email), "a failed transaction leaves no user: a retry must succeed")
      expectNull(await adapter.getUserByAccount(accountKey(account)), "a failed transaction leaves no account")
      const found = await adapter.getSessionAndUser?.(session.sessionToken)
      expectNull(found ?? null, "a failed transaction leaves no session")
    },
  }),

  ...defineCases([...ACCOUNT, "transaction", "getUser", "updateUser", "unlinkAccount"], {
    async "transaction rolls back changes and deletions when its work fails"({ adapter }) {
      const { user, account } = await storeAccount(adapter)
      const session = newSession(user.id)
      await adapter.createSession?.(session)
      const link = newLink()
      await adapter.createVerificationToken?.(link)
      const { identifier, token } = link
      const work = () =>
        adapter.transaction(async (tx) => {
          await tx.updateUser?.({ id: user.id, name: "another name" })
          await tx.unlinkAccount?.(accountKey(account))
          await tx.deleteSession?.(session.sessionToken)
          await tx.useVerificationToken?.({ identifier, token })
          failOnPurpose()
        })
      await expectRejected(work, "transaction rejects when its work rejects")
      expectEqual((await adapter.getUser(user.id))?.name, user.name, "a failed transaction changes no user")
      await expectOwner(adapter, account, { id: user.id, why: "a failed transaction unlinks no account" })
      const found = await adapter.getSessionAndUser?.(session.sessionToken)
      if (adapter.getSessionAndUser && adapter.createSession)
        expectEqual(found?.user.id, user.id, "a failed transaction deletes no session")
      if (adapter.useVerificationToken && adapter.createVerificationToken)
        expectEqual(
          (await adapter.useVerificationToken({ identifier, token }))?.token,
          token,
          "a failed transaction does not delete the link: the user can open the link again",
        )
    },
  }),

  ...defineGuaranteeCases("unique-account", [...ACCOUNT, "transaction", "getUserByEmail"], {
    async "transaction rolls back all writes when one of them is rejected"({ adapter }) {
      const { user: owner, account } = await storeAccount(adapter)
      const user = newUser()
      const work = () =>
        adapter.transaction(async (tx) => {
          const created = await tx.createUser?.(user)
          await tx.linkAccount?.({ ...account, userId: created?.id ?? "" })
        })
      await expectRejected(work, "transaction rejects when an account is already linked")
      expectNull(
        await adapter.getUserByEmail(user.email),
        "a transaction whose second write fails rolls back the first",
      )
      await expectOwner(adapter, account, { id: owner.id, why: "the account stays with its first user" })
    },
  }),

  ...defineGuaranteeCases("unique-email", [...ACCOUNT, "transaction", "getUserByEmail", "deleteUser"], {
    async "transaction commits one of 10 concurrent first sign-ins and leaves no orphan"({ adapter }) {
      const { email } = newUser()
      const account = newAccount("")
      const signUp = () =>
        adapter.transaction(async (tx) => {
          const user = await tx.createUser?.(newUser({ email }))
          const userId = user?.id ?? ""
          await tx.linkAccount?.({ ...account, userId })
          return userId
        })
      const results = await Promise.allSettled(Array.from({ length: 10 }, signUp))
      const id = expectOneWinner(
        results,
        "one of several transactions that create the same user succeeds, the others reject",
      )
      await expectOwner(adapter, account, {
        id,
        why: "the account belongs to the user of the transaction that succeeded",
      })
      await adapter.deleteUser(id)
      expectNull(await adapter.getUserByEmail(email), "the rejected transactions left no user")
    },
  }),

  ...defineCases(["transaction", "createUser", "getUserByEmail"], {
    async "transaction does not block the next transaction after a failure"({ adapter }) {
      const user = newUser()
      await expectRejected(
        () => adapter.transaction(async () => failOnPurpose()),
        "transaction rejects when its work rejects",
      )
      await adapter.transaction(async (tx) => await tx.createUser?.(user))
      const stored = await adapter.getUserByEmail(user.email)
      expectEqual(stored?.email, user.email, "after a failure the same adapter runs the next transaction")
    },
  }),

  ...defineGuaranteeCases("joined-calls", ["transaction", "createUser", "getUserByEmail"], {
    async "transaction includes calls of its work on the adapter itself"({ adapter }) {
      const [first, second] = [newUser(), newUser()]
      const work = () =>
        adapter.transaction(async (tx) => {
          await tx.createUser?.(first)
          const read = await adapter.getUserByEmail(first.email)
          const why = "calls on the adapter itself, for example in callbacks, read what the transaction has written"
          expectEqual(read?.email, first.email, why)
          await adapter.createUser(second)
          failOnPurpose()
        })
      const error = await expectRejected(work, "transaction rejects when its work rejects")
      // If an expectation within the work has failed, the error of this expectation is thrown.
      if (Reflect.get(Object(error), "message") !== REASON) throw error as Error
      const remaining = await adapter.getUserByEmail(second.email)
      expectNull(remaining, "a failed transaction also rolls back the writes that its work made on the adapter itself")
    },
  }),
]
