/**
 * Checks that the application has set the functions that some OAuth extensions need.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { readAuthMethod, usesCertificate } from "./client-auth.js"
import { findCustomFetch, type MergedOAuth, mergeProvider } from "./endpoint.js"

/** A function that the application has to set if it uses an extension. */
interface RequiredFunction {
  /** The option that contains the function. */
  readonly option: string
  readonly isSet: (provider: MergedOAuth, customFetch: unknown) => boolean
  /** Returns the setting that needs the function; undefined if the extension is not used. */
  readonly findSetting: (provider: MergedOAuth) => string | undefined
  readonly fix: string
}

/** Returns a function that finds the first of these members that is set in the option `client`. */
const findClientMember =
  (...names: string[]): RequiredFunction["findSetting"] =>
  ({ client }) => {
    const name = names.find((member) => client?.[member])
    return name && `client.${name}`
  }

const REQUIRED_FUNCTIONS: readonly RequiredFunction[] = [
  {
    // RFC 8705: the `fetch` of Node.js has no option for a client certificate.
    option: "[customFetch]",
    isSet: ({ token }, customFetch) => Boolean(customFetch ?? token?.request),
    findSetting: (provider) =>
      usesCertificate(provider)
        ? readAuthMethod(provider)
        : findClientMember("tls_client_certificate_bound_access_tokens", "use_mtls_endpoint_aliases")(provider),
    fix: "Write [customFetch]: fetchWithCertificate, as in docs/oauth.md#client-certificates",
  },
  {
    option: "[customFetch]",
    isSet: (_, customFetch) => Boolean(customFetch),
    findSetting: findClientMember("require_signed_request_object", "request_object_signing_alg"),
    fix: "Write a [customFetch] that signs pushed requests, as in docs/oauth.md#signed-requests",
  },
  {
    option: "token.conform",
    isSet: ({ token }) => Boolean(token?.conform ?? token?.request),
    findSetting: findClientMember("id_token_encrypted_response_alg"),
    fix: "Write token: { conform: decryptIdToken }, as in docs/oauth.md#encrypted-id_tokens",
  },
  {
    option: "userinfo.request",
    isSet: ({ userinfo }) => Boolean(userinfo?.request),
    findSetting: findClientMember("userinfo_encrypted_response_alg"),
    fix: "Write a userinfo.request that decrypts the response, or remove the setting here and from the registration of the client",
  },
]

/** Reports the functions that are missing. `path` is the provider's path in the configuration: `providers[0]`. */
export function checkExtensions(provider: OAuthConfig, path: string): ConfigProblem[] {
  const merged = mergeProvider(provider)
  const customFetch = findCustomFetch(provider)
  return REQUIRED_FUNCTIONS.flatMap(({ option, isSet, findSetting, fix }) => {
    const setting = findSetting(merged)
    if (setting === undefined || isSet(merged, customFetch)) return []
    const name = option.startsWith("[") ? option : `.${option}`
    return [configProblem("provider-option-missing", `${path}${name}`, `is missing, but ${setting} needs it`, fix)]
  })
}
