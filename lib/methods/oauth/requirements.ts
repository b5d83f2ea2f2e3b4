/**
 * Extensions of OAuth that a provider may require.
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

export interface Requirement {
  readonly code: MessageCode
  readonly hint: string
}

const requirement = (what: string, fix: string): Requirement => ({
  code: "extension-required",
  hint: `the provider requires ${what}: ${fix}`,
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
const DPOP_UNSUPPORTED: Requirement = {
  code: "dpop-unsupported",
  hint: `dpop is true, but dpop_signing_alg_values_supported in the provider's metadata does not contain ${DPOP_ALGORITHM}. Remove dpop: true`,
}

/** The application's own `fetch` may sign a request that is pushed. */
const mayBeSigned = (as: AuthorizationServer, { customFetch, source }: ReadyOAuth): boolean =>
  customFetch !== undefined && pushesRequests(as, source)

/**
 * The methods of client authentication in the metadata, if the client has a secret or a key and none of them accepts
 * it. The application's own functions may use another method than the configured one.
 */
function listOtherAuthMethods(as: AuthorizationServer, { source, customFetch, token }: ReadyOAuth): unknown[] {
  const methods: unknown = as.token_endpoint_auth_methods_supported
  if (!Array.isArray(methods) || customFetch || token.request || usesCertificate(source)) return []
  return methods.some((method) => !isCertificateMethod(method) && CLIENT_AUTH_METHODS.includes(method)) ? [] : methods
}

const requireAuthMethod = (methods: readonly unknown[]): Requirement[] => {
  const certificate = methods.find(isCertificateMethod)
  if (methods.length === 0) return []
  const fix = certificate
    ? `write { client: { token_endpoint_auth_method: "${certificate}" } } and a customFetch, as in docs/oauth.md#client-certificates`
    : "write a token.request that authenticates the client"
  return [requirement(`client authentication by ${methods.join(" or ")}`, fix)]
}

/** Metadata that was not discovered does not contain the list. */
const lacksDpop = (as: AuthorizationServer, { usesDpop, usesDiscovery }: ReadyOAuth): boolean =>
  usesDpop && usesDiscovery && !as.dpop_signing_alg_values_supported?.includes(DPOP_ALGORITHM)

/** Lists the extensions in which the provider's metadata differs from the configuration. */
export const listRequirements = (as: AuthorizationServer, provider: ReadyOAuth): Requirement[] => [
  ...(as["require_signed_request_object"] === true && !mayBeSigned(as, provider) ? [SIGNED] : []),
  ...requireAuthMethod(listOtherAuthMethods(as, provider)),
  ...(lacksDpop(as, provider) ? [DPOP_UNSUPPORTED] : []),
]

/** @throws CodedError if the provider requires an unsupported extension, or does not support a configured one */
export function checkRequirements(as: AuthorizationServer, provider: ReadyOAuth): void {
  const [required] = listRequirements(as, provider)
  if (required) throw new CodedError(required.code, required.hint)
}

/** The number of parts of a JWE in compact serialisation (RFC 7516 §3.1). */
const JWE_PARTS = 5

export const isEncrypted = (token: string): boolean => token.split(".").length === JWE_PARTS

/** @throws CodedError if the id_token is encrypted */
export function rejectEncryptedIdToken(idToken: unknown): void {
  if (typeof idToken === "string" && isEncrypted(idToken)) throw new CodedError(ENCRYPTED.code, ENCRYPTED.hint)
}

/** Returns the extension that the provider's error requires of this client. */
export function requirementIn(error: string, description: unknown, usesDpop = false): Requirement | undefined {
  const text = `${error} ${typeof description === "string" ? description : ""}`
  if (/dpop/i.test(text)) return usesDpop ? undefined : DPOP
  if (/pushed.authorization.request/i.test(text)) return PUSHED
  return /request.object.*(?:must|required|missing)|(?:requires?|missing).*request.object/i.test(text)
    ? SIGNED
    : undefined
}
