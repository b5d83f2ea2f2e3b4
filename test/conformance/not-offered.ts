/** The suite's modules for features that are not offered, by reason; `docs/conformance.md` lists them. */
export interface NotOffered {
  readonly plan: string
  readonly why: string
  readonly modules: readonly string[]
}

const COMPREHENSIVE = "oidcc-client-test-plan"

export const NOT_OFFERED: readonly NotOffered[] = [
  {
    plan: COMPREHENSIVE,
    why: "Only the code flow is offered, not the implicit and hybrid flows, so no token passes through the browser",
    modules: [
      "oidcc-client-test-nonce-unless-code-flow",
      "oidcc-client-test-missing-chash",
      "oidcc-client-test-invalid-chash",
      "oidcc-client-test-missing-athash",
    ],
  },
  {
    plan: COMPREHENSIVE,
    why: "The access token is sent in the header instead",
    modules: ["oidcc-client-test-userinfo-bearer-body"],
  },
  {
    plan: COMPREHENSIVE,
    why: "Claims are not fetched from third parties",
    modules: ["oidcc-client-test-distributed-claims"],
  },
  {
    plan: COMPREHENSIVE,
    why: "Clients authenticate with a secret or a key, not with a TLS certificate",
    modules: ["oidcc-client-test-mtls-endpoint-aliases"],
  },
  {
    plan: "oidcc-client-dynamic-certification-test-plan",
    why: "The operator configures the provider and registers there; providers are not discovered from a user's address",
    modules: [
      "oidcc-client-test-discovery-webfinger-acct",
      "oidcc-client-test-discovery-webfinger-url",
      "oidcc-client-test-dynamic-registration",
    ],
  },
  {
    plan: "oidcc-client-dynamic-certification-test-plan",
    why: "Authorization requests use plain parameters, not request objects",
    modules: ["oidcc-client-test-request-uri-signed-rs256", "oidcc-client-test-request-uri-signed-none"],
  },
  {
    plan: "oidcc-client-refreshtoken-test-plan",
    why: "The application refreshes tokens in its `jwt` callback",
    modules: [
      "oidcc-client-test-refresh-token",
      "oidcc-client-test-refresh-token-invalid-issuer",
      "oidcc-client-test-refresh-token-invalid-sub",
    ],
  },
  {
    plan: "oidcc-client-rp-initiated-logout-rp-basic",
    why: "Sign-out ends this site's session, not the provider's",
    modules: [
      "oidcc-client-test-rp-init-logout",
      "oidcc-client-test-rp-init-logout-other-state",
      "oidcc-client-test-rp-init-logout-no-state",
    ],
  },
  {
    plan: "oidcc-client-back-channel-logout-rp-basic",
    why: "A sign-out at the provider has no effect here",
    modules: [
      "oidcc-client-test-rp-backchannel-rpinitlogout",
      "oidcc-client-test-rp-backchannel-rpinitlogout-alg-none",
      "oidcc-client-test-rp-backchannel-rpinitlogout-no-event",
      "oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce",
      "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg",
      "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud",
      "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event",
      "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss",
    ],
  },
  {
    plan: "oidcc-client-front-channel-logout-rp-basic",
    why: "A sign-out at the provider has no effect here",
    modules: ["oidcc-client-test-rp-frontchannel-rpinitlogout"],
  },
  {
    plan: "oidcc-client-rp-session-management-rp-basic",
    why: "The pages have no script to check the provider's session",
    modules: ["oidcc-client-test-session-management"],
  },
  {
    plan: "oidcc-client-test-3rd-party-init-login-test-plan",
    why: "A sign-in begins with a form of this site and its CSRF token",
    modules: ["oidcc-client-test-3rd-party-init-login"],
  },
]
