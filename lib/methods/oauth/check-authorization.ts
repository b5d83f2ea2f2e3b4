/**
 * Checks the configured parameters of the authorization request.
 *
 * @module
 */
import { isPlainObject } from "../../base/merge.js"
import { type ConfigProblem, configProblem, invalidOption, listProblems } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { type MergedOAuth, mergeProvider, toParams } from "./endpoint.js"

/** The supported values of `response_mode`. In the code flow, "jwt" means "query.jwt" (JARM §2.3.4). */
export const RESPONSE_MODES = ["query", "form_post", "query.jwt", "form_post.jwt", "jwt"]

const hasOpenid = (scope: string): boolean => scope.split(" ").includes("openid")

const readAuthorizationParams = (provider: OAuthConfig) => toParams(mergeProvider(provider).authorization?.params)

/**
 * True if `options` of the application override a vendor's definition whose own scope lacks `openid`, such as Apple's.
 * The application may then omit `openid` too.
 */
function vendorOmitsOpenid({ options, ...definition }: OAuthConfig): boolean {
  const { scope } = readAuthorizationParams(definition)
  return options !== undefined && scope !== undefined && !hasOpenid(scope)
}

const isNonEmptyText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** True for an absolute URI without a fragment (RFC 8707 §2). */
const isResource = (value: unknown): boolean => isNonEmptyText(value) && URL.canParse(value) && !value.includes("#")

const isNonEmptyList = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isEntry)

/** Checks the options that become parameters of the authorization request. */
function checkRequestOptions({ acrValues, claims, resource }: MergedOAuth, path: string): ConfigProblem[] {
  const describeValue = (value: unknown) => `is ${JSON.stringify(value) ?? typeof value}`
  return listProblems(
    acrValues !== undefined &&
      !isNonEmptyList(acrValues, (value) => isNonEmptyText(value) && !value.includes(" ")) &&
      invalidOption(`${path}.acrValues`, describeValue(acrValues), 'Write a list of values without spaces: ["phr"]'),
    claims !== undefined &&
      !isPlainObject(claims) &&
      invalidOption(`${path}.claims`, describeValue(claims), "Write { id_token: { email: { essential: true } } }"),
    resource !== undefined &&
      !isResource(resource) &&
      !isNonEmptyList(resource, isResource) &&
      invalidOption(
        `${path}.resource`,
        describeValue(resource),
        'Write an absolute URI without a fragment: "https://api.example.com"',
      ),
  )
}

/** Checks a provider's authorization parameters. `path` is the provider's path in the configuration: `providers[0]`. */
export function checkAuthorization(provider: OAuthConfig, path: string): ConfigProblem[] {
  const { scope, response_type, response_mode } = readAuthorizationParams(provider)
  const toPath = (name: string) => `${path}.authorization.params.${name}`
  return [
    ...checkRequestOptions(mergeProvider(provider), path),
    ...listProblems(
      provider.type === "oidc" &&
        scope !== undefined &&
        !hasOpenid(scope) &&
        !vendorOmitsOpenid(provider) &&
        configProblem(
          "scope-without-openid",
          toPath("scope"),
          `is "${scope}". Without "openid" the provider sends no id_token`,
          `Write "${`openid ${scope}`.trim()}"`,
        ),
      // A provider with a custom token request may use another flow.
      response_type !== undefined &&
        response_type !== "code" &&
        !mergeProvider(provider).token?.request &&
        invalidOption(
          toPath("response_type"),
          `is "${response_type}", but only the code flow is supported`,
          "Remove it",
        ),
      response_mode !== undefined &&
        !RESPONSE_MODES.includes(response_mode) &&
        invalidOption(
          toPath("response_mode"),
          `is "${response_mode}", which is not supported`,
          `Write one of ${RESPONSE_MODES.map((mode) => `"${mode}"`).join(", ")}`,
        ),
      Boolean(mergeProvider(provider).client?.["authorization_encrypted_response_alg"]) &&
        invalidOption(
          `${path}.client.authorization_encrypted_response_alg`,
          "is set, but encrypted authorization responses are not supported",
          "Remove it here and from the registration of the client at the provider",
        ),
    ),
  ]
}
