/**
 * The modules of the OpenID Foundation's conformance suite for relying parties, by their names. `docs/conformance.md` is
 * written from them.
 *
 * @module
 */
import { FAPI } from "./fapi-modules.js"
import { ONE_KEY_FITS, RSA_ALONE, THREE_KEYS_FIT, WITH_UNKNOWN_KEYS } from "./support/key-sets.js"
import {
  accepted,
  type Module,
  type Plan,
  refreshed,
  refused,
  refusedByChoice,
  refusedLogout,
  refusedRefresh,
  SIGN_IN,
  signedOut,
  UP_TO_CLAIMS,
  UP_TO_SIGNATURE,
} from "./support/module.js"
import {
  AGGREGATED,
  claiming,
  describing,
  loggingOut,
  signingWith,
  signingWronglyWith,
} from "./support/suite-provider.js"

const WRONG_SIGNATURE = /signature verification failed/

/** A relying party may accept unsigned id_tokens in the code flow; latchkey always rejects them. */
const UNSIGNED = refusedByChoice(
  "oidcc-client-test-idtoken-sig-none",
  "an unsigned id_token, though the metadata lists `none`",
  {
    mode: { alg: "none", ...claiming(() => ({ at_hash: undefined })) },
    requests: UP_TO_CLAIMS,
    reason: /the id_token is not signed/,
    shows: "skipped",
  },
)

const BASIC: readonly Module[] = [
  accepted("oidcc-client-test", "a valid response"),
  refused("oidcc-client-test-invalid-iss", "an id_token of another issuer", {
    mode: claiming(({ iss }) => ({ iss: `${iss}1` })),
    requests: UP_TO_CLAIMS,
    reason: /"iss"/,
  }),
  refused("oidcc-client-test-missing-sub", "an id_token without `sub`", {
    mode: claiming(() => ({ sub: undefined })),
    requests: UP_TO_CLAIMS,
    reason: /"sub"/,
  }),
  refused("oidcc-client-test-invalid-aud", "an id_token for another client", {
    mode: claiming(({ aud }) => ({ aud: `${aud}1` })),
    requests: UP_TO_CLAIMS,
    reason: /"aud"/,
  }),
  refused("oidcc-client-test-missing-iat", "an id_token without `iat`", {
    mode: claiming(() => ({ iat: undefined })),
    requests: UP_TO_CLAIMS,
    reason: /"iat"/,
  }),
  accepted("oidcc-client-test-kid-absent-single-jwks", "an id_token without a key id, with one matching key", {
    mode: ONE_KEY_FITS,
  }),
  refusedByChoice(
    "oidcc-client-test-kid-absent-multiple-jwks",
    "an id_token without a key id, with several matching keys",
    {
      mode: THREE_KEYS_FIT,
      reason: /multiple matching keys/,
    },
  ),
  accepted("oidcc-client-test-idtoken-sig-rs256", "an id_token signed with RS256", {
    mode: { ...RSA_ALONE, ...signingWith("RS256") },
  }),
  UNSIGNED,
  refused("oidcc-client-test-invalid-sig-rs256", "an id_token with a wrong RS256 signature", {
    mode: signingWronglyWith("RS256"),
    reason: WRONG_SIGNATURE,
  }),
  refused("oidcc-client-test-userinfo-invalid-sub", "userinfo about another subject", {
    mode: { userinfo: (user) => ({ ...user, sub: `${user["sub"]}invalid` }) },
    requests: SIGN_IN,
    reason: /"sub"/,
  }),
  refused("oidcc-client-test-nonce-invalid", "an id_token with another nonce", {
    mode: claiming(({ nonce }) => ({ nonce: `${nonce}1` })),
    requests: UP_TO_CLAIMS,
    reason: /"nonce"/,
  }),
  accepted("oidcc-client-test-scope-userinfo-claims", "userinfo that contains the requested name and email address"),
  accepted(
    "oidcc-client-test-client-secret-basic",
    "the client id and secret, form-encoded in the `Authorization` header",
  ),
]

