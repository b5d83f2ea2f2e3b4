import type { IncomingHttpHeaders } from "node:http"
import type { Answer } from "./deliver.js"
import type { FapiMode } from "./fapi.js"
import type { SigningKey } from "./signing.js"

export type Claims = Record<string, unknown>

export type Endpoint = "authorize" | "token" | "userinfo" | "jwks" | "discovery" | "end_session" | "par" | "other"

/**
 * The misbehaviour of an endpoint:
 * - `hang`: accepts the request and never responds
 * - `drip`: valid headers, then white space without end, byte by byte
 * - `huge`: 64 MB of JSON
 * - `reset`: resets the connection
 * - `html`, `malformed`, `empty`: status 200 with HTML, truncated JSON, or no body
 * - `wrong-type`: the correct response as `text/plain`
 * - `status`: a custom response, such as a redirect
 * - `delayMs`: the correct response after a delay
 * - a function: a response that depends on the request
 */
export type Fault =
  | "hang"
  | "drip"
  | "huge"
  | "reset"
  | "html"
  | "malformed"
  | "empty"
  | "wrong-type"
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { delayMs: number }
  | ((request: { headers: IncomingHttpHeaders; body: string }) => Answer)

export type IdTokenAlgorithm =
  | "RS256"
  | "none"
  | "None"
  | "nOnE"
  | "HS256-secret"
  | "HS256-public-key"
  | "ES256"
  | "ES256-bad"

/** How userinfo is signed: the possible faults of an id_token's signature, and custom claims. */
export interface SignedUserinfo extends Pick<ProviderMode, "alg" | "sig" | "kid" | "key" | "header"> {
  /** The claims before they are signed: the user's, `iss` and `aud`. A claim that is `undefined` is omitted. */
  claims?: ((claims: Claims) => Claims) | undefined
  /** Encrypts the signed token as a JWE. */
  encrypted?: boolean | undefined
  /** @default "application/jwt" */
  contentType?: string | undefined
}

/** The behaviour of a provider. Without options it is correct. */
export interface ProviderMode {
  /** The signature of the id_token. `ES256-bad` names the published EC key and signs with another. @default "RS256" */
  alg?: IdTokenAlgorithm | undefined
  /** `other-key` names the published key and signs with another; `stripped` leaves the signature empty. */
  sig?: "other-key" | "stripped" | undefined
  /** The id_token's `kid`: unknown to the JWKS, absent, or this one. @default the key's */
  kid?: "unknown" | "absent" | (string & {}) | undefined
  /** Signs with this key instead of the published one, and names it. */
  key?: SigningKey | undefined
  /** The id_token's header before it is signed. */
  header?: ((header: Claims) => Claims) | undefined
  /** The JWKS has one key, without `kid`, and the id_token names none. */
  jwksKid?: "absent" | undefined
  /** Discovery lists `none` among the signing algorithms. */
  advertiseNone?: boolean | undefined
  /** The id_token's claims before they are signed. A claim that is `undefined` is omitted. */
  claims?: ((claims: Claims) => Claims) | undefined
  omitIdToken?: boolean | undefined
  /** The claims of the user; without `sub` for plain OAuth. @default Alice */
  user?: Claims | undefined
  /** The userinfo response, or a function of the user's claims. */
  userinfo?: object | ((user: Claims) => unknown) | undefined
  /** Userinfo as a JWT (OpenID Connect Core §5.3.2), listed in discovery. @default plain JSON */
  userinfoJwt?: SignedUserinfo | undefined
  discovery?: ((document: Claims) => unknown) | undefined
  jwks?: ((jwks: { keys: Claims[] }) => unknown) | undefined
  token?: ((json: Claims) => unknown) | undefined
  /** The parameters of the redirect URI. A parameter that is `undefined` is omitted. */
  authorizationResponse?: ((parameters: Claims) => Claims) | undefined
  /** The parameters of the post-logout redirect URI. A parameter that is `undefined` is omitted. */
  logoutResponse?: ((parameters: Claims) => Claims) | undefined
  fault?: Partial<Record<Endpoint, Fault>> | undefined
  /** The number of seconds by which the provider's clock is ahead. */
  clockOffsetSeconds?: number | undefined
  /** Codes and refresh tokens can be used repeatedly. */
  reusableCodes?: boolean | undefined
  /** Compare the PKCE verifier with its challenge. @default true */
  checkPkce?: boolean | undefined
  /** Compare the client's id and credentials with the registered ones. @default true */
  checkClient?: boolean | undefined
  /** Requires the FAPI 2.0 Security Profile. */
  fapi?: FapiMode | undefined
  /** Plain OAuth 2: no id_token, discovery or JWKS, and a non-standard userinfo. */
  plainOAuth?: boolean | undefined
}
