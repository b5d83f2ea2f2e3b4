/**
 * Decides whether a session's authentication is recent and strong enough (step-up authentication, RFC 9470).
 *
 * @module
 */
import type { SessionAuthentication } from "../base/types.js"

/** The requirements of a page for the authentication of its user. */
export interface RequiredAuthentication {
  /** The maximum age of the user's last authentication, in seconds. */
  readonly maxAgeSeconds?: number
  /** 2 if the user must have used two factors: `amr` contains "mfa". */
  readonly factors?: 2
  /** The authentication context class that the provider must state (`acr`). */
  readonly acr?: string
  /** The authentication methods (RFC 8176), all of which are required. */
  readonly amr?: readonly string[]
}

/** A requirement that an authentication does not meet. */
export type Shortfall = keyof RequiredAuthentication

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }
/** The longest value of `maxAgeSeconds`: a year. */
const MAX_AGE_SECONDS = 365 * 86_400

/** Parses "30s", "10m", "1h" or whole seconds; returns undefined for anything else. */
export function parseMaxAge(value: unknown): number | undefined {
  const [, amount, unit = "s"] = (typeof value === "string" && /^(\d{1,8})([smh])$/.exec(value)) || []
  const seconds = typeof value === "number" ? value : Number(amount) * (UNITS[unit] ?? 1)
  return Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_AGE_SECONDS ? seconds : undefined
}

/**
 * How far `authTime` may be in the future. Another process, whose clock is ahead, may have just authenticated the user.
 */
const FUTURE_TOLERANCE_SECONDS = 60

function isRecent(authTime: number | undefined, maxAgeSeconds: number, nowMs: number): boolean {
  if (authTime === undefined) return false
  const age = nowMs / 1000 - authTime
  return age <= maxAgeSeconds && age >= -FUTURE_TOLERANCE_SECONDS
}

/**
 * Returns the requirements that an authentication does not meet. An unknown authentication meets none. If only its time
 * is unknown, `maxAgeSeconds` is not met, because the provider may have used a session of any age.
 */
export function findShortfalls(
  authentication: Pick<SessionAuthentication, "amr" | "authTime" | "acr"> | undefined,
  { maxAgeSeconds, factors, acr, amr }: RequiredAuthentication,
  nowMs: number,
): readonly Shortfall[] {
  const methods = authentication?.amr ?? []
  const isUnmet: Readonly<Record<Shortfall, boolean>> = {
    maxAgeSeconds: maxAgeSeconds !== undefined && !isRecent(authentication?.authTime, maxAgeSeconds, nowMs),
    factors: factors !== undefined && !methods.includes("mfa"),
    acr: acr !== undefined && authentication?.acr !== acr,
    amr: amr !== undefined && !amr.every((method) => methods.includes(method)),
  }
  return (Object.keys(isUnmet) as Shortfall[]).filter((name) => isUnmet[name])
}

/** Returns the requirements as query parameters of the page on which users authenticate again. */
export const toQuery = ({ maxAgeSeconds, factors, acr, amr }: RequiredAuthentication): Record<string, string> => ({
  ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
  ...(factors !== undefined && { factors: String(factors) }),
  ...(acr !== undefined && { acr_values: acr }),
  ...(amr !== undefined && { amr: amr.join(" ") }),
})

/**
 * The longest `acr_values` and `amr` that are accepted in a URL. Any link can contain them, but they are not displayed.
 * They decide only what the page offers, and which `acr_values` the provider receives.
 */
const MAX_TEXT_LENGTH = 255

/** Parses the query parameters of `toQuery`. Invalid parameters are ignored. */
export function parseRequiredAuthentication(query: Readonly<Record<string, string>>): RequiredAuthentication {
  const { max_age: maxAge = "", factors, acr_values: acr = "", amr = "" } = query
  const maxAgeSeconds = parseMaxAge(Number(maxAge))
  const methods = amr.length <= MAX_TEXT_LENGTH ? amr.split(" ").filter(Boolean) : []
  return {
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    ...(factors === "2" && { factors: 2 }),
    ...(acr !== "" && acr.length <= MAX_TEXT_LENGTH && { acr }),
    ...(methods.length > 0 && { amr: methods }),
  }
}
