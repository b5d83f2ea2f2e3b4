import type { AdapterUser } from "./adapters/adapter.js"
import { MissingAdapterMethods } from "./errors.js"
import { normalizeAddress } from "./methods/email/address.js"
import { requireRuntime } from "./runtime.js"
import type { AuthConfig } from "./types.js"

/**
 * Changes the email address of a user. The new address is unproved until its owner opens a sign-in link: adapters of
 * Auth.js would keep the proof of the earlier one.
 *
 * @param config the same object that the middleware got
 * @param userId the id that the adapter gave the user
 * @param email one address; it is stored in lower case, with its domain as A-label
 * @throws EmailSignInError when it is not an address; AdapterError when the adapter fails, for instance because another
 * user has the address; MissingAdapterMethods, ConfigurationError, TypeError without an id
 * @example
 * app.post("/account/email", requireAuth, async (req, res) => {
 *   await changeEmail(config, req.auth.user.id, req.body.email)
 *   res.redirect("/account")
 * })
 */
export async function changeEmail(config: AuthConfig, userId: string | undefined, email: string): Promise<AdapterUser> {
  if (userId === undefined || userId === null || userId === "")
    throw new TypeError(
      "changeEmail needs the user's id: return it from callbacks.session, which leaves it out by default",
    )
  const { adapter, emit } = requireRuntime(config)
  if (!adapter?.updateUser) throw new MissingAdapterMethods("the adapter lacks updateUser, which changeEmail needs")
  const user = await adapter.updateUser({ id: userId, email: normalizeAddress(email), emailVerified: null })
  await emit("updateUser", { user })
  return user
}
