import { AuthError, isError, TooManyAttempts } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { addressBucket } from "../../security/rate-limit.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { ReadyCredentials } from "./index.js"

const NAMES = ["username", "email", "login", "user", "identifier", "phone"]

/** What of the submitted fields says whose account is tried: the form's own fields but passwords, else the usual names. */
function accountOf(call: AuthCall, provider: ReadyCredentials): string {
  const declared = Object.entries(provider.inputs).filter(
    ([name, { type }]) => type !== "password" && !/pass|pin|otp|code/i.test(name),
  )
  const names = declared.length > 0 ? declared.map(([name]) => name) : NAMES
  return names
    .map((name) =>
      String(call.body[name] ?? "")
        .trim()
        .toLowerCase(),
    )
    .join("\n")
}

/** The limiter's answer when it refuses: how long to wait. A failing store is no refusal. */
function waitOf(rejection: unknown): number | undefined {
  const ms: unknown =
    typeof rejection === "object" && rejection !== null ? Reflect.get(rejection, "msBeforeNext") : undefined
  return typeof ms === "number" ? ms : undefined
}

/**
 * Counts an attempt for one account from one address, so that a stranger elsewhere can't lock the owner out.
 *
 * @throws TooManyAttempts when there were too many
 */
export async function limitAttempts(
  call: AuthCall,
  provider: ReadyCredentials,
  runtime: Runtime,
): Promise<{ succeeded(): Promise<void> }> {
  const { limiter } = runtime
  if (!limiter) return { succeeded: async () => {} }
  // Hashed: keys may land in a store, and people type passwords into the wrong field.
  const key = sha256Base64url(`${provider.id}\n${addressBucket(call.clientAddress)}\n${accountOf(call, provider)}`)
  try {
    await limiter.consume(key)
  } catch (rejection) {
    const ms = waitOf(rejection)
    if (ms === undefined)
      throw new AuthError("the rate limiter failed", { err: asCause(rejection), provider: provider.id })
    const refusal = new TooManyAttempts("too many sign-in attempts for one account from one address", {
      provider: provider.id,
    })
    refusal.retryAfterSeconds = Math.max(1, Math.ceil(ms / 1000))
    throw refusal
  }
  return { succeeded: async () => void (await limiter.delete?.(key)) }
}

const asCause = (value: unknown): Error => (isError(value) ? value : new Error(String(value)))
