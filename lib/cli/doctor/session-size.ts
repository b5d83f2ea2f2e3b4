/**
 * Measures the size of the session cookie. For each provider, a session is created for an invented user, with the
 * application's `jwt` callback and `jwt.encode`. Nothing is stored, and no event is emitted.
 *
 * @module
 */

import type { Account, JWT, ProviderType } from "../../base/types.js"
import type { CallbacksOptions } from "../../config/auth-config.js"
import { readProviderId } from "../../config/env.js"
import { asError } from "../../errors/errors.js"
import { createCookieSet, serialise, toOutgoing } from "../../http/cookies.js"
import type { ProviderObject } from "../../provider-kit/provider.js"
import { createRuntime } from "../../runtime/runtime.js"
import type { SignedIn } from "../../sessions/session.js"
import { type DoctorContext, type DoctorFinding, fail, ok, skip, warn } from "./check.js"

/** Browsers limit the size of a cookie to this number of bytes. Larger sessions are split into several cookies. */
const MAX_COOKIE_BYTES = 4096
/** The size of headers in bytes that proxies accept by default. nginx accepts 8 kB for one line. */
const MAX_HEADER_BYTES = 8192

const ID = "00000000-0000-4000-8000-000000000000"

const PROFILE = {
  sub: ID,
  name: "Maria Magdalena Exampleton",
  given_name: "Maria Magdalena",
  family_name: "Exampleton",
  preferred_username: "maria.exampleton",
  email: "maria.exampleton@example.com",
  email_verified: true,
  picture: `https://images.example.com/avatars/${"a".repeat(70)}.png`,
  locale: "en",
}

/** Tokens of typical lengths, for callbacks that store them in the session. */
const TOKENS = {
  access_token: "x".repeat(1_200),
  refresh_token: "x".repeat(400),
  token_type: "bearer" as const,
  expires_in: 3600,
  expires_at: 2_000_000_000,
  scope: "openid profile email",
}

/** The tokens that a provider of each type issues. */
const TOKENS_BY_TYPE: Readonly<Partial<Record<ProviderType, Partial<Account>>>> = {
  oauth: TOKENS,
  oidc: { ...TOKENS, id_token: "x".repeat(1_100) },
}

function createTypicalSignIn({ type }: ProviderObject, provider: string): SignedIn {
  const { name, email, picture: image } = PROFILE
  const tokens = TOKENS_BY_TYPE[type]
  const account = { provider, providerAccountId: ID, type, ...tokens }
  const authentication = { id: "0".repeat(22), owner: ID, provider, method: type, amr: ["pwd"], authTime: 2e9 }
  const user = { id: ID, name, email, image }
  return { user, account, isNewUser: true, authentication, ...(tokens && { profile: PROFILE }) }
}

interface SessionSize {
  /** The size of all session cookies in the `Cookie` header of a request. */
  readonly bytes: number
  readonly cookieCount: number
  readonly claims: JWT
}

/**
 * Creates a session for a typical user, and measures its cookies. Returns undefined if the `jwt` callback returns null.
 */
async function measure(provider: ProviderObject, { config, env }: DoctorContext): Promise<SessionSize | undefined> {
  const id = String(readProviderId(provider))
  let claims: JWT | null = {}
  const callback = config.callbacks?.jwt
  const jwt: NonNullable<CallbacksOptions["jwt"]> = async (params) => {
    claims = callback ? await callback(params) : params.token
    return claims
  }
  const silentLogger = { error() {}, warn() {}, debug() {} }
  // Write no record to the store: only revocable sessions have records.
  const session = { ...config.session, revocable: false }
  const callbacks = { ...config.callbacks, jwt }
  const measuredConfig = { ...config, session, callbacks, isActive: undefined, logger: silentLogger }
  const { sessions } = createRuntime(measuredConfig, env)
  const cookieSet = createCookieSet(true, { cookies: config.cookies, hostPrefix: config.session?.hostPrefix })
  const { cookies: changes } = await sessions.create(createTypicalSignIn(provider, id), { cookies: {}, cookieSet })
  if (claims === null) return undefined
  const cookies = toOutgoing(changes, cookieSet)
  const bytes = cookies.reduce((sum, { name, value }) => sum + serialise({ name, value, options: {} }).length + 2, 0)
  return { bytes, cookieCount: cookies.length, claims }
}

/** Returns the names and sizes of the three largest claims, without their values. */
function largestClaims(claims: JWT): string {
  const sizes = Object.entries(claims).map(([name, value]) => [name, JSON.stringify(value ?? null).length] as const)
  const largest = sizes.sort(([, a], [, b]) => b - a).slice(0, 3)
  return largest.map(([name, size]) => `${name} ${size}`).join(", ")
}

const ADVICE =
  "return only the claims that you need: callbacks: { jwt: ({ token }) => token }; or use an adapter, which stores sessions in the database"

/** Returns the finding about the size of a typical session with one provider. */
export function sizeFinding(id: string, { bytes, cookieCount, claims }: SessionSize): DoctorFinding {
  const subject = `callbacks.jwt (${id})`
  if (bytes <= MAX_COOKIE_BYTES) return ok("session-large", subject, `${bytes} bytes in one cookie`)
  const seen = `${bytes} bytes in ${cookieCount} cookies; largest claims in characters: ${largestClaims(claims)}`
  const cause = "the session is larger than the headers that proxies accept by default"
  return warn("session-large", subject, { ...(bytes > MAX_HEADER_BYTES && { cause }), seen, fix: ADVICE })
}

async function checkSize(provider: ProviderObject, context: DoctorContext): Promise<DoctorFinding> {
  const id = String(readProviderId(provider))
  const subject = `callbacks.jwt (${id})`
  try {
    const size = await measure(provider, context)
    if (size) return sizeFinding(id, size)
    return skip("session-large", subject, "the callback returned null for a user who has just signed in")
  } catch (error) {
    const { cause, message } = asError(error)
    const reason = asError(Object(cause).err ?? error)
    if (reason instanceof RangeError) return fail("session-too-large", subject, { seen: reason.message, fix: ADVICE })
    return skip("session-large", subject, `the callback failed for a sample user: ${message}: ${reason.message}`)
  }
}

/** Measures a typical session with each provider. */
export async function checkSessionSize(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { session, adapter, secrets, providers } = context.resolved
  if (session.strategy === "database" && adapter)
    return [ok("session-large", "session", "sessions are in the database; the cookie has only a token")]
  return secrets.length === 0 ? [] : Promise.all(providers.map((provider) => checkSize(provider, context)))
}
