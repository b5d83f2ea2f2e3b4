import { randomBytes } from "node:crypto"
import { type ClientAuth, isClient, type RegisteredClient } from "./client-auth.js"
import type { Answer } from "./deliver.js"
import { pullRequest } from "./fapi.js"
import type { Claims, ProviderMode, SignedUserinfo } from "./mode.js"
import { challengeOf, encrypt, hashOf, publicJwk, type SigningMaterial, signIdToken } from "./signing.js"

/** The parts of a request that endpoints read. */
export interface ProviderRequest {
  query: Record<string, string>
  form: Record<string, string>
  headers: { authorization?: string | undefined }
  clientAuth?: ClientAuth
}

interface Grant {
  user: Claims
  scope: string
  redirectUri: string
  challenge: string | undefined
  nonce: string | undefined
  authTime: number | undefined
  isUsed: boolean
}

/** The state of a provider, which the endpoints read and change. */
export interface ProviderState {
  readonly issuer: string
  /** The base URL of the endpoints: the issuer without a trailing slash. */
  readonly base: string
  readonly jwksPath: string
  readonly client: RegisteredClient
  readonly mode: ProviderMode
  readonly keys: SigningMaterial
  /** The keys in the JWKS, including retired ones. */
  readonly published: readonly Parameters<typeof publicJwk>[0][]
  /** The grants by code and by refresh token. */
  readonly grants: Map<string, Grant>
  readonly accessTokens: Map<string, Grant>
  /** The pushed authorization requests, by request_uri. */
  readonly pushed: Map<string, Record<string, string>>
  /** All codes, tokens and verifiers, for tests that search for leaks. */
  readonly secrets: Set<string>
}

export const ALICE: Claims = {
  ...{ sub: "alice", name: "Alice", preferred_username: "alice", email: "alice@example.com", email_verified: true },
}
const ALICE_OF_OAUTH: Claims = { id: 4711, login: "alice", name: "Alice", email: "alice@example.com" }
const LIFETIME_SECONDS = 3600

const token = (state: ProviderState, kind: string): string => {
  const value = `${kind}-${randomBytes(24).toString("base64url")}`
  state.secrets.add(value)
  return value
}

const userOf = ({ user, plainOAuth }: ProviderMode): Claims => user ?? (plainOAuth ? ALICE_OF_OAUTH : ALICE)

const secondsNow = ({ clockOffsetSeconds = 0 }: ProviderMode) => Math.floor(Date.now() / 1000) + clockOffsetSeconds

const refusal = (error: string, description: string, status = 400): Answer => ({
  status,
  body: { error, error_description: description },
  ...(status === 401 && { headers: { "www-authenticate": `Basic realm="op", error="${error}"` } }),
})

export function discovery({ issuer, base, jwksPath, mode }: ProviderState): Answer {
  if (mode.plainOAuth) return { status: 404 }
  const document = {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    userinfo_endpoint: `${base}/userinfo`,
    jwks_uri: `${base}${jwksPath}`,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    scopes_supported: ["openid", "profile", "email", "offline_access"],
    id_token_signing_alg_values_supported: ["RS256", "ES256", ...(mode.advertiseNone ? ["none"] : [])],
    ...(mode.userinfoJwt && { userinfo_signing_alg_values_supported: ["RS256", "ES256"] }),
    token_endpoint_auth_methods_supported: [
      ...["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"],
    ],
    code_challenge_methods_supported: ["S256"],
  }
  return { status: 200, body: mode.discovery ? mode.discovery(document) : document }
}

export function jwks({ published, keys, mode }: ProviderState): Answer {
  if (mode.plainOAuth) return { status: 404 }
  const used = mode.alg === "ES256" ? keys.ec : keys.rsa
  const set = {
    keys: mode.jwksKid === "absent" ? [{ ...publicJwk(used), kid: undefined }] : published.map(publicJwk),
  }
  return { status: 200, body: mode.jwks ? mode.jwks(set) : set }
}

/** Approves the request without user interaction. */
export function authorize(state: ProviderState, request: ProviderRequest): Answer {
  const query = state.mode.fapi ? pullRequest(state, request.query) : request.query
  const { response_type, client_id, redirect_uri: redirectUri, response_mode } = query
  if (response_type !== "code" || !redirectUri) return refusal("invalid_request", "response_type or redirect_uri")
  if (state.mode.checkClient !== false && client_id !== state.client.clientId)
    return refusal("unauthorized_client", `${client_id} is not registered`)
  const code = token(state, "code")
  state.grants.set(code, createGrant(state.mode, query, redirectUri))
  const plain: Claims = { code, state: query["state"], iss: state.issuer }
  const parameters = definedText(state.mode.authorizationResponse?.(plain) ?? plain)
  if (response_mode === "form_post") return { status: 200, body: formPostPage(redirectUri, parameters) }
  return redirect(redirectUri, parameters)
}

function redirect(uri: string, parameters: Record<string, string>): Answer {
  const location = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
  return { status: 302, headers: { location: location.href } }
}

