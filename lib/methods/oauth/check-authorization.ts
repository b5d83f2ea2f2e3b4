/**
 * Checks the authorization parameters that an application sets.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../../errors/errors.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { mergeProvider, toParams } from "./endpoint.js"

const RESPONSE_MODES = ["query", "form_post"]

const hasOpenid = (scope: string): boolean => scope.split(" ").includes("openid")

const readParams = (provider: OAuthConfig) => toParams(mergeProvider(provider).authorization?.params)

/** True if the provider's own definition has no `openid` scope, as that of Apple. An application may then omit it. */
function vendorOmitsOpenid({ options, ...definition }: OAuthConfig): boolean {
  const { scope } = readParams(definition)
  return options !== undefined && scope !== undefined && !hasOpenid(scope)
}

/** Checks a provider's authorization parameters. `path` is the provider's place in the configuration. */
export function checkAuthorization(provider: OAuthConfig, path: string): ConfigProblem[] {
  const { scope, response_type, response_mode } = readParams(provider)
  const toPath = (name: string) => `${path}.authorization.params.${name}`
  return [
    ...(provider.type === "oidc" && scope !== undefined && !hasOpenid(scope) && !vendorOmitsOpenid(provider)
      ? [
          configProblem(
            "scope-without-openid",
            toPath("scope"),
            `is "${scope}". Without "openid" the provider sends no id_token`,
            `Write "${`openid ${scope}`.trim()}"`,
          ),
        ]
      : []),
    // A provider with a custom token request may use another flow.
    ...(response_type !== undefined && response_type !== "code" && !mergeProvider(provider).token?.request
      ? [
          configProblem(
            "option-invalid",
            toPath("response_type"),
            `is "${response_type}", but only the code flow is supported`,
            "Remove it",
          ),
        ]
      : []),
    ...(response_mode !== undefined && !RESPONSE_MODES.includes(response_mode)
      ? [
          configProblem(
            "option-invalid",
            toPath("response_mode"),
            `is "${response_mode}", which is not supported`,
            `Write ${RESPONSE_MODES.map((mode) => `"${mode}"`).join(" or ")}`,
          ),
        ]
      : []),
  ]
}
