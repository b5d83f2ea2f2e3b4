import type { ResolvedConfig } from "../../config/resolve.js"
import { envPrefix } from "../../env-name.js"
import { type ConfigProblem, configProblem } from "../../errors.js"
import type { OAuthConfig } from "../../providers/provider.js"
import { checkAuthorization } from "./check-authorization.js"
import { CLIENT_AUTH_METHODS } from "./client-auth.js"
import { isSecureUrl, type MergedOAuth, mergeProvider } from "./endpoint.js"

const CHECKS = ["pkce", "state", "nonce", "none"]

/** What is missing to reach the provider, as the contract counts it: authorization, then token, then userinfo. */
function checkEndpoints(source: MergedOAuth, path: string): ConfigProblem[] {
  if (source.issuer) return []
  const wants = `Give it, or an issuer to discover it from: set ${envPrefix(source.id)}_ISSUER, or write { issuer: "https://…" }`
  if (source.type === "oidc" && !source.token?.url)
    return [configProblem("endpoints-missing", `${path}.issuer`, `is missing. ${wants}`)]
  const missing = (["authorization", "token", "userinfo"] as const).find((name) => {
    const endpoint = source[name]
    return !endpoint?.url && !(name !== "authorization" && endpoint?.request)
  })
  return missing
    ? [configProblem("endpoints-missing", `${path}.${missing}`, `the ${missing} endpoint is missing. ${wants}`)]
    : []
}

function checkClient(source: MergedOAuth, path: string): ConfigProblem[] {
  const prefix = envPrefix(source.id)
  const method = source.client?.token_endpoint_auth_method ?? "client_secret_basic"
  const known: readonly string[] = CLIENT_AUTH_METHODS
  const needsSecret = method.startsWith("client_secret") && !source.token?.request
  return [
    ...(source.clientId ? [] : [missingVariable(path, "clientId", `${prefix}_ID`)]),
    ...(needsSecret && !source.clientSecret ? [missingVariable(path, "clientSecret", `${prefix}_SECRET`)] : []),
    ...(known.includes(method)
      ? []
      : [
          configProblem(
            "client-auth-method-unknown",
            `${path}.client.token_endpoint_auth_method`,
            `is "${method}". Write one of ${known.map((m) => `"${m}"`).join(", ")}`,
          ),
        ]),
    ...(method === "private_key_jwt" && !source.token?.clientPrivateKey
      ? [
          configProblem(
            "client-key-missing",
            `${path}.token.clientPrivateKey`,
            "is missing. private_key_jwt needs it: a CryptoKey, or { key, kid }",
          ),
        ]
      : []),
  ]
}

const CODES_OF_MISSING = { clientId: "client-id-missing", clientSecret: "client-secret-missing" } as const

/** The provider will say what it thinks of the missing value; the sign-in page and all else work. */
const missingVariable = (path: string, option: keyof typeof CODES_OF_MISSING, variable: string): ConfigProblem => ({
  ...configProblem(
    CODES_OF_MISSING[option],
    `${path}.${option}`,
    `is missing and ${variable} is not set. Set ${variable}, or write { ${option}: "…" }`,
  ),
  isServable: true,
})

function checkUrls(source: MergedOAuth, path: string): ConfigProblem[] {
  const urls = {
    issuer: source.issuer,
    wellKnown: source.wellKnown,
    authorization: source.authorization?.url,
    token: source.token?.url,
    userinfo: source.userinfo?.url,
  }
  return Object.entries(urls).flatMap(([name, url]) => {
    if (!url) return []
    if (!URL.canParse(url))
      return [
        configProblem(
          "provider-url-invalid",
          `${path}.${name}`,
          `is "${url}", which is not a URL. Write one that begins with https://`,
        ),
      ]
    if (source.allowInsecure || isSecureUrl(url)) return []
    return [
      configProblem(
        "provider-url-insecure",
        `${path}.${name}`,
        `is "${url}": codes and tokens would travel unprotected. Write https://, or { allowInsecure: true } in a closed network`,
      ),
    ]
  })
}

function checkChecks(source: MergedOAuth, path: string): ConfigProblem[] {
  const unknown = (source.checks ?? []).filter((check) => !CHECKS.includes(check))
  return unknown.map((check) =>
    configProblem(
      "checks-unknown",
      `${path}.checks`,
      `has "${check}". Write any of ${CHECKS.map((c) => `"${c}"`).join(", ")}`,
    ),
  )
}

function checkProxy(source: MergedOAuth, path: string): ConfigProblem[] {
  const { redirectProxyUrl } = source
  if (!redirectProxyUrl || URL.canParse(redirectProxyUrl)) return []
  return [
    configProblem(
      "redirect-proxy-url-invalid",
      `${path}.redirectProxyUrl`,
      `is "${redirectProxyUrl}", which is not a URL. Write "https://auth.example.com/auth"`,
    ),
  ]
}

export function checkOAuth(provider: OAuthConfig, path: string, _config: ResolvedConfig): ConfigProblem[] {
  const source = mergeProvider(provider)
  const checks = [checkEndpoints, checkClient, checkUrls, checkChecks, checkProxy]
  return [...checks.flatMap((check) => check(source, path)), ...checkAuthorization(provider, path)]
}
