/** The modules of the FAPI 2.0 Security Profile's plan, for plain_fapi with private_key_jwt, DPoP and OpenID Connect. */
import type { Endpoint } from "../support/faulty-provider.js"
import { describingFapi, requiringFapi } from "./support/fapi-provider.js"
import { accepted, type Module, refused } from "./support/module.js"
import { claiming } from "./support/suite-provider.js"

const UP_TO_RESPONSE: readonly Endpoint[] = ["discovery", "par", "authorize"]
/** The token request is repeated with the provider's DPoP nonce. */
const UP_TO_CLAIMS: readonly Endpoint[] = [...UP_TO_RESPONSE, "token", "token"]
const SIGN_IN: readonly Endpoint[] = [...UP_TO_CLAIMS, "jwks", "userinfo", "userinfo"]
const WITHOUT_NONCE: readonly Endpoint[] = [...UP_TO_RESPONSE, "token", "jwks", "userinfo"]

type Rest = Parameters<typeof accepted>[2]

/** `name` is the end of the module's name. */
const signsIn = (name: string, given: string, rest: Rest = {}): Module =>
  accepted(`fapi2-security-profile-final-client-test-${name}`, given, { requests: SIGN_IN, usesFapi: true, ...rest })

const refuses = (name: string, given: string, rest: Parameters<typeof refused>[2]): Module =>
  refused(`fapi2-security-profile-final-client-test-${name}`, given, {
    requests: UP_TO_CLAIMS,
    usesFapi: true,
    ...rest,
  })

/** A module whose id_token has other claims, and must be refused. */
const refusesClaims = (
  name: string,
  given: string,
  [change, reason]: readonly [Parameters<typeof claiming>[0], RegExp],
): Module => refuses(name, given, { mode: claiming(change), reason })

export const FAPI: readonly Module[] = [
  signsIn("happy-path", "a valid response from a provider that requires DPoP nonces"),
  signsIn("happy-path-no-dpop-nonce", "a valid response without DPoP nonces", {
    mode: requiringFapi({ requiresNonce: false }),
    requests: WITHOUT_NONCE,
  }),
  refuses("discovery-issuer-mismatch", "metadata that names another issuer", {
    mode: describingFapi(({ issuer }) => ({ issuer: `${issuer}INVALID` })),
    requests: ["discovery"],
    reason: /but the configured issuer is/,
  }),
  refusesClaims("invalid-iss", "an id_token of another issuer", [({ iss }) => ({ iss: `${iss}1` }), /"iss"/]),
  refusesClaims("invalid-aud", "an id_token for another client", [({ aud }) => ({ aud: `${aud}1` }), /"aud"/]),
  refusesClaims("invalid-secondary-aud", "an id_token whose `aud` contains this client and another client", [
    ({ aud }) => ({ aud: [aud, `${aud}1`] }),
    /additional untrusted audiences/,
  ]),
  refuses("invalid-null-alg", "an unsigned id_token", {
    mode: { ...claiming(() => ({ at_hash: undefined })), alg: "none" },
    reason: /"alg"/,
  }),
  refuses("invalid-alternate-alg", "an id_token that is signed with another algorithm than the registered one", {
    mode: { alg: "RS256" },
    reason: /"alg"/,
  }),
  refusesClaims("invalid-expired-exp", "an id_token that has expired", [
    () => ({ exp: Math.floor(Date.now() / 1000) - 600 }),
    /"exp"/,
  ]),
  refusesClaims("invalid-missing-exp", "an id_token without `exp`", [() => ({ exp: undefined }), /"exp"/]),
  refusesClaims("invalid-missing-aud", "an id_token without `aud`", [() => ({ aud: undefined }), /"aud"/]),
  refusesClaims("invalid-missing-iss", "an id_token without `iss`", [() => ({ iss: undefined }), /"iss"/]),
  signsIn("valid-aud-as-array", "an id_token whose `aud` is a list with one entry", {
    mode: claiming(({ aud }) => ({ aud: [aud] })),
  }),
  refusesClaims("invalid-nonce", "an id_token with another nonce", [
    ({ nonce }) => ({ nonce: `${nonce}1` }),
    /"nonce"/,
  ]),
  refusesClaims("invalid-missing-nonce", "an id_token without a nonce", [() => ({ nonce: undefined }), /"nonce"/]),
  refuses("invalid-authorization-response-iss", "an authorization response of another issuer", {
    mode: { authorizationResponse: (parameters) => ({ ...parameters, iss: `${parameters["iss"]}1` }) },
    requests: UP_TO_RESPONSE,
    reason: /"iss"/,
  }),
  refuses("remove-authorization-response-iss", "an authorization response without `iss`", {
    mode: { authorizationResponse: (parameters) => ({ ...parameters, iss: undefined }) },
    requests: UP_TO_RESPONSE,
    reason: /"iss"/,
  }),
  refuses("ensure-authorization-response-with-invalid-state-fails", "an authorization response with another `state`", {
    mode: { authorizationResponse: (parameters) => ({ ...parameters, state: `${parameters["state"]}1` }) },
    requests: UP_TO_RESPONSE,
    reason: /no sign-in in progress/,
  }),
  refuses(
    "ensure-authorization-response-with-invalid-missing-state-fails",
    "an authorization response without `state`",
    {
      mode: { authorizationResponse: (parameters) => ({ ...parameters, state: undefined }) },
      requests: UP_TO_RESPONSE,
      reason: /no sign-in in progress/,
    },
  ),
  signsIn("token-endpoint-response-without-expires_in", "a token response without `expires_in`", {
    mode: { token: (json) => ({ ...json, expires_in: undefined }) },
  }),
  signsIn("token-type-case-insensitivity", "an access token with the `token_type` `dPoP`", {
    mode: { token: (json) => ({ ...json, token_type: "dPoP" }) },
  }),
  signsIn("rs-dpop-auth-scheme-case-insensitivity", "a challenge of the API with the scheme `dPoP`", {
    mode: requiringFapi({ scheme: "dPoP" }),
  }),
]
