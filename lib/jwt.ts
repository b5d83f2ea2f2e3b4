/**
 * The encrypted session cookie, for use outside a request: sealing, opening and finding it.
 *
 * @module
 */

import { MissingSecret } from "./errors.js"
import { parseCookies } from "./http/cookies.js"
import { readValues } from "./http/duplicate-cookies.js"
import { open, seal } from "./security/jwe.js"
import { deriveKeys } from "./security/keys.js"
import { CONFLICT, findOnlySession, readOwner } from "./security/session-values.js"
import type { Awaitable } from "./types.js"

/** The claims that a session cookie has by default. */
export interface DefaultJWT extends Record<string, unknown> {
  /** The user's name. */
  name?: string | null | undefined
  /** The user's e-mail address. */
  email?: string | null | undefined
  /** Address of the user's image. */
  picture?: string | null | undefined
  /** The user's id. */
  sub?: string | undefined
  /** Seconds since 1970. */
  iat?: number
  /** Seconds since 1970. */
  exp?: number
  /** This token's own id. */
  jti?: string
  /** When the person signed in, in seconds since 1970; there with `session.absoluteMaxAge` alone. */
  session_start?: number
  /**
   * With an adapter: the user's email address that was proved when the session was opened, or "". Once another address of
   * the user is proved, the session can no longer connect accounts or passkeys.
   */
  session_proven_email?: string
}

/** What the encrypted session cookie holds. Extend it by module augmentation of "latchkey/jwt". */
export interface JWT extends Record<string, unknown>, DefaultJWT {}

/** What `encode` takes. */
export interface JWTEncodeParams<Payload = JWT> {
  /** The claims to seal. */
  token?: Payload
  /** In a list the first one seals. */
  secret: string | string[]
  /** The name of the session cookie. */
  salt: string
  /** Seconds. @default 2592000 (30 days) */
  maxAge?: number
}

/** What `decode` takes. */
export interface JWTDecodeParams {
  /** What `encode` gave. */
  token?: string
  /** In a list every one is tried. */
  secret: string | string[]
  /** The name of the session cookie. */
  salt: string
}

/** `config.jwt`: how the session cookie is sealed. */
export interface JWTOptions {
  /** @default config.secret */
  secret: string | string[]
  /** Seconds. @default session.maxAge */
  maxAge: number
  /** Seals the claims; expiry and protection are yours then. */
  encode: (params: JWTEncodeParams) => Awaitable<string>
  /** Opens what `encode` sealed; null or an error where it can't. */
  decode: (params: JWTDecodeParams) => Awaitable<JWT | null>
}

const DEFAULT_MAX_AGE_SECONDS = 30 * 24 * 60 * 60

const listOf = (secret: string | readonly string[]): readonly string[] =>
  typeof secret === "string" ? [secret] : secret

/**
 * Seals claims as Auth.js does: a compact JWE, `dir` with A256CBC-HS512 (RFC 7516).
 *
 * @example
 * const token = await encode({ token: { sub: "42" }, secret: process.env.AUTH_SECRET, salt: "authjs.session-token" })
 */
export async function encode<Payload extends Record<string, unknown> = JWT>(
  params: JWTEncodeParams<Payload>,
): Promise<string> {
  const { token, secret, salt, maxAge = DEFAULT_MAX_AGE_SECONDS } = params
  return seal({ ...token }, deriveKeys(listOf(secret).slice(0, 1), salt), maxAge, Date.now())
}

/**
 * Opens what `encode` sealed; null without a token.
 *
 * @throws Error when it was sealed with another secret or salt, was changed, or has expired (15 s tolerance)
 */
export async function decode<Payload = JWT>({ token, secret, salt }: JWTDecodeParams): Promise<Payload | null> {
  if (!token) return null
  // The claims are whatever was sealed; the caller names their type.
  return open(token, deriveKeys(listOf(secret), salt), Date.now()) as Payload
}

/** What `getToken` takes. */
export interface GetTokenParams<Raw extends boolean = false> {
  /** The request, or anything with its headers. */
  req: Request | { headers: Headers | Record<string, string | string[] | undefined> }
  /** Is the cookie named `__Secure-…`? @default false */
  secureCookie?: boolean
  /** @default "authjs.session-token", with "__Secure-" before it when `secureCookie` is set */
  cookieName?: string
  /** @default the cookie's name */
  salt?: string
  /** The secret of the configuration, or its list; not needed with `raw`. */
  secret?: string | (string | undefined)[] | undefined
  /** Give the text, not the claims. */
  raw?: Raw
  /** The configuration's own `jwt.decode`, where it has one. */
  decode?: JWTOptions["decode"]
}

function headerOf(headers: GetTokenParams["req"]["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name]
  return Array.isArray(value) ? value.join("; ") : value
}

function bearerToken(header: string | undefined): string | undefined {
  const encoded = /^Bearer (.+)$/.exec(header ?? "")?.[1]
  try {
    return encoded && decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/**
 * The claims of a request's session, from its cookie or else from `Authorization: Bearer`; null when there is
 * none, when it does not open, and when there are cookies of different users.
 *
 * It knows no configuration. The end that `session.absoluteMaxAge` sets is the cookie's own, as it was when the cookie was
 * sealed: one from before the option was set, or made shorter, is read until it is renewed or expires. Where that matters,
 * compare `session_start`, or `iat` where there is none.
 *
 * @throws MissingSecret when neither `secret` nor `raw` is given
 * @example
 * const claims = await getToken({ req, secret: process.env.AUTH_SECRET })
 */
export async function getToken(params: GetTokenParams<true> & { raw: true }): Promise<string | null>
export async function getToken(params: GetTokenParams<boolean>): Promise<JWT | null>
export async function getToken(params: GetTokenParams<boolean>): Promise<string | JWT | null> {
  const { req, secureCookie = false, raw } = params
  const secret =
    typeof params.secret === "string" ? params.secret : (params.secret ?? []).filter((one) => one !== undefined)
  if (!req) throw new TypeError("getToken needs `req`: the request, or an object with its headers")
  const name = params.cookieName ?? `${secureCookie ? "__Secure-" : ""}authjs.session-token`
  const cookie = headerOf(req.headers, "cookie")
  const bearer = bearerToken(headerOf(req.headers, "authorization"))
  const values = readValues(parseCookies(cookie), name, cookie)
  if (raw) return values[0] ?? bearer ?? null
  if (values.length === 0 && bearer === undefined) return null
  if (secret.length === 0) throw new MissingSecret("getToken needs `secret`: write { secret: process.env.AUTH_SECRET }")
  const open = createOpener({ decode: params.decode ?? decode, secret, salt: params.salt ?? name })
  const found = await findOnlySession(values, { open, owner: readOwner })
  if (found === CONFLICT) return null
  return found ?? (bearer === undefined ? null : ((await open(bearer)) ?? null))
}

/** Opens a token; undefined for one that does not open. */
const createOpener =
  ({ decode, secret, salt }: Pick<JWTDecodeParams, "secret" | "salt"> & Pick<JWTOptions, "decode">) =>
  async (token: string): Promise<JWT | undefined> => {
    try {
      return (await decode({ token, secret, salt })) ?? undefined
    } catch {
      return undefined
    }
  }