const CONFIG: readonly Module[] = [
  accepted("oidcc-client-test-discovery-openid-config", "URLs that only the metadata contains"),
  accepted("oidcc-client-test-discovery-jwks-uri-keys", "a `jwks_uri` that changes in each run"),
  refused("oidcc-client-test-discovery-issuer-mismatch", "metadata that names another issuer", {
    mode: describing(({ issuer }) => ({ issuer: `${issuer}INVALID` })),
    requests: ["discovery"],
    reason: /but the configured issuer is/,
  }),
  UNSIGNED,
  accepted(
    "oidcc-client-test-signing-key-rotation-just-before-signing",
    "a signing key that was replaced after the user consented",
    {
      rotatesKeys: "before the signature",
    },
  ),
  accepted("oidcc-client-test-signing-key-rotation", "a signing key that was replaced after the last sign-in", {
    rotatesKeys: "before the authorization",
  }),
]

/** The other modules of the comprehensive plan, for the features that are offered. */
const MORE: readonly Module[] = [
  refused("oidcc-client-test-missing-aud", "an id_token without `aud`", {
    mode: claiming(() => ({ aud: undefined })),
    requests: UP_TO_CLAIMS,
    reason: /"aud"/,
  }),
  refused("oidcc-client-test-invalid-athash", "an id_token whose `at_hash` belongs to another access token", {
    mode: claiming(({ at_hash }) => ({ at_hash: `${at_hash}1` })),
    reason: /at_hash/,
  }),
  refused("oidcc-client-test-invalid-sig-hs256", "an id_token with a wrong HS256 signature", {
    mode: signingWronglyWith("HS256"),
    client: { id_token_signed_response_alg: "HS256" },
    requests: UP_TO_CLAIMS,
    reason: WRONG_SIGNATURE,
  }),
  refused("oidcc-client-test-invalid-sig-es256", "an id_token with a wrong ES256 signature", {
    mode: signingWronglyWith("ES256"),
    requests: UP_TO_SIGNATURE,
    reason: WRONG_SIGNATURE,
  }),
  accepted("oidcc-client-test-ignores-unparseable-key-in-jwks", "a key set that contains keys of unknown types", {
    mode: WITH_UNKNOWN_KEYS,
  }),
  accepted(
    "oidcc-client-test-userinfo-bearer-header",
    "the access token in the `Authorization` header of the userinfo request",
  ),
  accepted("oidcc-client-test-aggregated-claims", "userinfo with aggregated claims of another issuer", {
    mode: AGGREGATED,
  }),
  refused("oidcc-client-test-form-post-error", "an error response by `form_post`", {
    mode: { authorizationResponse: ({ state }) => ({ state, error: "login_required", error_description: "nobody" }) },
    usesFormPost: true,
    asks: { prompt: "none", max_age: "0" },
    requests: ["discovery", "authorize"],
    reason: /login_required/,
  }),
]

/** The other modules of the plan for dynamic clients, for the features that are offered. */
const DYNAMIC: readonly Module[] = [
  accepted("oidcc-client-test-userinfo-signed", "signed userinfo, as registered for the client", {
    mode: { ...describing(() => ({ userinfo_signing_alg_values_supported: ["RS256"] })), userinfoJwt: {} },
    client: { userinfo_signed_response_alg: "RS256" },
  }),
]

const WRONG_STATE = /does not match a logout that this browser has started/

const RP_INITIATED_LOGOUT: readonly Module[] = [
  signedOut("oidcc-client-test-rp-init-logout", "a redirect back from the provider, and a logout token", {
    mode: loggingOut(),
  }),
  refusedLogout(
    "oidcc-client-test-rp-init-logout-other-state",
    "a redirect back from the provider with another `state`",
    {
      mode: loggingOut(() => ({ state: "another-state-than-that-of-the-request" })),
      logout: { refuses: "return" },
      reason: WRONG_STATE,
    },
  ),
  refusedLogout("oidcc-client-test-rp-init-logout-no-state", "a redirect back from the provider without `state`", {
    mode: loggingOut(() => ({ state: undefined })),
    logout: { refuses: "return" },
    reason: WRONG_STATE,
  }),
]

