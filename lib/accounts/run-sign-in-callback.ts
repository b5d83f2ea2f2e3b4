import type { Account } from "../base/types.js"
import type { CallbacksOptions } from "../config/auth-config.js"
import { AccessDenied, asAuthError, asError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { requireRedirectUrl } from "../security/redirects.js"
import type { AccountRuntime } from "./account-runtime.js"

type SignInParams = Parameters<NonNullable<CallbacksOptions["signIn"]>>[0] & { readonly account: Account }

/**
 * Runs the `signIn` callback. Returns a URL if the callback redirects the user, and undefined if it allows the sign-in.
 *
 * @throws AccessDenied if the callback refuses the user, or throws an error that is not an `AuthError`. An `AuthError`
 * is thrown unchanged
 */
export async function runSignInCallback(
  params: SignInParams,
  call: AuthCall,
  { callbacks, config }: AccountRuntime,
): Promise<string | undefined> {
  const { provider } = params.account
  let result: boolean | string
  try {
    result = await callbacks.signIn(params)
  } catch (error) {
    // The user is refused, and the log level is "error" because the application has a bug.
    const facts = { err: asError(error), provider }
    throw asAuthError(error) ?? new AccessDenied("callbacks.signIn threw an error", facts, { level: "error" })
  }
  if (config.callbacks.signIn)
    call.trace?.write(
      "account",
      `callbacks.signIn returned ${typeof result === "string" ? "a URL to redirect to" : Boolean(result)}`,
    )
  if (!result) throw new AccessDenied("callbacks.signIn refused the user", { provider })
  if (typeof result !== "string") return undefined
  return requireRedirectUrl(await callbacks.redirect({ url: result, baseUrl: call.origin }), call.origin)
}
