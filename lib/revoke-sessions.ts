import type { AuthConfig } from "./config/auth-config.js"
import { requireRuntime } from "./runtime/runtime.js"

/**
 * Ends all database sessions of a user, including the current one. Use it for a button "sign out on all devices", after
 * a password change, or when an account is closed.
 *
 * It requires an adapter of this package, or one with `deleteSessionsByUserId`. To end sessions in encrypted cookies,
 * check a time in the `jwt` callback, see docs/sessions.md.
 *
 * @param config the same object as for the middleware
 * @param userId the user's id in the adapter
 * @throws TypeError without an id; UnsupportedStrategy if sessions are in cookies; MissingAdapterMethods if the adapter
 * lacks the method; AdapterError (status 503) if the adapter fails and the sessions are still valid; ConfigurationError
 * @example
 * // sameOrigin: "Forms of your own" in docs/express.md
 * app.post("/sign-out-everywhere", sameOrigin, requireAuth, (req, res, next) => {
 *   revokeSessions(config, req.auth.user.id).then(() => res.redirect("/"), next)
 * })
 */
export async function revokeSessions(config: AuthConfig, userId: string | undefined): Promise<void> {
  // Without an id, no session would be deleted and no error reported.
  if (userId === undefined || userId === null || userId === "")
    throw new TypeError(
      "revokeSessions needs the user's id: return it from callbacks.session, which leaves it out by default",
    )
  await requireRuntime(config).sessions.destroyAll(userId)
}
