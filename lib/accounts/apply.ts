import { setTimeout } from "node:timers/promises"
import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { coded } from "../error-codes.js"
import { AccountNotLinked, AdapterError, OAuthAccountNotLinked } from "../errors.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { comparableAddress } from "../security/email-address.js"
import type { SignedIn } from "../sessions/session.js"
import type { Story } from "../story.js"
import type { Account, User } from "../types.js"
import { type ConfirmedOwner, confirmEmailOwner, removeUnproven, reportConfirmation } from "./confirm-email-owner.js"
import { createAndLink, linkAccount, refreshAccount, unlink } from "./create.js"
import { currentUser, isFromBeforeProof } from "./current-user.js"
import { type AccountDecision, type AccountFacts, decideAccount, isSameUser } from "./decide.js"
import { findByEmail } from "./find-by-email.js"
import { provenEmailOf, provingAccounts } from "./proof.js"
import { type AccountStore, accountStore } from "./store.js"
import { factsText } from "./tell.js"

/** The user whom the store knows by this account. */
export async function findOwner(
  { account }: Pick<Identity, "account">,
  { adapter }: Runtime,
): Promise<AdapterUser | null> {
  const { provider, providerAccountId, type } = account
  // Neither is kept as an account: a password is the application's, an address is its user's own.
  if (!adapter || type === "credentials" || type === "email") return null
  return accountStore(adapter).getUserByAccount({ provider, providerAccountId })
}

/** The adapter's user of a credentials sign-in; null for a user whom the application keeps elsewhere. */
export async function storedUser({ id }: User, { adapter }: Runtime): Promise<AdapterUser | null> {
  if (!adapter?.getUser || id === undefined) return null
  try {
    return await adapter.getUser(id)
  } catch {
    // The application's own ids may be no ids of the adapter, such as a number where the adapter has UUIDs.
    return null
  }
}

async function storedProvenEmail(user: User, runtime: Runtime): Promise<string | undefined> {
  const stored = await storedUser(user, runtime)
  return stored ? provenEmailOf(stored) : undefined
}

/** Calls a function once, at its first use. */
function memoize<T>(call: () => T): () => T {
  let called: { readonly result: T } | undefined
  return () => {
    called ??= { result: call() }
    return called.result
  }
}

/** What resolving an identity asks its caller. */
export interface Resolving {
  readonly runtime: Runtime
  /** The id in the browser's session. */
  readonly currentId: () => Promise<string | undefined>
  /** The same, if the application still accepts the session: its `jwt` callback may have ended it. */
  readonly confirmedId: () => Promise<string | undefined>
  /** The address that was proved when the session was opened, see `SessionStrategy`. */
  readonly provenEmail: () => Promise<string | undefined>
  /** Asks the application whether this user may sign in; resolves to an address where the user is sent instead. */
  readonly mayEnter: (user: User) => Promise<string | undefined>
  /** Aborted when the answer was given up. */
  readonly signal?: AbortSignal | undefined
  readonly story?: Story | undefined
}

interface Context extends Resolving {
  readonly store: AccountStore
}

/** The user who signs in, and what was removed from that user; or an address where the browser is sent instead. */
export type Resolution =
  | { readonly signedIn: SignedIn; readonly removed: ConfirmedOwner["removed"] }
  | { readonly redirectTo: string }

/** Turns an identity into a user of the store, created and linked as decided; without a store it is the user. */
export async function resolveUser(identity: Identity, resolving: Resolving): Promise<Resolution> {
  const { runtime, mayEnter, signal } = resolving
  const { user, account, profile } = identity
  if (account.type === "credentials" || !runtime.adapter) {
    const redirectTo = await mayEnter(user)
    if (redirectTo !== undefined) return { redirectTo }
    // Users with a password exist in the application already.
    const more =
      account.type === "credentials"
        ? { isNewUser: false, provenEmail: await storedProvenEmail(user, runtime) }
        : { profile }
    return { signedIn: { user, account, ...more }, removed: [] }
  }
  const context = { ...resolving, store: accountStore(runtime.adapter) }
  const settled = () => settle(identity, context)
  // Where two sign-ins of one user meet, the second finds what the first has stored; a store without unique keys would
  // accept both.
  const byAccount = () => runtime.inTurn(`account ${account.provider} ${account.providerAccountId}`, settled, signal)
  return user.email ? runtime.inTurn(`email ${comparableAddress(user.email)}`, byAccount, signal) : byAccount()
}

