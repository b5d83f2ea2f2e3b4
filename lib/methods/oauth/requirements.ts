/**
 * Detects OAuth extensions that a provider requires, but the configuration does not use.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import type { MessageCode } from "../../errors/message-code.js"
import { CLIENT_AUTH_METHODS, isCertificateMethod, usesCertificate } from "./client-auth.js"
import { DPOP_ALGORITHM } from "./dpop.js"
import { pushesRequests } from "./endpoint.js"
import type { ReadyOAuth } from "./prepare.js"

/** Explains to the operator why a provider rejects requests, or would reject them. */
export interface Diagnosis {
  readonly messageCode: MessageCode
  /** The cause, and what to change. */
  readonly hint: string
}

const requirement = (extension: string, fix: string): Diagnosis => ({
  messageCode: "extension-required",
  hint: `the provider requires ${extension}: ${fix}`,
})

const PUSHED = requirement(
  "pushed authorization requests (PAR, RFC 9126)",
  "write { pushedAuthorizationRequests: true } in the options of the provider",
)
const SIGNED = requirement(
  "signed request objects (JAR, RFC 9101)",
  "sign pushed requests in your customFetch, or turn the requirement off for this client at the provider",
)
const ENCRYPTED = requirement(
  "decryption of id_tokens",
  "decrypt them in token.conform, as in docs/oauth.md#encrypted-id_tokens, or turn encryption off for this client at the provider",
)
const DPOP = requirement("DPoP proofs (RFC 9449)", "write { dpop: true } in the options of the provider")
const DPOP_UNSUPPORTED: Diagnosis = {
  messageCode: "dpop-unsupported",
  hint: `dpop is true, but dpop_signing_alg_values_supported in the provider's metadata does not contain ${DPOP_ALGORITHM}. Remove dpop: true`,
}

/** True if the application's own `fetch` may sign authorization requests. It can do so only if they are pushed. */
const maySignRequests = (as: AuthorizationServer, { customFetch, source }: ReadyOAuth): boolean =>
  customFetch !== undefined && pushesRequests(as, source)

/**
 * Lists the client authentication methods of the metadata, if each of them needs a certificate or is unknown to this
 * package. Returns an empty list if one of them can be used. Also returns an empty list if the client has a
 * certificate, a custom `fetch` or a custom token request, because it may then use one of the methods.
 */
function listUnusableAuthMethods(as: AuthorizationServer, { source, customFetch, token }: ReadyOAuth): unknown[] {
  const methods: unknown = as.token_endpoint_auth_methods_supported
  if (!Array.isArray(methods) || customFetch || token.request || usesCertificate(source)) return []
  return methods.some((method) => !isCertificateMethod(method) && CLIENT_AUTH_METHODS.includes(method)) ? [] : methods
}

const toAuthRequirements = (methods: readonly unknown[]): Diagnosis[] => {
  const certificate = methods.find(isCertificateMethod)
  if (methods.length === 0) return []
  const fix = certificate
    ? `write { client: { token_endpoint_auth_method: "${certificate}" } } and a customFetch, as in docs/oauth.md#client-certificates`
    : "write a token.request that authenticates the client"
  return [requirement(`client authentication by ${methods.join(" or ")}`, fix)]
}

/** True if the configuration uses DPoP, but the discovered metadata does not list its algorithm. */
const lacksDpopSupport = (as: AuthorizationServer, { usesDpop, usesDiscovery }: ReadyOAuth): boolean =>
  usesDpop && usesDiscovery && !as.dpop_signing_alg_values_supported?.includes(DPOP_ALGORITHM)

/**
 * Lists the extensions that the metadata requires, but the configuration does not use. Also lists DPoP if the
 * configuration uses it, but the provider does not support it.
 */
export const listRequirements = (as: AuthorizationServer, provider: ReadyOAuth): Diagnosis[] => [
  ...(as["require_signed_request_object"] === true && !maySignRequests(as, provider) ? [SIGNED] : []),
  ...toAuthRequirements(listUnusableAuthMethods(as, provider)),
  ...(lacksDpopSupport(as, provider) ? [DPOP_UNSUPPORTED] : []),
]

/** @throws CodedError with the first diagnosis of `listRequirements`, if there is one */
export function checkRequirements(as: AuthorizationServer, provider: ReadyOAuth): void {
  const [required] = listRequirements(as, provider)
  if (required) throw new CodedError(required.messageCode, required.hint)
}

/** The number of parts of a compact JWE (RFC 7516 §3.1). */
const JWE_PARTS = 5

/** True for a compact JWE. */
export const isJwe = (token: string): boolean => token.split(".").length === JWE_PARTS

/** @throws CodedError if the id_token is encrypted */
export function rejectEncryptedIdToken(idToken: unknown): void {
  if (typeof idToken === "string" && isJwe(idToken)) throw new CodedError(ENCRYPTED.messageCode, ENCRYPTED.hint)
}

/** Returns the diagnosis for an error response that requires an extension; undefined for other errors. */
export function requirementFromError(error: string, description: unknown, usesDpop = false): Diagnosis | undefined {
  const text = `${error} ${typeof description === "string" ? description : ""}`
  if (/dpop/i.test(text)) return usesDpop ? undefined : DPOP
  if (/pushed.authorization.request/i.test(text)) return PUSHED
  return /request.object.*(?:must|required|missing)|(?:requires?|missing).*request.object/i.test(text)
    ? SIGNED
    : undefined
}
