/**
 * Functions to encrypt, decrypt and read session cookies without the middleware.
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
 * Encrypts claims in the format of Auth.js: a compact JWE (RFC 7516) with the algorithms `dir` and A256CBC-HS512.
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
 * Decrypts the result of `encode` and returns its claims; null if `token` is missing or empty.
 *
 * @throws Error if the token was encrypted with another secret or salt, was changed, or expired more than 15 s ago
 * @example
 * const claims = await decode({ token, secret: process.env.AUTH_SECRET, salt: "authjs.session-token" })
 */
export async function decode<Payload = JWT>({ token, secret, salt }: JWTDecodeParams): Promise<Payload | null> {
  if (!token) return null
  // The caller states the type of the claims. It is not checked.
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
  /** The secret of the configuration, or its list of secrets. Not needed with `raw`. */
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

function parseBearerToken(header: string | undefined): string | undefined {
  const encoded = /^Bearer (.+)$/.exec(header ?? "")?.[1]
  try {
    return encoded && decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/**
 * Returns the claims of a request's session cookie. If the request has no valid session cookie, the token in
 * `Authorization: Bearer` is used. Resolves to null if there is neither a valid cookie nor a valid token, or if the
 * request has session cookies of different users. With `raw`, the encrypted token is returned without being checked.
 *
 * `getToken` reads neither the store nor the configuration. It therefore also accepts the cookie of a session that was
 * ended on the server. It checks only the expiry in the cookie, which was set when the cookie was issued. If you set or
 * shorten `session.absoluteMaxAge`, `getToken` therefore accepts cookies from before the change until they expire. To
 * reject them earlier, compute the session's age from the claim `session_start`, or from `iat` if there is none.
 *
 * @throws MissingSecret if a token has to be decrypted and `secret` is missing; TypeError if `req` is missing
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
  const bearer = parseBearerToken(readHeader(req.headers, "authorization"))
  const values = readValues(parseCookies(cookie), name, cookie)
  if (raw) return values[0] ?? bearer ?? null
  if (values.length === 0 && bearer === undefined) return null
  if (secret.length === 0) throw new MissingSecret("getToken needs `secret`: write { secret: process.env.AUTH_SECRET }")
  const openToken = createOpener({ decode: params.decode ?? decode, secret, salt: params.salt ?? name })
  const found = await findOnlySession(values, { open: openToken, owner: readOwner })
  if (found === CONFLICT) return null
  return found ?? (bearer === undefined ? null : ((await openToken(bearer)) ?? null))
}

/** Creates a function that decrypts a token and returns its claims, or undefined if the token is invalid. */
const createOpener =
  ({ decode, secret, salt }: Pick<JWTDecodeParams, "secret" | "salt"> & Pick<JWTOptions, "decode">) =>
  async (token: string): Promise<JWT | undefined> => {
    try {
      return (await decode({ token, secret, salt })) ?? undefined
    } catch {
      return undefined
    }
  }
