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
    why: "A TLS certificate needs a `fetch` of the application; a test runs the documented one",
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
    plan: "oidcc-client-front-channel-logout-rp-basic",
    why: "Browsers send no cookies to a frame of another site; back-channel logout works without a browser",
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
  {
    plan: "fapi2-security-profile-final-client-test-plan",
    why: "Grant Management is a separate extension, which the variant without it does not test",
    modules: [
      "fapi2-security-profile-final-client-test-grant-management-happy-path",
      "fapi2-security-profile-final-client-test-grant-management-query-and-revoke",
      "fapi2-security-profile-final-client-test-grant-management-invalid-grant-id-fails",
    ],
  },
  {
    plan: "fapi2-security-profile-final-client-test-plan",
    why: "Only for the profiles of some countries; the plan for refresh tokens of OpenID Connect runs",
    modules: ["fapi2-security-profile-final-client-refresh-token-test"],
  },
]
