/**
 * Checks the authorization parameters that an application sets.
 *
 * @module
 */
import { isPlainObject } from "../../base/merge.js"
import { type ConfigProblem, configProblem, invalidOption, listProblems } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { type MergedOAuth, mergeProvider, toParams } from "./endpoint.js"

/** "jwt" is "query.jwt" in the code flow (JARM §2.3.4). */
export const RESPONSE_MODES = ["query", "form_post", "query.jwt", "form_post.jwt", "jwt"]

const hasOpenid = (scope: string): boolean => scope.split(" ").includes("openid")

const readParams = (provider: OAuthConfig) => toParams(mergeProvider(provider).authorization?.params)

/** True if the provider's own definition has no `openid` scope, as that of Apple. An application may then omit it. */
function vendorOmitsOpenid({ options, ...definition }: OAuthConfig): boolean {
  const { scope } = readParams(definition)
  return options !== undefined && scope !== undefined && !hasOpenid(scope)
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** RFC 8707 §2: an absolute URI without a fragment. */
const isResource = (value: unknown): boolean => isText(value) && URL.canParse(value) && !value.includes("#")

const isList = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isEntry)

/** Checks the options that become parameters of the request. */
function checkRequestOptions({ acrValues, claims, resource }: MergedOAuth, path: string): ConfigProblem[] {
  const see = (value: unknown) => `is ${JSON.stringify(value) ?? typeof value}`
  return listProblems(
    acrValues !== undefined &&
      !isList(acrValues, (value) => isText(value) && !value.includes(" ")) &&
      invalidOption(`${path}.acrValues`, see(acrValues), 'Write a list of values without spaces: ["phr"]'),
    claims !== undefined &&
      !isPlainObject(claims) &&
      invalidOption(`${path}.claims`, see(claims), "Write { id_token: { email: { essential: true } } }"),
    resource !== undefined &&
      !isResource(resource) &&
      !isList(resource, isResource) &&
      invalidOption(`${path}.resource`, see(resource), 'Write an absolute URI: "https://api.example.com"'),
  )
}

/** Checks a provider's authorization parameters. `path` is the provider's place in the configuration. */
export function checkAuthorization(provider: OAuthConfig, path: string): ConfigProblem[] {
  const { scope, response_type, response_mode } = readParams(provider)
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
          "Remove it, also from the client at the provider",
        ),
    ),
  ]
}
