import { setTimeout } from "node:timers/promises"
import type { AdapterUser } from "../adapters/adapter.js"
import { AccountNotLinked, AdapterError, OAuthAccountNotLinked } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import type { SignedIn } from "../sessions/session.js"
import type { Story } from "../story.js"
import { createAndLink, link } from "./create.js"
import { currentUser } from "./current-user.js"
import { type AccountDecision, type AccountFacts, decideAccount } from "./decide.js"
import { findByEmail } from "./find-by-email.js"
import { type AccountStore, accountStore } from "./store.js"
import { takeOver } from "./take-over.js"
import { factsText } from "./tell.js"

/** The user whom the store knows by this account. */
export async function ownerOf({ account }: Identity, { adapter }: Runtime): Promise<AdapterUser | null> {
  const { provider, providerAccountId, type } = account
  // Neither is kept as an account: a password is the application's, an address is its user's own.
  if (!adapter || type === "credentials" || type === "email") return null
  return accountStore(adapter).getUserByAccount({ provider, providerAccountId })
}

interface Context {
  readonly store: AccountStore
  /** The id in the browser's session. */
  readonly currentId: () => Promise<string | undefined>
  /** The same, when the application still takes the session for one: its `jwt` callback may have ended it. */
  readonly confirmedId: () => Promise<string | undefined>
  readonly runtime: Runtime
  readonly story: Story | undefined
}

/** Turns an identity into a user of the store, created and linked as decided; without a store it is the user. */
export async function applyAccount(identity: Identity, call: AuthCall, runtime: Runtime): Promise<SignedIn> {
  const { user, account, profile } = identity
  // Who has a password here is nobody new.
  if (account.type === "credentials") return { user, account, isNewUser: false }
  if (!runtime.adapter) return { user, account, profile }
  const currentId = once(() => runtime.sessions.currentUserId(call))
  const confirmedId = once(() => runtime.sessions.currentUserId(call, { asks: true }))
  const context = { store: accountStore(runtime.adapter), currentId, confirmedId, runtime, story: call.story }
  const settled = () => settle(identity, context)
  // Where two sign-ins of one person meet, the second finds what the first has made; a store without unique keys
  // would take both.
  const byAccount = () => runtime.inTurn(`account ${account.provider} ${account.providerAccountId}`, settled)
  return user.email ? runtime.inTurn(`email ${user.email}`, byAccount) : byAccount()
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}

/** Before each look: the first at once, the others give a process that was quicker the time to finish. */
const PAUSES_MS = [0, 20, 100, 400, 1_000]
/** Looks before somebody is refused who has not met another process yet. */
const LOOKS_BEFORE_REFUSAL = 3

/**
 * Decides and carries out. Another process may have been quicker, and the store then refuses a second user or account
 * of the kind: what is there now decides.
 */
async function settle(identity: Identity, context: Context): Promise<SignedIn> {
  let lost: AdapterError | undefined
  let isNobodyLeft = false
  for (const [index, pause] of PAUSES_MS.entries()) {
    if (pause > 0) await setTimeout(pause)
    const facts = await gatherFacts(identity, context)
    const decision = decideAccount(facts)
    const isLate = index + 1 >= LOOKS_BEFORE_REFUSAL || context.store.transaction !== undefined
    // The winner's user may be there before its account is: a moment longer where there are no transactions.
    if (decision.do === "refuse" && facts.sameEmail && (lost || !isLate)) continue
    context.story?.tell("account", `${factsText(facts)}: ${decision.do}`)
    if (lost && decision.do === "create") throw lost
    try {
      return await carryOut(decision, identity, context)
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error
      lost = error
      isNobodyLeft = decision.do === "create" && leavesNobody(error, context)
    }
  }
  // Who can't be created because another process has created somebody of this address is refused as ever.
  throw lost && !isNobodyLeft ? lost : refusal(identity)
}

/** Was nobody created? Then whoever has the address now came first. A transaction may be refused at any of its steps. */
const leavesNobody = ({ cause }: AdapterError, { store }: Context): boolean =>
  store.transaction !== undefined || cause?.["method"] === "createUser"

const TAKEN = "another user has this account or this e-mail address"
const BEGUN_BY_ANOTHER = "the sign-in was begun by somebody else than who is signed in now, or by nobody"

function refusal({ account }: Identity, message = TAKEN): AccountNotLinked | OAuthAccountNotLinked {
  const Refusal = account.type === "webauthn" ? AccountNotLinked : OAuthAccountNotLinked
  return new Refusal(message, { provider: account.provider })
}

async function carryOut(decision: AccountDecision, identity: Identity, context: Context): Promise<SignedIn> {
  const { account, profile } = identity
  switch (decision.do) {
    case "refuse":
      throw refusal(identity, decision.isBegunByAnother && BEGUN_BY_ANOTHER)
    case "use": {
      // A key that was made just now opens no account that another key has.
      if (identity.passkey) throw refusal(identity)
      const user = decision.proved ? await takeOver(decision.user, context) : decision.user
      return { user, account: ownedBy(user, identity), profile, isNewUser: false }
    }
    case "link":
      await link(identity, decision.user, context)
      return { user: decision.user, account, profile, isNewUser: false }
    case "create": {
      const user = await createAndLink(identity, decision.proved, context)
      return { user, account: ownedBy(user, identity), profile, isNewUser: true }
    }
  }
}

/** An address that is an account of its own belongs to the user whom the store has now. */
const ownedBy = (user: AdapterUser, { account }: Identity) =>
  account.type === "email" ? { ...account, userId: user.id } : account

/**
 * Is the session of this user one that an account may be linked to? The callback may fail, too, and is asked only where
 * somebody else's account is in play: not for a link in a mail, which links nothing, nor of people who sign in to their
 * own account again.
 */
async function isConfirmed(user: AdapterUser, owner: AdapterUser | null, context: Context): Promise<boolean> {
  const { confirmedId, runtime } = context
  if (runtime.config.session.strategy === "database" || owner?.id === user.id) return true
  return String(await confirmedId()) === String(user.id)
}

/** The session's own id: a store may give its users' otherwise. */
async function isBegunByCurrent({ begunBy }: Identity, { currentId }: Context): Promise<boolean> {
  return begunBy === undefined || begunBy === String(await currentId())
}

async function gatherFacts(identity: Identity, context: Context): Promise<AccountFacts> {
  const { store, runtime } = context
  const signedIn = await currentUser(context)
  const known = await ownerOf(identity, runtime)
  const isLinkable = signedIn && (identity.provesEmail || (await isConfirmed(signedIn, known, context)))
  const { email } = identity.user
  const sameEmail = known || !email ? null : await findByEmail(email, store)
  // Between the two looks another process may have created that user for this very account.
  const owner = sameEmail ? await ownerOf(identity, runtime) : known
  return {
    owner,
    current: isLinkable ? signedIn : null,
    isBegunByCurrent: await isBegunByCurrent(identity, context),
    sameEmail: owner ? null : sameEmail,
    provesEmail: identity.provesEmail ?? false,
    isEmailVerified: identity.isEmailVerified ?? false,
    allowsEmailLinking: identity.allowsEmailLinking ?? false,
  }
}
