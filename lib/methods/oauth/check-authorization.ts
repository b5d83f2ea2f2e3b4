/**
 * Checks the authorization parameters that an application sets.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../../errors.js"
import type { OAuthConfig } from "../../providers/provider.js"
import { mergeProvider, toParams } from "./endpoint.js"

const RESPONSE_MODES = ["query", "form_post"]

const hasOpenid = (scope: string): boolean => scope.split(" ").includes("openid")

const paramsOf = (provider: OAuthConfig) => toParams(mergeProvider(provider).authorization?.params)

/** A vendor's own definition may do without `openid`, as that of Apple does. */
function isVendorScope({ options, ...definition }: OAuthConfig): boolean {
  const { scope } = paramsOf(definition)
  return options !== undefined && scope !== undefined && !hasOpenid(scope)
}

/** The problems of a provider's authorization parameters: `path` is that of the provider. */
export function checkAuthorization(provider: OAuthConfig, path: string): ConfigProblem[] {
  const { scope, response_type, response_mode } = paramsOf(provider)
  const at = (name: string) => `${path}.authorization.params.${name}`
  return [
    ...(provider.type === "oidc" && scope !== undefined && !hasOpenid(scope) && !isVendorScope(provider)
      ? [
          configProblem(
            "scope-without-openid",
            at("scope"),
            `is "${scope}", without "openid", by which a provider sends the id_token. Write "${`openid ${scope}`.trim()}"`,
          ),
        ]
      : []),
    // A provider with a token request of its own may have a flow of its own.
    ...(response_type !== undefined && response_type !== "code" && !mergeProvider(provider).token?.request
      ? [
          configProblem(
            "response-type-unsupported",
            at("response_type"),
            `is "${response_type}", and only the code flow is supported. Leave it out`,
          ),
        ]
      : []),
    ...(response_mode !== undefined && !RESPONSE_MODES.includes(response_mode)
      ? [
          configProblem(
            "response-mode-unsupported",
            at("response_mode"),
            `is "${response_mode}", in which no answer can be read. Write ${RESPONSE_MODES.map((mode) => `"${mode}"`).join(" or ")}`,
          ),
        ]
      : []),
  ]
}
