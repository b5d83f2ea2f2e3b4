import { endOtherSessions } from "./accounts/end-other-sessions.js"
import type { AdapterUser } from "./adapters/adapter.js"
import type { AuthConfig } from "./config/auth-config.js"
import { MissingAdapterMethods } from "./errors/errors.js"
import { normalizeAddress } from "./methods/email/address.js"
import { requireRuntime } from "./runtime/runtime.js"

/**
 * Changes the email address of a user. The new address is unverified (`emailVerified: null`) until its owner opens a
 * sign-in link. Use this function instead of the adapter's `updateUser`, which may leave the new address marked as
 * verified.
 *
 * With a store, the user's sessions end, unless `session.keepOnFactorChange` is set or `session.revocable` is false.
 * With `secondFactor`, the user's trusted browsers are no longer trusted.
 *
 * @param config the same object as for the middleware
 * @param userId the user's id in the adapter
 * @param email one address. It is stored in lower case, with its domain in ASCII (A-labels)
 * @param options `except`: the id of a session that does not end, such as `req.auth.sessionId`
 * @returns the updated user
 * @throws EmailSignInError if the address is invalid; AdapterError if the adapter fails, for example because another
 * user has the address, or if the store fails; MissingAdapterMethods if the adapter lacks `updateUser`; TypeError if
 * `userId` is missing; ConfigurationError
 * @example
 * // sameOrigin: "Forms of your own" in docs/express.md
 * app.post("/account/email", sameOrigin, requireAuth({ freshWithin: "10m" }), (req, res, next) => {
 *   const { owner, sessionId } = req.auth
 *   changeEmail(config, owner, req.body?.email, { except: sessionId }).then(() => res.redirect("/account"), next)
 * })
 */
export async function changeEmail(
  config: AuthConfig,
  userId: string | undefined,
  email: string,
  { except }: { readonly except?: string | undefined } = {},
): Promise<AdapterUser> {
  if (userId === undefined || userId === null || userId === "")
    throw new TypeError("changeEmail needs the user's id. Pass req.auth.owner")
  const runtime = requireRuntime(config)
  const { adapter, emit } = runtime
  if (!adapter?.updateUser) throw new MissingAdapterMethods("the adapter lacks updateUser, which changeEmail needs")
  const user = await adapter.updateUser({ id: userId, email: normalizeAddress(email), emailVerified: null })
  await endOtherSessions(String(userId), except, runtime)
  await emit("updateUser", { user })
  return user
}
