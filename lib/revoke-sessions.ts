import { requireRuntime } from "./runtime.js"
import type { AuthConfig } from "./types.js"

/**
 * Signs a user out everywhere: every session in the store ends at once, this browser's too. For a button "sign out on
 * all devices", after a change of password, or when an account is closed.
 *
 * It takes a store: an adapter of this package, or one with `deleteSessionsByUserId`. Sessions in encrypted cookies are
 * ended by a check in the `jwt` callback.
 *
 * @param config the same object that the middleware got
 * @param userId as the store gave it; where there is none it throws a TypeError, since nobody would be signed out
 * @throws UnsupportedStrategy when sessions are in cookies, MissingAdapterMethods when the adapter can't do it,
 * AdapterError when the store is down (status 503) and the sessions are still good, ConfigurationError
 * @example
 * app.post("/sign-out-everywhere", requireAuth, async (req, res) => {
 *   await revokeSessions(config, req.auth.user.id)
 *   res.redirect("/")
 * })
 */
export async function revokeSessions(config: AuthConfig, userId: string | undefined): Promise<void> {
  // Without an id nothing would be deleted, and all would seem well.
  if (userId === undefined || userId === null || userId === "")
    throw new TypeError(
      "revokeSessions needs the user's id: show it in callbacks.session, which leaves it out by itself",
    )
  await requireRuntime(config).sessions.closeAll(userId)
}
