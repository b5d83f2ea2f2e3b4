import type { CookieChange, Requirement } from "../base/types.js"
import { asAuthError, asError, CallbackRouteError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { SECOND_FACTOR, type SecondFactor } from "../second-factor/second-factor.js"
import { pageUrl } from "../security/redirects.js"
import type { SessionCookies } from "../sessions/session.js"
import type { AccountRuntime, RequirementRule } from "./account-runtime.js"
import { type SignInCandidate, withUserId } from "./apply.js"
import type { Identity } from "./identity.js"
import { type StoredSignIn, storePendingSignIn } from "./pending-sign-in.js"
import { createSessionAuthentication, describeAuthentication } from "./session-authentication.js"

const createSecondFactorRule = (secondFactor: SecondFactor): RequirementRule => ({
  name: SECOND_FACTOR,
  isOpen: ({ isNewUser, isFirstVerification, ...subject }) =>
    secondFactor.isMissing({ ...subject, isNew: isNewUser || isFirstVerification }),
  page: ({ base }) => `${base}/${SECOND_FACTOR}`,
})

const toRule = ({ name, isOpen, page }: Requirement): RequirementRule => ({
  name,
  isOpen: async ({ user, isNewUser, account, authentication }) =>
    (await isOpen({ user, isNewUser, account, authentication })) !== false,
  page: () => page,
})

/** Returns the rules in the order in which they are checked: the second factor first. */
export const createRules = (
  requirements: readonly Requirement[],
  secondFactor: SecondFactor | undefined,
): readonly RequirementRule[] => [
  ...(secondFactor ? [createSecondFactorRule(secondFactor)] : []),
  ...requirements.map(toRule),
]

/** The user of a sign-in, and the values that are stored if the sign-in becomes pending. */
interface Progress
  extends Pick<
    StoredSignIn,
    "callbackUrl" | "remember" | "isReauthentication" | "completed" | "expiresAt" | "key" | "trusted"
  > {
  readonly candidate: SignInCandidate
}

interface SignInAttempt extends Progress {
  readonly browser: SessionCookies
}

async function isOpen(
  rule: RequirementRule,
  identity: Identity,
  { candidate, browser }: SignInAttempt,
  runtime: AccountRuntime,
): Promise<boolean> {
  const { user, isNewUser, isFirstVerification = false } = candidate
  const account = withUserId(user, identity.account, runtime)
  const { owner } = createSessionAuthentication(identity, user, runtime)
  const authentication = describeAuthentication(identity)
  try {
    return await rule.isOpen({ user, isNewUser, isFirstVerification, account, authentication, owner, browser })
  } catch (error) {
    const facts = { err: asError(error), callback: `requirements.${rule.name}.isOpen` }
    throw (
      asAuthError(error) ?? new CallbackRouteError(`the check of the requirement ${rule.name} threw an error`, facts)
    )
  }
}

/** Returns the first requirement that is open for the user; undefined if no requirement is open. */
async function findOpenRule(
  identity: Identity,
  attempt: SignInAttempt,
  runtime: AccountRuntime,
): Promise<RequirementRule | undefined> {
  for (const rule of runtime.requirements) {
    if (Object.hasOwn(attempt.completed, rule.name)) continue
    if (await isOpen(rule, identity, attempt, runtime)) return rule
  }
  return undefined
}

/**
 * Stores the sign-in as pending if a requirement is open. Returns the requirement and the cookie with the browser's
 * key; undefined if no requirement is open.
 */
export async function storeForRequirement(
  identity: Identity,
  attempt: SignInAttempt,
  runtime: AccountRuntime,
): Promise<{ readonly rule: RequirementRule; readonly cookie: CookieChange } | undefined> {
  const rule = await findOpenRule(identity, attempt, runtime)
  if (!rule) return undefined
  const { candidate, browser: _, ...values } = attempt
  const { user, isNewUser, isFirstVerification } = candidate
  const userId = isNewUser ? undefined : String(user.id)
  const cookie = await storePendingSignIn(
    { ...values, identity, requirement: rule.name, userId, isFirstVerification },
    runtime,
  )
  return { rule, cookie }
}

/**
 * Stores the sign-in as pending if a requirement is open, and returns the redirect to the page of the requirement.
 * Returns undefined if no requirement is open, and for a user who connects another account, because that is not a
 * sign-in.
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
  const attempt = { ...progress, callbackUrl, remember, isReauthentication, browser: call }
  const stored = await storeForRequirement(identity, attempt, runtime)
  if (!stored) return undefined
  call.trace?.write("account", `the sign-in waits until the requirement ${stored.rule.name} is met`)
  return redirect(pageUrl(stored.rule.page(call), call.origin), [stored.cookie])
}
