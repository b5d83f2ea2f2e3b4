import type { Requirement } from "../base/types.js"
import { asAuthError, asError, CallbackRouteError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { AccountRuntime } from "./account-runtime.js"
import { type Candidate, withOwner } from "./apply.js"
import type { Identity } from "./identity.js"
import { describeOrigin } from "./origin.js"
import { type ParkedSignIn, park } from "./pending-sign-in.js"

type Parking = Pick<ParkedSignIn, "completed" | "expiresAt" | "key">

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

interface Progress {
  readonly candidate: Candidate
  readonly completed: ParkedSignIn["completed"]
}

/** Returns the first requirement that is open for the user. */
export async function findOpenRequirement(
  identity: Pick<Identity, "account" | "authentication">,
  { candidate, completed }: Progress,
  runtime: AccountRuntime,
): Promise<Requirement | undefined> {
  for (const requirement of runtime.config.requirements) {
    if (Object.hasOwn(completed, requirement.name)) continue
    if (await isOpen(requirement, identity, { candidate, runtime })) return requirement
  }
  return undefined
}

/**
 * Parks the sign-in if a requirement is open, and redirects to its page. A user who connects another account does not
 * sign in, and is not asked.
 */
export async function stopForRequirement(
  identity: Identity,
  { candidate, parking, call }: { readonly candidate: Candidate; readonly parking: Parking; readonly call: AuthCall },
  runtime: AccountRuntime,
): Promise<Reply | undefined> {
  if (candidate.isConnection) return undefined
  const open = await findOpenRequirement(identity, { candidate, completed: parking.completed }, runtime)
  if (!open) return undefined
  const userId = candidate.isNewUser ? undefined : String(candidate.user.id)
  const { callbackUrl } = call
  const cookie = await park({ ...parking, identity, requirement: open.name, userId, callbackUrl }, runtime)
  call.trace?.write("account", `the sign-in waits until the requirement ${open.name} is met`)
  return redirect(pageUrl(open.page, call.origin), [cookie])
}
