import { json, type ProviderResponse } from "./response.js"
import type { ProviderState } from "./state.js"
import { SCOPES } from "./users.js"

/** The paths of the endpoints. */
export const PATHS = {
  discovery: "/.well-known/openid-configuration",
  authorize: "/authorize",
  choose: "/choose",
  token: "/token",
  userinfo: "/userinfo",
  jwks: "/jwks",
  endSession: "/end-session",
} as const

/** Returns the metadata (OpenID Connect Discovery §3). */
export const discovery = ({ issuer, origin, keys }: ProviderState): ProviderResponse =>
  json({
    issuer,
    authorization_endpoint: origin + PATHS.authorize,
    token_endpoint: origin + PATHS.token,
    userinfo_endpoint: origin + PATHS.userinfo,
    jwks_uri: origin + PATHS.jwks,
    end_session_endpoint: origin + PATHS.endSession,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.algorithm],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  })

export const jwks = async ({ keys }: ProviderState): Promise<ProviderResponse> => json(await keys.published())
