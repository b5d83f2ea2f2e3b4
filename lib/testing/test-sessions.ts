import { createSessions, type Runtime } from "../runtime/runtime.js"
import type { SessionStrategy } from "../sessions/session.js"
import type { JWT } from "../types.js"

/** The options of a test session. */
export interface SessionTraits {
  /** The age of the session in seconds. @default 0 */
  readonly age?: number
  /** Claims of the encrypted cookie that override those of `callbacks.jwt`. */
  readonly claims?: Partial<JWT>
}

/**
 * Returns the sessions of a runtime, optionally with another age and other claims.
 *
 * @throws TypeError when this session strategy does not support them
 */
export function sessionsWith({ age, claims }: SessionTraits, runtime: Runtime): SessionStrategy {
  if (age === undefined && claims === undefined) return runtime.sessions
  if (age !== undefined) requireAge(age, runtime)
  if (claims !== undefined) requireClaims(claims, runtime)
  return createSessions({
    ...runtime,
    now: () => runtime.now() - (age ?? 0) * 1000,
    callbacks: { ...runtime.callbacks, jwt: async (params) => withClaims(await runtime.callbacks.jwt(params), claims) },
  })
}

/** Adds the claims to a token, unless there is no session. */
const withClaims = (token: JWT | null, claims?: Partial<JWT>): JWT | null => token && { ...token, ...claims }

function requireAge(age: number, { config }: Runtime): void {
  if (!Number.isFinite(age) || age < 0)
    throw new TypeError(`signInAs: age is ${String(age)}. Write the age of the session in seconds, 0 or more`)
  if (config.jwt.encode && config.session.strategy === "jwt")
    throw new TypeError("signInAs: age has no effect, because jwt.encode of the configuration uses its own clock")
}

function requireClaims(claims: Partial<JWT>, { config }: Runtime): void {
  if (config.session.strategy === "jwt") return
  const names = Object.keys(claims).join(", ")
  throw new TypeError(
    `signInAs: claims (${names}) are part of an encrypted cookie, but session.strategy is "database". Set them on the user, as columns of the adapter: signInAs(agent, { …, role: "admin" })`,
  )
}
