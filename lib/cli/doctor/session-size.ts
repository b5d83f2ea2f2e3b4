/**
 * How large the session's cookie gets: somebody typical signs in by each provider, through the application's own
 * callback and codec. Nothing is stored, and nobody is told.
 *
 * @module
 */
import { idOf } from "../../config/provider-id.js"
import { asError } from "../../errors.js"
import { createCookieSet, serialise, toOutgoing } from "../../http/cookies.js"
import type { JWT } from "../../jwt.js"
import type { ProviderObject } from "../../providers/provider.js"
import { createRuntime } from "../../runtime.js"
import type { SignedIn } from "../../sessions/session.js"
import type { Account, CallbacksOptions, Profile } from "../../types.js"
import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, fail, ok, skip, warn } from "./finding.js"

/** What browsers keep of one cookie; more goes into several. */
const ONE_COOKIE = 4096
/** Headers that are longer are refused by proxies as they come, nginx with 8 kB for one line. */
const ONE_HEADER = 8192

/** Tokens of the length that providers give, which is what callbacks that keep them must live with. */
const TYPICAL = { access_token: 1_200, id_token: 1_100, refresh_token: 400 } as const

function typicalAccount({ type }: ProviderObject, id: string): Account {
  const account = { provider: id, providerAccountId: "00000000-0000-4000-8000-000000000000", type }
  if (type !== "oidc" && type !== "oauth") return account
  const tokens = Object.entries(TYPICAL).filter(([name]) => type === "oidc" || name !== "id_token")
  const texts = Object.fromEntries(tokens.map(([name, length]) => [name, "x".repeat(length)]))
  return {
    ...account,
    ...texts,
    token_type: "bearer",
    expires_in: 3600,
    expires_at: 2_000_000_000,
    scope: "openid profile email",
  }
}

const PICTURE = `https://images.example.com/avatars/${"a".repeat(70)}.png`

const PROFILE: Profile = {
  sub: "00000000-0000-4000-8000-000000000000",
  name: "Maria Magdalena Exampleton",
  given_name: "Maria Magdalena",
  family_name: "Exampleton",
  preferred_username: "maria.exampleton",
  email: "maria.exampleton@example.com",
  email_verified: true,
  picture: PICTURE,
  locale: "en",
}

function typicalSignIn(provider: ProviderObject): SignedIn {
  const id = String(idOf(provider))
  const { sub, name, email } = PROFILE
  const isOAuth = provider.type === "oidc" || provider.type === "oauth"
  return {
    user: { id: String(sub), name, email, image: PICTURE },
    account: typicalAccount(provider, id),
    ...(isOAuth && { profile: PROFILE }),
    isNewUser: true,
  }
}

interface Measured {
  /** Of name and value of every part, as they come back in a request. */
  readonly bytes: number
  readonly parts: number
  readonly claims: JWT
}

/** Signs somebody in, and keeps what the application's callback made of it. */
async function measure(provider: ProviderObject, { config, env }: Examined): Promise<Measured | undefined> {
  let claims: JWT | null = {}
  const own = config.callbacks?.jwt
  const jwt: NonNullable<CallbacksOptions["jwt"]> = async (params) => {
    claims = own ? await own(params) : params.token
    return claims
  }
  const quiet = { error() {}, warn() {}, debug() {} }
  const { sessions } = createRuntime({ ...config, logger: quiet, callbacks: { ...config.callbacks, jwt } }, env)
  const cookieSet = createCookieSet(true, { cookies: config.cookies, hostPrefix: config.session?.hostPrefix })
  const changes = await sessions.open(typicalSignIn(provider), { cookies: {}, cookieSet })
  if (claims === null) return undefined
  const cookies = toOutgoing(changes, cookieSet)
  const bytes = cookies.reduce((sum, { name, value }) => sum + serialise({ name, value, options: {} }).length + 2, 0)
  return { bytes, parts: cookies.length, claims }
}

/** The largest by their names; never what is in them. */
function largest(claims: JWT): string {
  const sizes = Object.entries(claims).map(([name, value]) => [name, JSON.stringify(value ?? null).length] as const)
  const three = sizes.sort(([, a], [, b]) => b - a).slice(0, 3)
  return three.map(([name, size]) => `${name} ${size}`).join(", ")
}

const ADVICE =
  "callbacks: { jwt: ({ token }) => token } with what you need of it alone, or an adapter, which keeps sessions in the store"

/** The finding of one provider's typical session. */
export function sizeFinding(id: string, { bytes, parts, claims }: Measured): DoctorFinding {
  const subject = `callbacks.jwt (${id})`
  const seen = `${bytes} bytes in ${parts} cookies; largest claims in characters: ${largest(claims)}`
  if (bytes > ONE_HEADER)
    return warn("session-large", subject, "the session is larger than the headers that proxies accept by default", {
      seen,
      write: ADVICE,
    })
  if (bytes > ONE_COOKIE)
    return warn("session-large", subject, "the session needs several cookies, which go along with every request", {
      seen,
      write: ADVICE,
    })
  return ok("session-large", subject, `${bytes} bytes in one cookie`)
}

async function examine(provider: ProviderObject, at: Examined): Promise<DoctorFinding> {
  const id = String(idOf(provider))
  const subject = `callbacks.jwt (${id})`
  try {
    const measured = await measure(provider, at)
    return measured
      ? sizeFinding(id, measured)
      : skip("session-large", subject, "the callback gave null for somebody who just signed in")
  } catch (error) {
    const { cause, message } = asError(error)
    const behind = asError(Object(cause).err ?? error)
    if (behind instanceof RangeError)
      return fail("session-too-large", subject, "the session is too large for cookies, and nobody could sign in", {
        seen: behind.message,
        write: ADVICE,
      })
    return skip("session-large", subject, `the callback failed for a made-up person: ${message}: ${behind.message}`)
  }
}

export const checkSessionSize: Check = {
  group: "Session",
  code: "session-large",
  async run(at) {
    const { session, adapter } = at.resolved
    if (session.strategy === "database" && adapter)
      return [ok("session-large", "session", "sessions are in the store; the cookie has a token alone")]
    if (at.resolved.secrets.length === 0) return []
    return Promise.all(at.providers.map((provider) => examine(provider, at)))
  },
}
