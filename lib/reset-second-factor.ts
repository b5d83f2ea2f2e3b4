import type { AuthConfig } from "./config/auth-config.js"
import { ConfigurationError, configProblem } from "./errors/errors.js"
import { removeAllPasskeys } from "./methods/webauthn/manage.js"
import { requireRuntime } from "./runtime/runtime.js"

/**
 * Removes the second factor of a user who has lost it: the authenticator app, the recovery codes, the trusted browsers,
 * and the passkeys if `secondFactor.methods` includes "passkey". All sessions of the user end, unless
 * `session.revocable` is false. If `secondFactor.required` applies to the user, the next sign-in asks for a new second
 * factor.
 *
 * Verify the identity of the user before you call this function: see "Users who have lost everything" in
 * docs/second-factor.md.
 *
 * @param config the same object as for the middleware
 * @param owner `req.auth.owner` of the user: with an adapter the user's id
 * @throws TypeError without an owner; AdapterError (status 503) if the adapter or the store fails: repeat the call;
 * ConfigurationError, also without the option `secondFactor`
 * @example
 * await resetSecondFactor(config, user.id)
 */
export async function resetSecondFactor(config: AuthConfig, owner: string | undefined): Promise<void> {
  const runtime = requireRuntime(config)
  const { secondFactor, sessions, emit, passkeyProviderId } = runtime
  if (!secondFactor)
    throw new ConfigurationError([
      configProblem("option-invalid", "secondFactor", "is missing", "Write { secondFactor: {} }"),
    ])
  if (!owner) throw new TypeError("the owner is missing. Pass the id of the user")
  if (passkeyProviderId !== undefined && secondFactor.options.methods.includes("passkey"))
    await removeAllPasskeys(owner, runtime)
  await secondFactor.remove(String(owner))
  if (sessions.registry) await sessions.destroyAll(owner)
  await emit("secondFactor", { owner: String(owner), change: "reset" })
}
