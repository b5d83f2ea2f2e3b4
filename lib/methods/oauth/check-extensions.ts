/**
 * Checks for extensions of OAuth that need a function of the application.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { readAuthMethod, usesCertificate } from "./client-auth.js"
import { findCustomFetch, type MergedOAuth, mergeProvider } from "./endpoint.js"

/** A function of the application, and what needs it. */
interface Extension {
  readonly option: string
  readonly isSet: (provider: MergedOAuth, customFetch: unknown) => boolean
  /** Returns what needs the function; undefined if nothing does. */
  readonly findNeed: (provider: MergedOAuth) => string | undefined
  readonly fix: string
}

/** Finds registered client metadata by its names. */
const inClient =
  (...names: string[]): Extension["findNeed"] =>
  ({ client }) => {
    const name = names.find((member) => client?.[member])
    return name && `client.${name}`
  }

const EXTENSIONS: readonly Extension[] = [
  {
    // RFC 8705: the `fetch` of Node.js has no option for a certificate.
    option: "[customFetch]",
    isSet: ({ token }, customFetch) => Boolean(customFetch ?? token?.request),
    findNeed: (provider) =>
      usesCertificate(provider)
        ? readAuthMethod(provider)
        : inClient("tls_client_certificate_bound_access_tokens", "use_mtls_endpoint_aliases")(provider),
    fix: "Write [customFetch]: fetchWithCertificate, as in docs/oauth.md#client-certificates",
  },
  {
    option: "[customFetch]",
    isSet: (_, customFetch) => Boolean(customFetch),
    findNeed: inClient("require_signed_request_object", "request_object_signing_alg"),
    fix: "Sign pushed requests in it, as in docs/oauth.md#signed-requests",
  },
  {
    option: "token.conform",
    isSet: ({ token }) => Boolean(token?.conform ?? token?.request),
    findNeed: inClient("id_token_encrypted_response_alg"),
    fix: "Write token: { conform: decryptIdToken }, as in docs/oauth.md#encrypted-id_tokens",
  },
  {
    option: "userinfo.request",
    isSet: ({ userinfo }) => Boolean(userinfo?.request),
    findNeed: inClient("userinfo_encrypted_response_alg"),
    fix: "Request and decrypt the response in it, or remove the member and register the client without it",
  },
]

/** Reports functions that are missing. `path` is the provider's place in the configuration. */
export function checkExtensions(provider: OAuthConfig, path: string): ConfigProblem[] {
  const merged = mergeProvider(provider)
  const customFetch = findCustomFetch(provider)
  return EXTENSIONS.flatMap(({ option, isSet, findNeed, fix }) => {
    const need = findNeed(merged)
    if (need === undefined || isSet(merged, customFetch)) return []
    const name = option.startsWith("[") ? option : `.${option}`
    return [configProblem("provider-option-missing", `${path}${name}`, `is missing, but ${need} needs it`, fix)]
  })
}
