import { envPrefix } from "../../base/text.js"
import { type ConfigProblem, configProblem } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { checkAuthorization } from "./check-authorization.js"
import { CLIENT_AUTH_METHODS } from "./client-auth.js"
import { isSecureUrl, type MergedOAuth, mergeProvider } from "./endpoint.js"

/** The values of the option `checks`. */
const CHECK_NAMES = ["pkce", "state", "nonce", "none"]

/** Reports the first missing endpoint, in the order of Auth.js: authorization, token, userinfo. */
function checkEndpoints(provider: MergedOAuth, path: string): ConfigProblem[] {
  if (provider.issuer) return []
  const issuerHint = `${envPrefix(provider.id)}_ISSUER, or write { issuer: "https://…" }`
  if (provider.type === "oidc" && !provider.token?.url)
    return [configProblem("endpoints-missing", `${path}.issuer`, "is missing", `Set ${issuerHint}`)]
  const missing = (["authorization", "token", "userinfo"] as const).find((name) => {
    const endpoint = provider[name]
    // A custom `request` function replaces the URL of the token and userinfo endpoints.
    const hasRequest = name !== "authorization" && Boolean(endpoint?.request)
    return !endpoint?.url && !hasRequest
  })
  if (!missing) return []
  const fix = `Add it, or add an issuer to discover it from: set ${issuerHint}`
  return [configProblem("endpoints-missing", `${path}.${missing}`, "is missing", fix)]
}

function checkClient(provider: MergedOAuth, path: string): ConfigProblem[] {
  const prefix = envPrefix(provider.id)
  const method = provider.client?.token_endpoint_auth_method ?? "client_secret_basic"
  const supported: readonly string[] = CLIENT_AUTH_METHODS
  const needsSecret = method.startsWith("client_secret") && !provider.token?.request
  return [
    ...(provider.clientId ? [] : [missingCredential(path, "clientId", `${prefix}_ID`)]),
    ...(needsSecret && !provider.clientSecret ? [missingCredential(path, "clientSecret", `${prefix}_SECRET`)] : []),
    ...(supported.includes(method)
      ? []
      : [
          configProblem(
            "option-invalid",
            `${path}.client.token_endpoint_auth_method`,
            `is "${method}"`,
            `Write one of ${supported.map((m) => `"${m}"`).join(", ")}`,
          ),
        ]),
    ...(method === "private_key_jwt" && !provider.token?.clientPrivateKey
      ? [
          configProblem(
            "provider-option-missing",
            `${path}.token.clientPrivateKey`,
            "is missing, but private_key_jwt needs it",
            "Write a CryptoKey, or { key, kid }",
          ),
        ]
      : []),
  ]
}

/**
 * The problem of a missing client id or secret. It is recoverable: only sign-ins with this provider fail, with the
 * provider's own error.
 */
const missingCredential = (path: string, option: "clientId" | "clientSecret", variable: string): ConfigProblem => ({
  ...configProblem(
    "provider-option-missing",
    `${path}.${option}`,
    `is missing and ${variable} is not set`,
    `Set ${variable}, or write { ${option}: "…" }`,
  ),
  isRecoverable: true,
})

function checkUrls(provider: MergedOAuth, path: string): ConfigProblem[] {
  const urls = {
    issuer: provider.issuer,
    wellKnown: provider.wellKnown,
    authorization: provider.authorization?.url,
    token: provider.token?.url,
    userinfo: provider.userinfo?.url,
  }
  return Object.entries(urls).flatMap(([name, url]) => {
    if (!url) return []
    if (!URL.canParse(url))
      return [
        configProblem(
          "option-invalid",
          `${path}.${name}`,
          `is "${url}", which is not a URL`,
          "Write one that begins with https://",
        ),
      ]
    if (provider.allowInsecure || isSecureUrl(url)) return []
    return [
      configProblem(
        "provider-url-insecure",
        `${path}.${name}`,
        `is "${url}": codes and tokens would be sent unencrypted`,
        "Write https://, or { allowInsecure: true } in a closed network",
      ),
    ]
  })
}

function checkCheckNames(provider: MergedOAuth, path: string): ConfigProblem[] {
  const unknown = (provider.checks ?? []).filter((check) => !CHECK_NAMES.includes(check))
  return unknown.map((check) =>
    configProblem(
      "option-invalid",
      `${path}.checks`,
      `has "${check}"`,
      `Write any of ${CHECK_NAMES.map((c) => `"${c}"`).join(", ")}`,
    ),
  )
}

function checkProxy(provider: MergedOAuth, path: string): ConfigProblem[] {
  const { redirectProxyUrl } = provider
  if (!redirectProxyUrl || URL.canParse(redirectProxyUrl)) return []
  return [
    configProblem(
      "option-invalid",
      `${path}.redirectProxyUrl`,
      `is "${redirectProxyUrl}", which is not a URL`,
      'Write "https://auth.example.com/auth"',
    ),
  ]
}

/** Checks the options of an OAuth provider. `path` is the provider's place in the configuration: `providers[0]`. */
export function checkOAuth(provider: OAuthConfig, path: string): ConfigProblem[] {
  const merged = mergeProvider(provider)
  const checks = [checkEndpoints, checkClient, checkUrls, checkCheckNames, checkProxy]
  return [...checks.flatMap((check) => check(merged, path)), ...checkAuthorization(provider, path)]
}