/** Before each look: the first at once, the others give a process that was quicker the time to finish. */
const PAUSES_MS = [0, 20, 100, 400, 1_000]
/** Looks before a refusal, or a second user of one address, where no other process was met yet. */
const LOOKS_BEFORE_CONFLICT = 3

/**
 * Decides and applies the decision. Another process may have been quicker, and the store then refuses a second user or
 * account of the kind: what is there now decides.
 */
async function settle(identity: Identity, context: Context): Promise<Resolution> {
  let lost: AdapterError | undefined
  let isAddressTaken = false
  for (const [index, pause] of PAUSES_MS.entries()) {
    if (pause > 0) await setTimeout(pause)
    const facts = await loadFacts(identity, context)
    // The browser may have tried again since: what begins now would meet that attempt.
    context.signal?.throwIfAborted()
    const decision = decideAccount(facts)
    const isLate = index + 1 >= LOOKS_BEFORE_CONFLICT || (context.store.transaction !== undefined && !lost)
    // Another process' user may be stored before its account is: a moment longer where there are no transactions.
    if (decision.do !== "use" && facts.sameEmail && !isLate) continue
    if (decision.do === "refuse" && facts.sameEmail && lost) continue
    context.story?.tell("account", `${factsText(facts)}: ${decision.do}`)
    if (decision.do === "refuse") throw refusal(identity, decision.isBegunByAnother && BEGUN_BY_ANOTHER)
    if (lost && decision.do === "create" && !decision.holder) throw lost
    const redirectTo = await context.mayEnter(decision.do === "create" ? identity.user : decision.user)
    if (redirectTo !== undefined) return { redirectTo }
    context.signal?.throwIfAborted()
    try {
      const applied = await applyDecision(decision, identity, context)
      if (applied) return applied
    } catch (error) {
      if (!(error instanceof AdapterError) || error.messageCode === "answer-too-late") throw error
      lost = error
      isAddressTaken = decision.do === "create" && userWasNotCreated(error, context)
    }
  }
  // The process that was quicker has created the user of this address.
  throw lost && !isAddressTaken ? lost : refusal(identity)
}

/** A transaction may be refused at any of its steps. */
const userWasNotCreated = ({ cause }: AdapterError, { store }: Context): boolean =>
  store.transaction !== undefined || cause?.["method"] === "createUser"

const TAKEN = "another user has this account or this email address"
const BEGUN_BY_ANOTHER =
  "the sign-in was started by another user than the current one, by a visitor who was not signed in, or in a session from before the user's email address was proved"

export function refusal({ account }: Identity, message: string = TAKEN): AccountNotLinked | OAuthAccountNotLinked {
  const Refusal = account.type === "webauthn" ? AccountNotLinked : OAuthAccountNotLinked
  return new Refusal(message, { provider: account.provider })
}

type Applicable = Exclude<AccountDecision, { do: "refuse" }>
type UseDecision = Extract<AccountDecision, { do: "use" }>

/** The user whom a decision changes, if it changes one who exists. */
function changedUser(decision: Applicable): AdapterUser | undefined {
  if (decision.do === "create") return decision.holder?.losesAddress ? decision.holder.user : undefined
  return decision.links || decision.proves ? decision.user : undefined
}

/**
 * Applies a decision and reports what it changed. A user who exists is changed only while locked and after a second look,
 * because the session may have ended since, or the owner of the address have come. Undefined if the decision is another
 * one by then.
 */
