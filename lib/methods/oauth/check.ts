import { envPrefix, listOrigins } from "../../base/text.js"
import type { ResolvedConfig } from "../../config/resolved-config.js"
import { type ConfigProblem, configProblem, invalidOption, listProblems } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { checkAuthorization } from "./check-authorization.js"
import { checkExtensions } from "./check-extensions.js"
import { CLIENT_AUTH_METHODS, readAuthMethod } from "./client-auth.js"
import { isSecureUrl, type MergedOAuth, mergeProvider, readEndSessionUrl } from "./endpoint.js"

/** The values of the option `checks`. */
const CHECK_NAMES = ["pkce", "state", "nonce", "none"]

/**
 * Reports the first missing endpoint, in the order in which Auth.js checks them. For OpenID Connect without a token
 * endpoint, reports the missing issuer instead. Reports nothing if there is an issuer, because the endpoints are then
 * discovered.
 */
function checkEndpoints(provider: MergedOAuth, path: string): ConfigProblem[] {
  if (provider.issuer) return []
  const issuerHint = `${envPrefix(provider.id)}_ISSUER, or write { issuer: "https://…" }`
  if (provider.type === "oidc" && !provider.token?.url)
    return [configProblem("endpoints-missing", `${path}.issuer`, "is missing", `Set ${issuerHint}`)]
  const missing = (["authorization", "token", "userinfo"] as const).find((name) => {
    const endpoint = provider[name]
    // The token and userinfo endpoints may have a `request` function instead of a URL.
    const hasRequest = name !== "authorization" && Boolean(endpoint?.request)
    return !endpoint?.url && !hasRequest
  })
  if (!missing) return []
  const fix = `Add it, or add an issuer to discover it from: set ${issuerHint}`
  return [configProblem("endpoints-missing", `${path}.${missing}`, "is missing", fix)]
}

function checkClient(provider: MergedOAuth, path: string): ConfigProblem[] {
  const prefix = envPrefix(provider.id)
  const method = readAuthMethod(provider)
  const needsSecret = method.startsWith("client_secret") && !provider.token?.request
  return listProblems(
    !provider.clientId && missingCredential(path, "clientId", `${prefix}_ID`),
    needsSecret && !provider.clientSecret && missingCredential(path, "clientSecret", `${prefix}_SECRET`),
    !CLIENT_AUTH_METHODS.includes(method) &&
      invalidOption(
        `${path}.client.token_endpoint_auth_method`,
        `is "${method}"`,
        `Write one of ${CLIENT_AUTH_METHODS.map((m) => `"${m}"`).join(", ")}`,
      ),
    method === "private_key_jwt" &&
      !provider.token?.clientPrivateKey &&
      configProblem(
        "provider-option-missing",
        `${path}.token.clientPrivateKey`,
        "is missing, but private_key_jwt needs it",
        "Write a CryptoKey, or { key, kid }",
      ),
  )
}

/**
 * Returns the problem of a missing client id or secret. The problem is recoverable, because only sign-ins with this
 * provider fail.
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
  const { pushedAuthorizationRequests: pushed } = provider
  const urls = {
    issuer: provider.issuer,
    wellKnown: provider.wellKnown,
    authorization: provider.authorization?.url,
    token: provider.token?.url,
    userinfo: provider.userinfo?.url,
    logout: readEndSessionUrl(provider),
    revocation: provider.revocation,
    ...(typeof pushed === "string" && { pushedAuthorizationRequests: pushed }),
  }
  return Object.entries(urls).flatMap(([name, url]) => {
    if (!url) return []
    if (!URL.canParse(url))
      return [
        invalidOption(`${path}.${name}`, `is "${url}", which is not a URL`, "Write a URL that begins with https://"),
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

/** Reports `pushedAuthorizationRequests: true` without an issuer, because the endpoint can't be discovered then. */
const checkPushedRequests = ({ issuer, pushedAuthorizationRequests }: MergedOAuth, path: string): ConfigProblem[] =>
  listProblems(
    pushedAuthorizationRequests === true &&
      !issuer &&
      configProblem(
        "endpoints-missing",
        `${path}.pushedAuthorizationRequests`,
        "is true, but without an issuer the endpoint is unknown",
        'Write its URL: pushedAuthorizationRequests: "https://…"',
      ),
  )

