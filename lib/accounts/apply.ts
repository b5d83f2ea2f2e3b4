import type { Adapter, AdapterUser } from "../adapters/adapter.js"
import { OAuthAccountNotLinked } from "../errors.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import type { SessionCookies, SignedIn } from "../sessions/session.js"
import { type AccountFacts, decideAccount } from "./decide.js"

type AccountStore = Required<
  Pick<Adapter, "createUser" | "getUser" | "getUserByAccount" | "getUserByEmail" | "linkAccount">
>

/** The store's part that accounts need; what a configuration requires of it is checked at start-up. */
function accountStore(adapter: Adapter): AccountStore {
  return adapter as AccountStore
}

/** The user whom the store knows by this account. */
export async function ownerOf(identity: Identity, runtime: Runtime): Promise<AdapterUser | null> {
  const { provider, providerAccountId, type } = identity.account
  if (!runtime.adapter || type === "credentials") return null
  return accountStore(runtime.adapter).getUserByAccount({ provider, providerAccountId })
}

/** Turns an identity into a user of the store, created and linked as decided; without a store it is the user. */
export async function applyAccount(identity: Identity, browser: SessionCookies, runtime: Runtime): Promise<SignedIn> {
  const { user, account, profile } = identity
  // Who has a password here is nobody new.
  if (account.type === "credentials") return { user, account, isNewUser: false }
  if (!runtime.adapter) return { user, account, profile }
  const store = accountStore(runtime.adapter)
  const decision = decideAccount(await gatherFacts(identity, { store, browser, runtime }))
  switch (decision.do) {
    case "use":
      return { user: decision.user, account, profile, isNewUser: false }
    case "refuse":
      throw new OAuthAccountNotLinked("another user has this account or this e-mail address", {
        provider: account.provider,
      })
    case "link":
      await link(identity, decision.user, { store, runtime })
      return { user: decision.user, account, profile, isNewUser: false }
    case "create": {
      // Only what a provider says whose word links accounts counts as proof here; another's would prove it for that one.
      const isProved = identity.allowsEmailLinking && isVerified(profile?.email_verified)
      const emailVerified = isProved ? new Date(runtime.now()) : null
      const created = await store.createUser({ ...user, emailVerified } as AdapterUser)
      await runtime.emit("createUser", { user: created })
      await link(identity, created, { store, runtime }).catch(async (error: unknown) => {
        // A user without an account could never sign in, and would stand in the way of the next attempt.
        await runtime.adapter?.deleteUser?.(created.id)
        throw error
      })
      return { user: created, account, profile, isNewUser: true }
    }
  }
}

/** Apple writes the flag as text now and then. */
const isVerified = (flag: unknown): boolean => flag === true || flag === "true"

async function gatherFacts(
  identity: Identity,
  { store, browser, runtime }: { store: AccountStore; browser: SessionCookies; runtime: Runtime },
): Promise<AccountFacts> {
  const currentId = await runtime.sessions.currentUserId(browser)
  const current = currentId === undefined ? null : await store.getUser(currentId)
  const owner = await ownerOf(identity, runtime)
  const { email } = identity.user
  return {
    owner,
    current,
    sameEmail: owner || !email ? null : await store.getUserByEmail(email),
    isEmailVerified: isVerified(identity.profile?.email_verified),
    allowsEmailLinking: identity.allowsEmailLinking ?? false,
  }
}

async function link(
  identity: Identity,
  user: AdapterUser,
  { store, runtime }: { store: AccountStore; runtime: Runtime },
): Promise<void> {
  const { provider, providerAccountId, type } = identity.account
  const kept = identity.keptTokens?.() ?? {}
  // Credentials were sent back earlier: what is left are the types that a store knows.
  const account = { ...kept, provider, providerAccountId, type: type as "oauth" | "oidc", userId: user.id }
  await store.linkAccount(account)
  await runtime.emit("linkAccount", { user, account: identity.account, profile: identity.user })
}