async function applyDecision(
  decision: Applicable,
  identity: Identity,
  context: Context,
): Promise<Resolution | undefined> {
  // A new passkey opens no account that has another one, and one of a stored user makes no second user.
  if (identity.passkey && decision.do === "use" && !decision.links) throw refusal(identity)
  if (identity.isStoredUser && decision.do === "create") throw refusal(identity, BEGUN_BY_ANOTHER)
  const evicted = decision.do === "use" && decision.evicts ? await evict(decision, identity, context) : []
  if (!evicted) return undefined
  const user = changedUser(decision)
  const written = user
    ? await withLockedUser(user, context, (locked) => writeIfSame(decision, identity, locked, evicted))
    : await write(decision, identity, context)
  if (!written) return undefined
  await report(written, identity, context.runtime)
  const { isNewUser, confirmed } = written
  const account = ownedBy(written.user, identity.account)
  const provenEmail = provenEmailOf(written.user)
  const signedIn = { user: written.user, account, profile: identity.profile, isNewUser, provenEmail }
  return { signedIn, removed: confirmed?.removed ?? [] }
}

/**
 * Removes what was attached to an unproved address, and lets the application remove what it keeps itself, such as a
 * password. The address counts as proved only afterwards: if the handler fails, the next sign-in calls it again. Undefined
 * if the decision is another one by then.
 */
async function evict(decision: UseDecision, identity: Identity, context: Context) {
  const { user } = decision
  // Before the lock too: without a session nothing more is connected, and a store without locks has fewer conflicts.
  await context.store.deleteSessionsByUserId?.(user.id)
  const removed = await withLockedUser(user, context, async (locked) =>
    (await decideAgain(decision, identity, locked)) ? removeUnproven(user, locked) : undefined,
  )
  if (removed) await context.runtime.requireHandled("confirmEmailOwner", { user, removed })
  return removed
}

/** The decision by what is stored now; undefined if it is another one. */
async function decideAgain(decision: Applicable, identity: Identity, locked: Context) {
  const now = decideAccount(await loadFacts(identity, locked))
  if (now.do === "refuse" || now.do !== decision.do) return undefined
  const [earlier, later] = [changedUser(decision), changedUser(now)]
  if (!earlier || !later || !isSameUser(earlier, later)) return undefined
  // Linking to the current user is another decision than linking by address.
  if (now.do === "use" && decision.do === "use" && now.links !== decision.links) return undefined
  return now
}

async function writeIfSame(
  decision: Applicable,
  identity: Identity,
  locked: Context,
  evicted: readonly AdapterAccount[],
): Promise<Written | undefined> {
  const now = await decideAgain(decision, identity, locked)
  const written = now && (await write(now, identity, locked))
  if (!written?.confirmed) return written
  return { ...written, confirmed: { ...written.confirmed, removed: [...evicted, ...written.confirmed.removed] } }
}

/** What was stored for a decision. */
interface Written {
  readonly user: AdapterUser
  readonly isNewUser: boolean
  readonly isLinked: boolean
  readonly confirmed?: ConfirmedOwner | undefined
  /** Who lost the address to the user. */
  readonly released?: AdapterUser | undefined
}

async function write(decision: Applicable, identity: Identity, context: Context): Promise<Written> {
  if (decision.do === "create") {
    const user = await createAndLink(identity, decision, context)
    const { holder } = decision
    const released = holder?.losesAddress ? holder.user : undefined
    return { user, isNewUser: true, isLinked: identity.account.type !== "email", released }
  }
  const { user, links, proves, evicts } = decision
  const confirmed = proves ? await confirmEmailOwner(user, { ...context, evicts }) : undefined
  if (links) {
    await requireRoom(user, identity, context)
    await linkAccount(identity, user, context)
    if (!proves) await requireSameProof(identity, user, context)
  } else await refreshAccount(identity, user, context)
  return { user: confirmed?.user ?? user, isNewUser: false, isLinked: links, confirmed }
}

/**
 * Undoes a link in a store without transactions if the owner of the user's address proved it meanwhile. Either the list of
 * accounts that the owner's sign-in removes has this one, or the proof is seen here.
 */
async function requireSameProof(identity: Identity, user: AdapterUser, { store }: Context): Promise<void> {
  if (store.transaction || user.emailVerified || !(await store.getUser(user.id))?.emailVerified) return
  await unlink(identity, store)
  throw refusal(identity, "the owner of the user's email address proved it while this account was connected")
}

