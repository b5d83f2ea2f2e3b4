import { generateKeyPairSync } from "node:crypto"
import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"
import { claiming, describing } from "./suite-provider.js"

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const key = privateKey.export({ format: "jwk" })
const { d: _, ...clientKey } = key

/** Metadata of a provider that requires the profile. */
export const describingFapi = (change: (from: Claims) => Claims = () => ({})): ProviderMode =>
  describing((document) => ({
    pushed_authorization_request_endpoint: `${document["issuer"]}/par`,
    require_pushed_authorization_requests: true,
    authorization_response_iss_parameter_supported: true,
    dpop_signing_alg_values_supported: ["ES256"],
    token_endpoint_auth_methods_supported: ["private_key_jwt"],
    id_token_signing_alg_values_supported: ["PS256", "ES256"],
    ...change(document),
  }))

/** Requires the profile; `more` changes its details. */
export const requiringFapi = (more: Partial<NonNullable<ProviderMode["fapi"]>> = {}): ProviderMode => ({
  fapi: { clientKey: { ...clientKey }, requiresNonce: true, ...more },
})

/** The suite's provider with the variants plain_fapi, private_key_jwt, dpop and openid_connect. */
export const FAPI_PROVIDER: ProviderMode = {
  ...describingFapi(),
  ...claiming(),
  ...requiringFapi(),
  alg: "ES256",
  authorizationResponse: (parameters) => parameters,
}

/** The options of the client. The key is sent to the application as a JWK. */
export const FAPI_CLIENT: Partial<OIDCConfig> = {
  dpop: true,
  client: { token_endpoint_auth_method: "private_key_jwt", id_token_signed_response_alg: "ES256" },
  token: { clientPrivateKey: { key, kid: "conformance" } },
}