/** Checks the origins to which tokens are sent. A URL with a path is reported, because it would match no request. */
function checkApiOrigins({ apiOrigins = [], allowInsecure }: MergedOAuth, path: string): ConfigProblem[] {
  const option = `${path}.apiOrigins`
  const fix = 'Write ["https://api.example.com"]'
  if (!Array.isArray(apiOrigins)) return [invalidOption(option, `is ${JSON.stringify(apiOrigins)}`, fix)]
  return apiOrigins.flatMap((origin: unknown) => {
    const [parsed] = typeof origin === "string" ? listOrigins([origin]) : []
    if (parsed === undefined || parsed !== origin)
      return [
        invalidOption(
          option,
          `has ${JSON.stringify(origin)}, which is not an origin`,
          parsed ? `Write "${parsed}"` : fix,
        ),
      ]
    if (allowInsecure || isSecureUrl(parsed)) return []
    return [configProblem("provider-url-insecure", option, `has "${parsed}": tokens would be sent unencrypted`, fix)]
  })
}

/**
 * Returns the name of an option with a function that sends requests itself, without a DPoP proof; undefined if the
 * provider has no such option.
 */
function findCustomRequest({ token, userinfo }: MergedOAuth): string | undefined {
  if (token?.request) return "token.request"
  if (token?.refresh) return "token.refresh"
  return userinfo?.request && "userinfo.request"
}

/** Reports options that prevent DPoP, which keeps the key of each sign-in in the store, together with the tokens. */
function checkDpop(provider: MergedOAuth, path: string, { store }: ResolvedConfig): ConfigProblem[] {
  if (!provider.dpop) return []
  const request = findCustomRequest(provider)
  return listProblems(
    !store &&
      configProblem(
        "store-missing",
        "store",
        `is missing, but ${path}.dpop needs it to keep the key of each sign-in`,
        'Write { store: SqlStore({ sqlite: "auth.db" }) }',
      ),
    provider.keepTokens === false &&
      invalidOption(`${path}.keepTokens`, "is false, but dpop keeps the key with the tokens", "Remove it"),
    request &&
      invalidOption(`${path}.dpop`, `is true, but ${request} sends requests without a proof`, `Remove ${request}`),
  )
}

function checkCheckNames(provider: MergedOAuth, path: string): ConfigProblem[] {
  const unknown = (provider.checks ?? []).filter((check) => !CHECK_NAMES.includes(check))
  return unknown.map((check) =>
    invalidOption(`${path}.checks`, `has "${check}"`, `Write any of ${CHECK_NAMES.map((c) => `"${c}"`).join(", ")}`),
  )
}

function checkProxy(provider: MergedOAuth, path: string): ConfigProblem[] {
  const { redirectProxyUrl } = provider
  if (!redirectProxyUrl || URL.canParse(redirectProxyUrl)) return []
  return [
    invalidOption(
      `${path}.redirectProxyUrl`,
      `is "${redirectProxyUrl}", which is not a URL`,
      'Write "https://auth.example.com/auth"',
    ),
  ]
}

/** Checks the options of an OAuth provider. `path` is the provider's path in the configuration: `providers[0]`. */
export function checkOAuth(provider: OAuthConfig, path: string, config: ResolvedConfig): ConfigProblem[] {
  const merged = mergeProvider(provider)
  const checks = [
    checkEndpoints,
    checkClient,
    checkUrls,
    checkPushedRequests,
    checkApiOrigins,
    checkDpop,
    checkCheckNames,
    checkProxy,
  ]
  return [
    ...checks.flatMap((check) => check(merged, path, config)),
    ...checkExtensions(provider, path),
    ...checkAuthorization(provider, path),
  ]
}