/** Informs the application of what is stored by now. */
async function report(written: Written, identity: Identity, runtime: Runtime): Promise<void> {
  const { user, isNewUser, isLinked, confirmed, released } = written
  if (released) await runtime.emit("updateUser", { user: { ...released, email: null } })
  if (isNewUser) await runtime.emit("createUser", { user })
  if (confirmed) await reportConfirmation(confirmed, runtime)
  if (isLinked) await runtime.emit("linkAccount", { user, account: identity.account, profile: identity.user })
}

/** An address that is an account of its own belongs to the user whom the store has now. */
export const ownedBy = ({ id }: User, account: Account): Account =>
  account.type === "email" && id !== undefined ? { ...account, userId: id } : account

/**
 * Runs work on one user, alone: in this process by a mutex, and in a store with transactions by a lock on the user's row,
 * which is taken before anything is read.
 */
export async function withLockedUser<T, C extends Pick<Context, "runtime" | "store" | "signal">>(
  user: AdapterUser,
  context: C,
  work: (context: C, user: AdapterUser) => Promise<T>,
): Promise<T> {
  const { store, runtime, signal } = context
  const workWithLock = async () => {
    if (!store.transaction) return work(context, user)
    return store.transaction(async (adapter) => {
      const locked = (await adapter.lockUser?.(user.id)) ?? user
      return work({ ...context, store: accountStore(adapter), runtime: { ...runtime, adapter } }, locked)
    })
  }
  return runtime.inTurn(`user ${user.id}`, workWithLock, signal)
}

/** A user with any number of accounts could not be listed, and unlinked, in reasonable time. */
async function requireRoom(user: AdapterUser, identity: Identity, { store, runtime }: Context): Promise<void> {
  const { maxAccountsPerUser } = runtime.config
  const accounts = (await store.listAccountsByUserId?.(user.id)) ?? []
  if (accounts.length < maxAccountsPerUser) return
  throw coded(
    "too-many-accounts",
    refusal(
      identity,
      `the user has ${accounts.length} accounts and passkeys, and maxAccountsPerUser is ${maxAccountsPerUser}`,
    ),
  )
}

/**
 * May an account be linked to the user of this session? The application's callback is asked only where another account is
 * in play: not for an email link, which links nothing, nor for the owner of the account.
 */
async function isConfirmed(user: AdapterUser, owner: AdapterUser | null, context: Context): Promise<boolean> {
  const { confirmedId, runtime } = context
  if (runtime.config.session.strategy === "database" || owner?.id === user.id) return true
  return String(await confirmedId()) === String(user.id)
}

/** By the id in the session: a store may write its users' ids in another way. */
async function isBegunByCurrent({ begunBy }: Identity, { currentId }: Context): Promise<boolean> {
  return begunBy === undefined || begunBy === String(await currentId())
}

async function isAddressProved(user: AdapterUser, { store, runtime }: Context): Promise<boolean> {
  if (user.emailVerified) return true
  const accounts = await store.listAccountsByUserId?.(user.id)
  // A store that can't list them, as those of Auth.js: the address blocks as it does there.
  return accounts === undefined || provingAccounts(user, accounts, runtime).length > 0
}

async function loadFacts(identity: Identity, resolving: Context): Promise<AccountFacts> {
  const context = { ...resolving, currentId: memoize(resolving.currentId) }
  const { store, runtime } = context
  const signedIn = await currentUser(context)
  const known = await findOwner(identity, runtime)
  const isLinkable =
    signedIn && ((identity.provesEmail && signedIn.emailVerified) || (await isConfirmed(signedIn, known, context)))
  const { email } = identity.user
  const sameEmail = known || !email ? null : await findByEmail(email, store)
  // Between the two looks another process may have created that user for this very account.
  const owner = sameEmail ? await findOwner(identity, runtime) : known
  const current = isLinkable ? signedIn : null
  const isOutdated = current !== null && isFromBeforeProof(current, await context.provenEmail())
  return {
    owner,
    current,
    isBegunByCurrent: !isOutdated && (await isBegunByCurrent(identity, context)),
    sameEmail: owner ? null : sameEmail,
    isAddressProved: sameEmail !== null && !owner && !current && (await isAddressProved(sameEmail, context)),
    provesEmail: identity.provesEmail ?? false,
    isEmailVerified: identity.isEmailVerified ?? false,
    allowsEmailLinking: identity.allowsEmailLinking ?? false,
  }
}
