import type { Claims, ProviderMode } from "../../support/faulty-provider.js"

/** The registered client. Its characters test the form encoding of `client_secret_basic`. */
export const CLIENT = {
  clientId: "conformance: client + 1",
  clientSecret: "ein Schlüssel, zu 100 % geheim: a+b/c=d&e?",
} as const

/** The id and secret encoded by RFC 6749 §2.3.1 and appendix B. */
export const CLIENT_CREDENTIALS =
  "conformance%3A+client+%2B+1:ein+Schl%C3%BCssel%2C+zu+100+%25+geheim%3A+a%2Bb%2Fc%3Dd%26e%3F"

/** The claims of the suite's id_tokens; the user's claims are only in userinfo. */
const ID_TOKEN_CLAIMS = ["iss", "sub", "aud", "iat", "exp", "nonce", "at_hash"]

const bare = (claims: Claims): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => ID_TOKEN_CLAIMS.includes(name)))

/** Metadata like the suite's, without PKCE and RFC 9207. */
const metadata = ({ code_challenge_methods_supported: _, ...document }: Claims): Claims => ({
  ...document,
  response_types_supported: ["code", "id_token code", "token code id_token", "id_token", "token id_token", "token"],
  response_modes_supported: ["query", "fragment", "form_post"],
  grant_types_supported: ["authorization_code", "implicit"],
  claim_types_supported: ["normal", "aggregated", "distributed"],
  claims_parameter_supported: true,
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
  id_token_signing_alg_values_supported: ["none", "RS256", "RS384", "RS512", "PS256", "ES256", "ES512", "EdDSA"],
})

type Change = (from: Claims) => Claims

/** Changes the claims of id_tokens; `undefined` removes a claim. */
export const claiming = (change: Change = () => ({})): ProviderMode => ({
  claims: (claims) => ({ ...bare(claims), ...change(claims) }),
})

/** Changes the metadata. */
export const describing = (change: Change = () => ({})): ProviderMode => ({
  discovery: (document) => ({ ...metadata(document), ...change(document) }),
})

/** Lists only one signing algorithm. */
export const signingWith = (alg: string): ProviderMode =>
  describing(() => ({ id_token_signing_alg_values_supported: [alg] }))

/** The session at the provider, in id_tokens and logout tokens. */
export const SID = "a-session-at-the-provider"

/** Supports logout; `response` changes the parameters with which the browser returns. */
export const loggingOut = (response: Change = (parameters) => parameters): ProviderMode => ({
  ...claiming(() => ({ sid: SID })),
  ...describing(({ issuer }) => ({
    end_session_endpoint: `${issuer}/end_session`,
    ...{ backchannel_logout_supported: true, backchannel_logout_session_supported: true },
  })),
  logoutResponse: response,
})

/** Inverts every bit of the id_token's signature. */
const withWrongSignature = (idToken: unknown): string => {
  const [header, payload, signature = ""] = String(idToken).split(".")
  const wrong = Buffer.from(signature, "base64url").map((byte) => ~byte)
  return [header, payload, Buffer.from(wrong).toString("base64url")].join(".")
}

/** Signs with one algorithm and an invalid signature. */
export const signingWronglyWith = (alg: "RS256" | "ES256" | "HS256"): ProviderMode => ({
  ...signingWith(alg),
  alg: alg === "HS256" ? "HS256-secret" : alg,
  token: (json) => ({ ...json, id_token: withWrongSignature(json["id_token"]) }),
})

/** The suite's provider without a module's changes. */
export const SUITE_PROVIDER: ProviderMode = {
  ...claiming(),
  ...describing(),
  authorizationResponse: ({ code, state }) => ({ code, state }),
}

/** Userinfo with aggregated claims of another issuer (OpenID Connect Core §5.6.2). */
export const AGGREGATED: ProviderMode = {
  userinfo: (user: Claims) => ({
    ...user,
    _claim_names: { address: "src1", phone_number: "src1" },
    _claim_sources: { src1: { JWT: "eyJhbGciOiJub25lIn0.eyJwaG9uZV9udW1iZXIiOiIrNDkgMzAgMSJ9." } },
  }),
}