/** A module whose logout token must be refused with status 400. `name` is the end of the module's name. */
const refusedToken = (
  name: string,
  given: string,
  { reason, ...token }: Pick<NonNullable<Module["logout"]>, "claims" | "alg"> & { readonly reason: RegExp },
): Module =>
  refusedLogout(`oidcc-client-test-rp-backchannel-rpinitlogout-${name}`, given, {
    ...{ mode: loggingOut(), logout: { refuses: "token", ...token }, reason },
  })

const BACK_CHANNEL_LOGOUT: readonly Module[] = [
  signedOut("oidcc-client-test-rp-backchannel-rpinitlogout", "a logout token", { mode: loggingOut() }),
  refusedToken("alg-none", "an unsigned logout token", { alg: "none", reason: /is not signed/ }),
  refusedToken("no-event", "a logout token without `events`", {
    claims: () => ({ events: undefined }),
    reason: /events has no member/,
  }),
  refusedToken("with-nonce", "a logout token with a nonce", {
    claims: () => ({ nonce: "a-nonce" }),
    reason: /nonce is not allowed/,
  }),
  refusedToken("wrong-alg", "a logout token signed with another algorithm than the registered one", {
    ...{ alg: "ES256", reason: /which this client is not registered for/ },
  }),
  refusedToken("wrong-aud", "a logout token for another client", {
    claims: ({ aud }) => ({ aud: `${aud}INVALID` }),
    reason: /aud does not contain the client id/,
  }),
  refusedToken("wrong-event", "a logout token with another event", {
    claims: () => ({ events: { "http://schemas.openid.net/event/foobar": {} } }),
    reason: /events has no member/,
  }),
  refusedToken("wrong-iss", "a logout token of another issuer", {
    claims: ({ iss }) => ({ iss: `${iss}INVALID` }),
    reason: /iss is not/,
  }),
]

const REFRESH: readonly Module[] = [
  refreshed("oidcc-client-test-refresh-token", "a new access token, which the userinfo request contains"),
  refusedRefresh("oidcc-client-test-refresh-token-invalid-issuer", "a new id_token of another issuer", {
    claims: ({ iss }) => ({ iss: `${iss}1` }),
    status: 502,
    reason: /"iss"/,
  }),
  refusedRefresh("oidcc-client-test-refresh-token-invalid-sub", "a new id_token with another `sub`", {
    claims: ({ sub }) => ({ sub: `${sub}1` }),
    status: 401,
    reason: /belongs to another user/,
  }),
]

export const PLANS: readonly Plan[] = [
  { name: "oidcc-client-basic-certification-test-plan", title: "Basic", modules: BASIC },
  { name: "oidcc-client-config-certification-test-plan", title: "Configuration", modules: CONFIG },
  {
    name: "oidcc-client-formpost-basic-certification-test-plan",
    title: "Form post",
    sameModulesAs: "Basic",
    modules: BASIC.map((module) => ({ ...module, usesFormPost: true })),
  },
  { name: "oidcc-client-test-plan", title: "Comprehensive, other modules", modules: MORE },
  { name: "oidcc-client-dynamic-certification-test-plan", title: "Dynamic, other modules", modules: DYNAMIC },
  { name: "oidcc-client-refreshtoken-test-plan", title: "Refresh tokens", modules: REFRESH },
  { name: "oidcc-client-rp-initiated-logout-rp-basic", title: "RP-initiated logout", modules: RP_INITIATED_LOGOUT },
  { name: "oidcc-client-back-channel-logout-rp-basic", title: "Back-channel logout", modules: BACK_CHANNEL_LOGOUT },
  { name: "fapi2-security-profile-final-client-test-plan", title: "FAPI 2.0 Security Profile", modules: FAPI },
]
