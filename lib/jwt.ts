/**
 * Encrypts, decrypts and finds session cookies outside the middleware.
 *
 * @module
 */

import type { JWT, JWTDecodeParams, JWTEncodeParams, JWTOptions } from "./base/types.js"
import { MissingSecret } from "./errors/errors.js"
import { parseCookies } from "./http/cookies.js"
import { readValues } from "./http/duplicate-cookies.js"
import { open, seal } from "./security/jwe.js"
import { deriveKeys } from "./security/keys.js"
import { CONFLICT, findOnlySession, readOwner } from "./security/session-values.js"

export type { DefaultJWT, JWT, JWTDecodeParams, JWTEncodeParams, JWTOptions } from "./base/types.js"

const DEFAULT_MAX_AGE_SECONDS = 30 * 24 * 60 * 60

const toList = (secret: string | readonly string[]): readonly string[] =>
  typeof secret === "string" ? [secret] : secret

/**
 * Encrypts claims as Auth.js does: as a compact JWE, `dir` with A256CBC-HS512 (RFC 7516).
 *
 * @example
 * const token = await encode({ token: { sub: "42" }, secret: process.env.AUTH_SECRET, salt: "authjs.session-token" })
 */
export async function encode<Payload extends Record<string, unknown> = JWT>(
  params: JWTEncodeParams<Payload>,
): Promise<string> {
  const { token, secret, salt, maxAge = DEFAULT_MAX_AGE_SECONDS } = params
  return seal({ ...token }, deriveKeys(toList(secret).slice(0, 1), salt), maxAge, Date.now())
}

/**
 * Decrypts the result of `encode`; returns null without a token.
 *
 * @throws Error if it was encrypted with another secret or salt, was changed, or has expired (15 s tolerance)
 * @example
 * const claims = await decode({ token, secret: process.env.AUTH_SECRET, salt: "authjs.session-token" })
 */
export async function decode<Payload = JWT>({ token, secret, salt }: JWTDecodeParams): Promise<Payload | null> {
  if (!token) return null
  // The caller knows the type of the claims that were encrypted.
  return open(token, deriveKeys(toList(secret), salt), Date.now()) as Payload
}

/** The parameters of `getToken`. */
export interface GetTokenParams<Raw extends boolean = false> {
  /** The request, or an object with its headers. */
  req: Request | { headers: Headers | Record<string, string | string[] | undefined> }
  /** Whether the cookie's name begins with `__Secure-`, as on https. @default false */
  secureCookie?: boolean
  /**
   * The name of the session cookie.
   * @default "authjs.session-token", or "__Secure-authjs.session-token" with `secureCookie`
   */
  cookieName?: string
  /** The salt of the encryption. @default the cookie's name */
  salt?: string
  /** The secret of the configuration, or its list. Not needed with `raw`. */
  secret?: string | (string | undefined)[] | undefined
  /** Returns the encrypted token instead of its claims. */
  raw?: Raw
  /** The configuration's `jwt.decode`, if it has one. */
  decode?: JWTOptions["decode"]
}

function readHeader(headers: GetTokenParams["req"]["headers"], name: string): string | undefined {
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
 * The claims of a request's session, from its cookie, or else from `Authorization: Bearer`; null if it is missing or
 * invalid, or if the request has session cookies of different users.
 *
 * It does not read the configuration. An absolute timeout is part of the cookie's expiry, so a cookie from before
 * `session.absoluteMaxAge` was set or shortened is valid until it is renewed or expires. To reject it earlier, check
 * `session_start`, or `iat` if there is no `session_start`.
 *
 * @throws MissingSecret without `secret`, unless `raw` is set
 * @example
 * const claims = await getToken({ req, secret: process.env.AUTH_SECRET })
 */
export async function getToken(params: GetTokenParams<true> & { raw: true }): Promise<string | null>
export async function getToken(params: GetTokenParams<boolean>): Promise<JWT | null>
export async function getToken(params: GetTokenParams<boolean>): Promise<string | JWT | null> {
  const { req, secureCookie = false, raw } = params
  const secret =
    typeof params.secret === "string" ? params.secret : (params.secret ?? []).filter((secret) => secret !== undefined)
  if (!req) throw new TypeError("getToken needs `req`: the request, or an object with its headers")
  const name = params.cookieName ?? `${secureCookie ? "__Secure-" : ""}authjs.session-token`
  const cookie = readHeader(req.headers, "cookie")
  const bearer = bearerToken(readHeader(req.headers, "authorization"))
  const values = readValues(parseCookies(cookie), name, cookie)
  if (raw) return values[0] ?? bearer ?? null
  if (values.length === 0 && bearer === undefined) return null
  if (secret.length === 0) throw new MissingSecret("getToken needs `secret`: write { secret: process.env.AUTH_SECRET }")
  const open = createOpener({ decode: params.decode ?? decode, secret, salt: params.salt ?? name })
  const found = await findOnlySession(values, { open, owner: readOwner })
  if (found === CONFLICT) return null
  return found ?? (bearer === undefined ? null : ((await open(bearer)) ?? null))
}

/** Creates a function that decrypts a token; it returns undefined for an invalid one. */
const createOpener =
  ({ decode, secret, salt }: Pick<JWTDecodeParams, "secret" | "salt"> & Pick<JWTOptions, "decode">) =>
  async (token: string): Promise<JWT | undefined> => {
    try {
      return (await decode({ token, secret, salt })) ?? undefined
    } catch {
      return undefined
    }
  }
