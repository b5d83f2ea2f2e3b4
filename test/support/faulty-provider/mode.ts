import type { IncomingHttpHeaders } from "node:http"
import type { Answer } from "./deliver.js"
import type { SigningKey } from "./signing.js"

export type Claims = Record<string, unknown>

export type Endpoint = "authorize" | "token" | "userinfo" | "jwks" | "discovery" | "other"

/**
 * What an endpoint does in place of its work:
 * - `hang`: takes the request and never answers
 * - `drip`: good headers, then one byte of white space after the other, without end
 * - `huge`: JSON of 64 MB
 * - `reset`: cuts the connection
 * - `html`, `malformed`, `empty`: status 200 with a page, half a JSON, nothing
 * - `wrong-type`: the right answer, as `text/plain`
 * - `status`: an answer of your own, a redirect for instance
 * - `delayMs`: the right answer, late
 * - a function: an answer that depends on the request
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

/** How userinfo is signed: what of an id_token's signature may be wrong, and its own claims. */
export interface SignedUserinfo extends Pick<ProviderMode, "alg" | "sig" | "kid" | "key" | "header"> {
  /** The claims before they are signed: the person's, `iss` and `aud`. One that is `undefined` is left out. */
  claims?: ((claims: Claims) => Claims) | undefined
  /** The signed token goes out encrypted, as a JWE of its own. */
  encrypted?: boolean | undefined
  /** @default "application/jwt" */
  contentType?: string | undefined
}

/** How a provider behaves; whatever is absent is as a good provider does it. */
export interface ProviderMode {
  /** How the id_token is signed. `ES256-bad` names the published EC key and signs with another. @default "RS256" */
  alg?: IdTokenAlgorithm | undefined
  /** `other-key` names the published key and signs with another; `stripped` leaves the signature empty. */
  sig?: "other-key" | "stripped" | undefined
  /** The id_token's `kid`: one that the JWKS lacks, none, or this. @default that of the key */
  kid?: "unknown" | "absent" | (string & {}) | undefined
  /** Signs with this key in place of the published one, and names it. */
  key?: SigningKey | undefined
  /** The id_token's header before it is signed. */
  header?: ((header: Claims) => Claims) | undefined
  /** The JWKS has one key, without `kid`, and the id_token names none. */
  jwksKid?: "absent" | undefined
  /** Discovery lists `none` among the signing algorithms. */
  advertiseNone?: boolean | undefined
  /** The id_token's claims before they are signed. A claim that is `undefined` is left out. */
  claims?: ((claims: Claims) => Claims) | undefined
  omitIdToken?: boolean | undefined
  /** Who signs in; without `sub`, plain OAuth. @default Alice */
  user?: Claims | undefined
  /** What userinfo answers, or how it differs from the user. */
  userinfo?: object | ((user: Claims) => unknown) | undefined
  /** Userinfo as a JWT (OpenID Connect Core §5.3.2), which discovery tells of. @default plain JSON */
  userinfoJwt?: SignedUserinfo | undefined
  discovery?: ((document: Claims) => unknown) | undefined
  jwks?: ((jwks: { keys: Claims[] }) => unknown) | undefined
  token?: ((json: Claims) => unknown) | undefined
  /** The parameters that come back to the redirect URI; one that is `undefined` is left out. */
  authorizationResponse?: ((parameters: Claims) => Claims) | undefined
  fault?: Partial<Record<Endpoint, Fault>> | undefined
  /** Seconds by which the provider's clock is ahead. */
  clockOffsetSeconds?: number | undefined
  /** A code, or a refresh token, can be redeemed again and again. */
  reusableCodes?: boolean | undefined
  /** Compare the PKCE verifier with its challenge. @default true */
  checkPkce?: boolean | undefined
  /** Compare the client's id and credentials with the registered ones. @default true */
  checkClient?: boolean | undefined
  /** OAuth 2 alone: no id_token, no discovery, no JWKS, and a userinfo of its own making. */
  plainOAuth?: boolean | undefined
}
