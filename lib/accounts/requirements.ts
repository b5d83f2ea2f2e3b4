import type { CookieChange, Requirement } from "../base/types.js"
import { asAuthError, asError, CallbackRouteError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { AccountRuntime } from "./account-runtime.js"
import { type Candidate, withOwner } from "./apply.js"
import type { Identity } from "./identity.js"
import { describeOrigin } from "./origin.js"
import { type ParkedSignIn, park } from "./pending-sign-in.js"

/** The parts of a parked sign-in that do not depend on the user. */
interface Progress
  extends Pick<
    ParkedSignIn,
    "callbackUrl" | "remember" | "isReauthentication" | "completed" | "expiresAt" | "key" | "trusted"
  > {
  readonly candidate: Candidate
}

/** Asks whether a requirement is open. Any result other than false means yes. */
async function isOpen(
  { name, isOpen }: Requirement,
  identity: Pick<Identity, "account" | "authentication">,
  { candidate: { user, isNewUser }, runtime }: { readonly candidate: Candidate; readonly runtime: AccountRuntime },
): Promise<boolean> {
  const account = withOwner(user, identity.account, runtime)
  try {
    return (await isOpen({ user, isNewUser, account, origin: describeOrigin(identity) })) !== false
  } catch (error) {
    const facts = { err: asError(error), callback: `requirements.${name}.isOpen` }
    throw asAuthError(error) ?? new CallbackRouteError(`isOpen of the requirement ${name} threw an error`, facts)
  }
}

/** Returns the first requirement that is open for the user. */
async function findOpenRequirement(
  identity: Identity,
  { candidate, completed }: Progress,
  runtime: AccountRuntime,
): Promise<Requirement | undefined> {
  for (const requirement of runtime.config.requirements) {
    if (Object.hasOwn(completed, requirement.name)) continue
    if (await isOpen(requirement, identity, { candidate, runtime })) return requirement
  }
  return undefined
}

/** Parks the sign-in if a requirement is open. Returns the requirement, and the cookie with the browser's key. */
export async function parkIfOpen(
  identity: Identity,
  { candidate, ...parking }: Progress,
  runtime: AccountRuntime,
): Promise<{ readonly requirement: Requirement; readonly cookie: CookieChange } | undefined> {
  const requirement = await findOpenRequirement(identity, { candidate, ...parking }, runtime)
  if (!requirement) return undefined
  const userId = candidate.isNewUser ? undefined : String(candidate.user.id)
  const cookie = await park({ ...parking, identity, requirement: requirement.name, userId }, runtime)
  return { requirement, cookie }
}

/**
 * Parks the sign-in if a requirement is open, and redirects to its page. A user who connects another account does not
 * sign in, and is not asked.
 */
export async function stopForRequirement(
  identity: Identity,
  {
    call,
    ...progress
  }: Omit<Progress, "callbackUrl" | "remember" | "isReauthentication"> & { readonly call: AuthCall },
  runtime: AccountRuntime,
): Promise<Reply | undefined> {
  if (progress.candidate.isConnection) return undefined
  const { callbackUrl, remember, isReauthentication } = call
  const parked = await parkIfOpen(identity, { ...progress, callbackUrl, remember, isReauthentication }, runtime)
  if (!parked) return undefined
  call.trace?.write("account", `the sign-in waits until the requirement ${parked.requirement.name} is met`)
  return redirect(pageUrl(parked.requirement.page, call.origin), [parked.cookie])
}