/** OpenID Connect RP-Initiated Logout, without a confirmation. Only an id_token of this provider is a valid hint. */
export function endSession({ client, mode, secrets }: ProviderState, { query }: ProviderRequest): Answer {
  const { id_token_hint: hint = "", client_id, post_logout_redirect_uri: uri, state } = query
  if (!secrets.has(hint) || client_id !== client.clientId || !uri)
    return refusal("invalid_request", "hint, client or URI")
  return redirect(uri, definedText(mode.logoutResponse?.({ state }) ?? { state }))
}

function createGrant(mode: ProviderMode, query: Record<string, string>, redirectUri: string): Grant {
  return {
    user: userOf(mode),
    scope: query["scope"] ?? "",
    redirectUri,
    challenge: query["code_challenge"],
    nonce: query["nonce"],
    authTime: query["max_age"] === undefined ? undefined : secondsNow(mode),
    isUsed: false,
  }
}

const definedText = (parameters: Claims): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** OAuth 2.0 Form Post Response Mode; its script is what a browser would run, tests read the fields. */
function formPostPage(action: string, parameters: Record<string, string>): string {
  const fields = Object.entries(parameters).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return `<!doctype html><title>Submit</title><body onload="document.forms[0].submit()">
<form method="post" action="${escapeHtml(action)}">${fields.join("")}</form></body>`
}

export async function redeem(state: ProviderState, { form, clientAuth }: ProviderRequest): Promise<Answer> {
  const audience = [state.issuer, `${state.base}/token`]
  if (state.mode.checkClient !== false && !(clientAuth && (await isClient(clientAuth, state.client, audience))))
    return refusal("invalid_client", "unknown client or wrong credentials", 401)
  const isRefresh = form["grant_type"] === "refresh_token"
  const grant = state.grants.get(form[isRefresh ? "refresh_token" : "code"] ?? "")
  if (!grant) return refusal("invalid_grant", "unknown code or refresh token")
  if (grant.isUsed && !state.mode.reusableCodes) return refusal("invalid_grant", "used before")
  const problem = isRefresh ? undefined : mismatch(state.mode, grant, form)
  if (problem) return refusal("invalid_grant", problem)
  grant.isUsed = true
  return { status: 200, body: await tokenAnswer(state, isRefresh ? { ...grant, nonce: undefined } : grant) }
}

/** RFC 6749 §4.1.3 and RFC 7636 §4.6; a verifier without a challenge is refused too (RFC 9700 §2.1.1). */
function mismatch({ checkPkce }: ProviderMode, grant: Grant, form: Record<string, string>): string | undefined {
  if (form["redirect_uri"] !== grant.redirectUri) return "redirect_uri differs"
  if (checkPkce === false) return undefined
  const verifier = form["code_verifier"]
  const challenge = verifier === undefined ? undefined : challengeOf(verifier)
  return challenge === grant.challenge ? undefined : "code_verifier does not match"
}

async function tokenAnswer(state: ProviderState, grant: Grant): Promise<unknown> {
  const { mode } = state
  const accessToken = token(state, "at")
  const refreshToken = token(state, "rt")
  state.accessTokens.set(accessToken, grant)
  state.grants.set(refreshToken, { ...grant, isUsed: false })
  const json: Claims = {
    ...{ access_token: accessToken, token_type: mode.fapi ? "DPoP" : "Bearer", expires_in: LIFETIME_SECONDS },
    ...{ scope: grant.scope, refresh_token: refreshToken },
  }
  if (!mode.omitIdToken && !mode.plainOAuth) json["id_token"] = await idToken(state, grant, accessToken)
  return mode.token ? mode.token(json) : json
}

async function idToken(state: ProviderState, grant: Grant, accessToken: string): Promise<string> {
  const now = secondsNow(state.mode)
  const claims: Claims = {
    ...{ iss: state.issuer, aud: state.client.clientId, iat: now, exp: now + LIFETIME_SECONDS },
    ...{ nonce: grant.nonce, auth_time: grant.authTime, at_hash: hashOf(accessToken) },
    ...grant.user,
  }
  const signed = await signIdToken(state.mode.claims?.(claims) ?? claims, state.mode, state.keys)
  state.secrets.add(signed)
  return signed
}

export async function userinfo(state: ProviderState, { headers }: ProviderRequest): Promise<Answer> {
  const { accessTokens, mode } = state
  const [, bearer = ""] = /^(?:Bearer|DPoP) (.+)$/i.exec(headers.authorization ?? "") ?? []
  const grant = accessTokens.get(bearer)
  if (!grant) return { ...refusal("invalid_token", "no such token"), status: 401 }
  const body = typeof mode.userinfo === "function" ? mode.userinfo(grant.user) : (mode.userinfo ?? grant.user)
  return mode.userinfoJwt ? signedUserinfo(state, Object(body), mode.userinfoJwt) : { status: 200, body }
}

/** OpenID Connect Core §5.3.2. */
async function signedUserinfo(state: ProviderState, person: Claims, signing: SignedUserinfo): Promise<Answer> {
  const claims: Claims = { ...person, iss: state.issuer, aud: state.client.clientId }
  const signed = await signIdToken(signing.claims?.(claims) ?? claims, signing, state.keys)
  const body = signing.encrypted ? await encrypt(signed, state.client) : signed
  state.secrets.add(signed).add(body)
  return { status: 200, body, headers: { "content-type": signing.contentType ?? "application/jwt" } }
}
