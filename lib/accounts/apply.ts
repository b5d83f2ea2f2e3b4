import { setTimeout } from "node:timers/promises"
import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { memoize } from "../base/memoize.js"
import type { Account, User } from "../base/types.js"
import { coded } from "../errors/error-codes.js"
import { AdapterError, type AuthError, OAuthAccountNotLinked } from "../errors/errors.js"
import type { Reply } from "../http/reply.js"
import type { SignInTrace } from "../logging/trace.js"
import { comparableAddress } from "../security/email-address.js"
import type { SignedIn } from "../sessions/session.js"
import { type AccountAdapter, accountAdapter, accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import { type ConfirmedOwner, confirmEmailOwner, removeUnverified, reportConfirmation } from "./confirm-email-owner.js"
import { createAndLink, linkAccount, refreshAccount, unlink } from "./create.js"
import { currentUser, predatesVerification } from "./current-user.js"
import { type AccountDecision, type AccountFacts, decideAccount, isSameUser } from "./decide.js"
import { findByEmail } from "./find-by-email.js"
import type { Identity } from "./identity.js"
import { createSessionAuthentication } from "./session-authentication.js"
import { describeFacts } from "./trace.js"
import { readVerifiedEmail, verifiedAccounts } from "./verified-email.js"

/** Finds the user to whom this account is linked; null if the account is not linked. */
export async function findUserByAccount(
  { account }: Pick<Identity, "account">,
  runtime: AccountRuntime,
): Promise<AdapterUser | null> {
  const { provider, providerAccountId } = account
  const { adapter } = runtime
  if (!adapter || accountStorage(account, runtime) !== "linked") return null
  return accountAdapter(adapter).getUserByAccount({ provider, providerAccountId })
}

/** Finds the adapter's user for a credentials sign-in; null if the application stores the user elsewhere. */
export async function findStoredUser({ id }: User, { adapter, config }: AccountRuntime): Promise<AdapterUser | null> {
  if (!adapter?.getUser || id === undefined) return null
  try {
    return await adapter.getUser(id)
  } catch (error) {
    // With database sessions every user id comes from the adapter, so the adapter has failed.
    if (config.session.strategy === "database") throw error
    // The application's own id may be invalid for the adapter, such as a number where the adapter uses UUIDs.
    return null
  }
}

async function readStoredVerifiedEmail(user: User, runtime: AccountRuntime): Promise<string | undefined> {
  const stored = await findStoredUser(user, runtime)
  return stored ? readVerifiedEmail(stored) : undefined
}

/** The user for whom a session will be created. */
export interface SignInCandidate {
  readonly user: User
  readonly isNewUser: boolean
  /** True if the user is signed in already and connects another account. */
  readonly isConnection: boolean
  /**
   * True if this sign-in is the first to verify the email address, and the browser is not signed in as this user. Then
   * the user's unverified accounts and second factor are removed.
   */
  readonly isFirstVerification?: boolean
}

export interface ResolveOptions {
  readonly runtime: AccountRuntime
  /** Returns the user id in the browser's session. */
  readonly currentId: () => Promise<string | undefined>
  /** Like `currentId`, but runs the `jwt` callback first. Undefined if the callback ends the session. */
  readonly confirmedId: () => Promise<string | undefined>
  /** Returns the email address that was verified when the session was created, see `SessionStrategy`. */
  readonly verifiedEmail: () => Promise<string | undefined>
  /**
   * Called with the user before anything is written. Throws to refuse the user. Returns a reply to stop the sign-in,
   * for example because a requirement is open.
   */
  readonly intercept: (candidate: SignInCandidate) => Promise<Reply | undefined>
  /** The data of the requirements that the user has met (`AuthConfig.requirements`), for the event `createUser`. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** Aborted when the request has timed out. */
  readonly signal?: AbortSignal | undefined
  readonly trace?: SignInTrace | undefined
}

interface ResolutionContext extends ResolveOptions {
  readonly adapter: AccountAdapter
}

/**
 * The user who signs in and the accounts that were unlinked from that user, or a reply that stops the sign-in.
 */
export type Resolution =
  | { readonly signedIn: SignedIn; readonly removed: ConfirmedOwner["removed"] }
  | { readonly reply: Reply }

/**
 * Finds or creates the user of an identity, and links the account. Without an adapter, or for an external account,
 * returns the user in the identity.
 */
export async function resolveUser(identity: Identity, options: ResolveOptions): Promise<Resolution> {
  const { runtime, intercept, signal } = options
  const { user, account, profile } = identity
  const isExternal = accountStorage(account, runtime) === "external"
  if (isExternal || !runtime.adapter) {
    const reply = await intercept({ user, isNewUser: false, isConnection: false })
    if (reply) return { reply }
    // External users already exist in the application.
    const details = isExternal
      ? { isNewUser: false, verifiedEmail: await readStoredVerifiedEmail(user, runtime) }
      : { profile }
    return {
      signedIn: { user, account, authentication: createSessionAuthentication(identity, user, runtime), ...details },
      removed: [],
    }
  }
  const context = { ...options, adapter: accountAdapter(runtime.adapter) }
  const resolve = () => resolveWithRetries(identity, context)
  // Concurrent sign-ins of one user run one after the other. Otherwise an adapter without unique keys could store the
  // user twice.
  const lockAccount = () =>
    runtime.withLock(`account ${account.provider} ${account.providerAccountId}`, resolve, signal)
  return user.email ? runtime.withLock(`email ${comparableAddress(user.email)}`, lockAccount, signal) : lockAccount()
}

/** The pause before each attempt, in milliseconds. It gives a competing process time to finish. */
const PAUSES_MS = [0, 20, 100, 400, 1_000]
/**
 * The number of the first attempt that may refuse the sign-in, or create a second user, if there already is a user with
 * the email address. That user may come from a concurrent sign-in that has not stored its account yet, so earlier
 * attempts try again. If the adapter has transactions and no write has failed yet, the first attempt is final, because
 * the user and the account are stored together.
 */
const FIRST_FINAL_ATTEMPT = 3

/**
 * Makes a decision and applies it. If another process stores the same user or account first, the adapter rejects the
 * write, and the decision is made again from the stored data.
 */
async function resolveWithRetries(identity: Identity, context: ResolutionContext): Promise<Resolution> {
  let conflict: AdapterError | undefined
  let wasNotCreated = false
  for (const [index, pause] of PAUSES_MS.entries()) {
    if (pause > 0) await setTimeout(pause)
    const facts = await loadFacts(identity, context)
    // After a timeout the user may have started another sign-in, with which a write would compete.
    context.signal?.throwIfAborted()
    const decision = decideAccount(facts)
    const isFinal = index + 1 >= FIRST_FINAL_ATTEMPT || (context.adapter.transaction !== undefined && !conflict)
    if (decision.do !== "use" && facts.emailUser && !isFinal) continue
    if (decision.do === "refuse" && facts.emailUser && conflict) continue
    context.trace?.write("account", `${describeFacts(facts)}: ${decision.do}`)
    if (decision.do === "refuse")
      throw refusal(identity, context.runtime, decision.isOfAnotherSession && ANOTHER_SESSION)
    if (conflict && decision.do === "create" && !decision.holder) throw conflict
    const reply = await context.intercept(toCandidate(decision, identity))
    if (reply) return { reply }
    context.signal?.throwIfAborted()
    try {
      const applied = await applyDecision(decision, identity, context)
      if (applied) return applied
    } catch (error) {
      if (!(error instanceof AdapterError) || error.messageCode === "request-timed-out") throw error
      conflict = error
      wasNotCreated = decision.do === "create" && userWasNotCreated(error, context)
    }
  }
  // If the last failed write left no new user, another process has probably created a user with this address, so the
  // sign-in is refused. Otherwise the error of the write is thrown.
  throw conflict && !wasNotCreated ? conflict : refusal(identity, context.runtime)
}

const toCandidate = (decision: AcceptedDecision, { user }: Identity): SignInCandidate =>
  decision.do === "create"
    ? { user, isNewUser: true, isConnection: false }
    : {
        user: decision.user,
        isNewUser: false,
        isConnection: decision.isConnection === true,
        isFirstVerification: decision.unlinksUnverified,
      }

/** True if the failed write left no new user: `createUser` failed, or the transaction was rolled back. */
const userWasNotCreated = ({ cause }: AdapterError, { adapter }: ResolutionContext): boolean =>
  adapter.transaction !== undefined || cause?.["method"] === "createUser"

const TAKEN = "another user has this account or this email address"
const ANOTHER_SESSION =
  "the sign-in does not belong to the current session: it was started by another user or by a visitor who was not signed in, or the session is older than the verification of the user's email address"

/** Creates the error for an account or an email address that belongs to another user. */
export function refusal({ account }: Identity, { methods }: AccountRuntime, message: string = TAKEN): AuthError {
  const Refusal = methods[account.type]?.needs.refusal ?? OAuthAccountNotLinked
  return new Refusal(message, { provider: account.provider })
}

type AcceptedDecision = Exclude<AccountDecision, { do: "refuse" }>
type UseDecision = Extract<AccountDecision, { do: "use" }>

/** Returns the existing user that a decision changes; undefined if it changes none. */
function changedUser(decision: AcceptedDecision): AdapterUser | undefined {
  if (decision.do === "create") return decision.holder?.losesAddress ? decision.holder.user : undefined
  return decision.links || decision.verifiesEmail ? decision.user : undefined
}

/**
 * Applies a decision and emits the events. If the decision changes an existing user, that user is locked and the
 * decision is made again, because the session may have ended, or the owner of the address may have signed in, before
 * the user was locked. Returns undefined if the decision has changed.
 */
async function applyDecision(
  decision: AcceptedDecision,
  identity: Identity,
  context: ResolutionContext,
): Promise<Resolution | undefined> {
  // A new passkey is refused if it would not be linked to the user.
  if (identity.passkey && decision.do === "use" && !decision.links) throw refusal(identity, context.runtime)
  // A sign-in for a stored user is refused if it would create another user.
  if (identity.isStoredUser && decision.do === "create") throw refusal(identity, context.runtime, ANOTHER_SESSION)
  const unlinked =
    decision.do === "use" && decision.unlinksUnverified ? await unlinkUnverified(decision, identity, context) : []
  if (!unlinked) return undefined
  const user = changedUser(decision)
  const written = user
    ? await withLockedUser(user, context, (locked) => writeIfUnchanged(decision, identity, locked, unlinked))
    : await write(decision, identity, context)
  if (!written) return undefined
  await emitEvents(written, identity, context)
  const { isNewUser, confirmed } = written
  const account = withUserId(written.user, identity.account, context.runtime)
  const verifiedEmail = readVerifiedEmail(written.user)
  const isConnection = decision.do === "use" && decision.isConnection
  const authentication = createSessionAuthentication(identity, written.user, context.runtime)
  const signedIn = {
    user: written.user,
    account,
    profile: identity.profile,
    isNewUser,
    verifiedEmail,
    authentication,
    isConnection,
    // This sign-in may have ended all sessions of the user, and the registry rejects sessions that started before that.
    // So the new session starts now.
    ...(confirmed && { startedAt: context.runtime.now() }),
  }
  return { signedIn, removed: confirmed?.removed ?? [] }
}

/**
 * Ends the user's sessions, and removes the second factor and the accounts that do not verify the user's address. Then
 * runs the `confirmEmailOwner` handler, which removes the application's own data, such as a password. The caller stores
 * `emailVerified` afterwards, so that the next sign-in calls the handler again if the handler fails. Returns the
 * removed accounts; undefined if the decision has changed.
 */
async function unlinkUnverified(decision: UseDecision, identity: Identity, context: ResolutionContext) {
  const { user } = decision
  // Sessions also end before the lock is taken, so that no more accounts are linked while this call waits for the lock.
  await context.adapter.deleteSessionsByUserId?.(user.id)
  const removed = await withLockedUser(user, context, async (locked) =>
    (await decideAgain(decision, identity, locked)) ? removeUnverified(user, locked) : undefined,
  )
  if (removed) {
    await context.runtime.sessions.registry?.endAll({ owner: String(user.id) })
    await context.runtime.secondFactor?.remove(String(user.id))
    await context.runtime.emitStrictly("confirmEmailOwner", { user, removed })
  }
  return removed
}

/** Makes the decision again from the stored data. Returns undefined if the decision has changed. */
async function decideAgain(decision: AcceptedDecision, identity: Identity, locked: ResolutionContext) {
  const latest = decideAccount(await loadFacts(identity, locked))
  if (latest.do === "refuse" || latest.do !== decision.do) return undefined
  const [earlier, later] = [changedUser(decision), changedUser(latest)]
  if (!earlier || !later || !isSameUser(earlier, later)) return undefined
  // Linking the account is a different decision from only verifying the address.
  if (latest.do === "use" && decision.do === "use" && latest.links !== decision.links) return undefined
  return latest
}

async function writeIfUnchanged(
  decision: AcceptedDecision,
  identity: Identity,
  locked: ResolutionContext,
  unlinked: readonly AdapterAccount[],
): Promise<Written | undefined> {
  const latest = await decideAgain(decision, identity, locked)
  const written = latest && (await write(latest, identity, locked))
  if (!written?.confirmed) return written
  return { ...written, confirmed: { ...written.confirmed, removed: [...unlinked, ...written.confirmed.removed] } }
}

/** The result of an applied decision. */
interface Written {
  readonly user: AdapterUser
  readonly isNewUser: boolean
  readonly isLinked: boolean
  readonly confirmed?: ConfirmedOwner | undefined
  /** The existing user whose email address was moved to `user`. */
  readonly formerHolder?: AdapterUser | undefined
}

async function write(decision: AcceptedDecision, identity: Identity, context: ResolutionContext): Promise<Written> {
  if (decision.do === "create") {
    const user = await createAndLink(identity, decision, context)
    const { holder } = decision
    const formerHolder = holder?.losesAddress ? holder.user : undefined
    const isLinked = accountStorage(identity.account, context.runtime) === "linked"
    return { user, isNewUser: true, isLinked, formerHolder }
  }
  const { user, links, verifiesEmail, unlinksUnverified } = decision
  const confirmed = verifiesEmail ? await confirmEmailOwner(user, { ...context, unlinksUnverified }) : undefined
  if (links) {
    await requireFewerThanMaxAccounts(user, identity, context)
    await linkAccount(identity, user, context)
    if (!verifiesEmail) await requireUnchangedVerification(identity, user, context)
  } else await refreshAccount(identity, user, context)
  return { user: confirmed?.user ?? user, isNewUser: false, isLinked: links, confirmed }
}

/**
 * Without transactions: unlinks the new account and refuses the sign-in if the owner of the user's email address has
 * verified the address in the meantime. Both orders are safe: if the owner's sign-in lists the accounts after this one
 * is linked, it removes this account. If it has stored `emailVerified` before, this function reads the new value.
 */
async function requireUnchangedVerification(
  identity: Identity,
  user: AdapterUser,
  { adapter, runtime }: ResolutionContext,
): Promise<void> {
  if (adapter.transaction || user.emailVerified || !(await adapter.getUser(user.id))?.emailVerified) return
  await unlink(identity, adapter)
  throw refusal(
    identity,
    runtime,
    "the owner of the user's email address verified the address while this account was being connected",
  )
}

/** Emits the events for a stored result. */
async function emitEvents(written: Written, identity: Identity, { runtime, data }: ResolutionContext): Promise<void> {
  const { user, isNewUser, isLinked, confirmed, formerHolder } = written
  if (formerHolder) await runtime.emit("updateUser", { user: { ...formerHolder, email: null } })
  if (isNewUser) await runtime.emit("createUser", { user, ...(data && { data }) })
  if (confirmed) await reportConfirmation(confirmed, runtime)
  if (isLinked) await runtime.emit("linkAccount", { user, account: identity.account, profile: identity.user })
}

/** Sets `userId` of an email account to the stored user's id, because the identity has a provisional id. */
export const withUserId = ({ id }: User, account: Account, runtime: AccountRuntime): Account =>
  accountStorage(account, runtime) === "address" && id !== undefined ? { ...account, userId: id } : account

/**
 * Runs `work` while the user is locked: by a mutex in this process and, if the adapter has transactions, also by a lock
 * on the user's row. The row is locked before the first read.
 */
export async function withLockedUser<T, C extends Pick<ResolutionContext, "runtime" | "adapter" | "signal">>(
  user: AdapterUser,
  context: C,
  work: (context: C, user: AdapterUser) => Promise<T>,
): Promise<T> {
  const { adapter, runtime, signal } = context
  const workWithLock = async () => {
    if (!adapter.transaction) return work(context, user)
    return adapter.transaction(async (inTransaction) => {
      const locked = (await inTransaction.lockUser?.(user.id)) ?? user
      const lockedRuntime = { ...runtime, adapter: inTransaction }
      return work({ ...context, adapter: accountAdapter(inTransaction), runtime: lockedRuntime }, locked)
    })
  }
  return runtime.withLock(`user ${user.id}`, workWithLock, signal)
}

/** Limits the number of accounts of a user, so that listing and unlinking the accounts takes a bounded time. */
async function requireFewerThanMaxAccounts(
  user: AdapterUser,
  identity: Identity,
  { adapter, runtime }: ResolutionContext,
): Promise<void> {
  const { maxAccountsPerUser } = runtime.config
  const accounts = (await adapter.listAccountsByUserId?.(user.id)) ?? []
  if (accounts.length < maxAccountsPerUser) return
  throw coded(
    "too-many-accounts",
    refusal(
      identity,
      runtime,
      `the user has ${accounts.length} accounts and passkeys, and maxAccountsPerUser is ${maxAccountsPerUser}`,
    ),
  )
}

/**
 * True if the `jwt` callback still accepts the session, so that an account may be linked to its user. In two cases the
 * result is true without running the callback: with database sessions, and if the user already owns the account.
 */
async function isSessionConfirmed(
  user: AdapterUser,
  owner: AdapterUser | null,
  context: ResolutionContext,
): Promise<boolean> {
  const { confirmedId, runtime } = context
  if (runtime.config.session.strategy === "database" || (owner && isSameUser(owner, user))) return true
  return String(await confirmedId()) === String(user.id)
}

/**
 * True if the user of the current session started the sign-in, or if the method does not record who started it.
 * `startedBy` is compared with the id in the session and not with the id of the adapter's user, because an adapter may
 * return the id in a different form.
 */
async function isStartedBySessionUser({ startedBy }: Identity, { currentId }: ResolutionContext): Promise<boolean> {
  return startedBy === undefined || startedBy === String(await currentId())
}

async function isAddressVerified(user: AdapterUser, { adapter, runtime }: ResolutionContext): Promise<boolean> {
  if (user.emailVerified) return true
  const accounts = await adapter.listAccountsByUserId?.(user.id)
  // Adapters that were written for Auth.js can't list accounts. As Auth.js does, treat the address as verified.
  return accounts === undefined || verifiedAccounts(user, accounts, runtime).length > 0
}

async function loadFacts(identity: Identity, resolution: ResolutionContext): Promise<AccountFacts> {
  const context = { ...resolution, currentId: memoize(resolution.currentId) }
  const { adapter, runtime } = context
  const sessionUser = await currentUser(context)
  const initialOwner = identity.owner ?? (await findUserByAccount(identity, runtime))
  const isLinkable =
    sessionUser &&
    ((identity.isEmailLink && sessionUser.emailVerified) ||
      (await isSessionConfirmed(sessionUser, initialOwner, context)))
  const { email } = identity.user
  const emailUser = initialOwner || !email ? null : await findByEmail(email, adapter)
  // Read again, because another process may have created `emailUser` for the same account in the meantime.
  const owner = emailUser ? await findUserByAccount(identity, runtime) : initialOwner
  const current = isLinkable ? sessionUser : null
  const isOlderSession = current !== null && predatesVerification(current, await context.verifiedEmail())
  return {
    owner,
    current,
    isStartedByCurrentUser: !isOlderSession && (await isStartedBySessionUser(identity, context)),
    emailUser: owner ? null : emailUser,
    isEmailUserVerified: emailUser !== null && !owner && !current && (await isAddressVerified(emailUser, context)),
    isEmailLink: identity.isEmailLink ?? false,
    isEmailVerified: identity.isEmailVerified ?? false,
    allowsEmailLinking: identity.allowsEmailLinking ?? false,
  }
}
