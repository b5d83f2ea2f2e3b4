import { createSessions, type Runtime } from "../runtime.js"
import type { SessionStrategy } from "../sessions/session.js"
import type { JWT } from "../types.js"

/** How a made-up session differs from one that begins now. */
export interface SessionTraits {
  /** Seconds since the session was opened. @default 0 */
  readonly age?: number
  /** Claims of the encrypted cookie, over those that `callbacks.jwt` has made. */
  readonly claims?: Partial<JWT>
}

/**
 * The sessions of a runtime, with another clock and other claims where they are wanted.
 *
 * @throws TypeError when the kind of session can't have them
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

/** Who gets no session gets none for claims either. */
const withClaims = (token: JWT | null, claims?: Partial<JWT>): JWT | null => token && { ...token, ...claims }

function requireAge(age: number, { config }: Runtime): void {
  if (!Number.isFinite(age) || age < 0)
    throw new TypeError(`signInAs: age is ${String(age)}. Write the seconds since the session was opened, 0 or more`)
  if (config.jwt.encode && config.session.strategy === "jwt")
    throw new TypeError("signInAs: age has no effect where jwt.encode of the configuration seals by a clock of its own")
}

function requireClaims(claims: Partial<JWT>, { config }: Runtime): void {
  if (config.session.strategy === "jwt") return
  const names = Object.keys(claims).join(", ")
  throw new TypeError(
    `signInAs: claims (${names}) are part of an encrypted cookie, and session.strategy is "database". Give them to the user: signInAs(agent, { …, role: "admin" }), as a column of the store`,
  )
}
