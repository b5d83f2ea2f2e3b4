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
    why: "The implicit and hybrid flows are not supported, because they send tokens through the browser",
    modules: [
      "oidcc-client-test-nonce-unless-code-flow",
      "oidcc-client-test-missing-chash",
      "oidcc-client-test-invalid-chash",
      "oidcc-client-test-missing-athash",
    ],
  },
  {
    plan: COMPREHENSIVE,
    why: "The access token is sent only in the `Authorization` header",
    modules: ["oidcc-client-test-userinfo-bearer-body"],
  },
  {
    plan: COMPREHENSIVE,
    why: "Distributed claims are not fetched from other servers",
    modules: ["oidcc-client-test-distributed-claims"],
  },
  {
    plan: COMPREHENSIVE,
    why: "The aliases are supported, but the application's own `fetch` presents the TLS client certificate",
    modules: ["oidcc-client-test-mtls-endpoint-aliases"],
  },
  {
    plan: "oidcc-client-dynamic-certification-test-plan",
    why: "The operator registers the client and configures the provider. Neither is done at run time",
    modules: [
      "oidcc-client-test-discovery-webfinger-acct",
      "oidcc-client-test-discovery-webfinger-url",
      "oidcc-client-test-dynamic-registration",
    ],
  },
  {
    plan: "oidcc-client-dynamic-certification-test-plan",
    why: "Authorization requests contain plain parameters instead of request objects",
    modules: ["oidcc-client-test-request-uri-signed-rs256", "oidcc-client-test-request-uri-signed-none"],
  },
  {
    plan: "oidcc-client-front-channel-logout-rp-basic",
    why: "Many browsers send no cookies to a frame of another site. Back-channel logout works without a browser",
    modules: ["oidcc-client-test-rp-frontchannel-rpinitlogout"],
  },
  {
    plan: "oidcc-client-rp-session-management-rp-basic",
    why: "The pages contain no script that checks the session at the provider",
    modules: ["oidcc-client-test-session-management"],
  },
  {
    plan: "oidcc-client-test-3rd-party-init-login-test-plan",
    why: "A sign-in starts only with a form of this site, which contains a CSRF token",
    modules: ["oidcc-client-test-3rd-party-init-login"],
  },
  {
    plan: "fapi2-security-profile-final-client-test-plan",
    why: "Grant Management is a separate extension, which is not supported",
    modules: [
      "fapi2-security-profile-final-client-test-grant-management-happy-path",
      "fapi2-security-profile-final-client-test-grant-management-query-and-revoke",
      "fapi2-security-profile-final-client-test-grant-management-invalid-grant-id-fails",
    ],
  },
  {
    plan: "fapi2-security-profile-final-client-test-plan",
    why: "The suite runs this module only for profiles of some countries. The OpenID Connect plan tests refresh tokens",
    modules: ["fapi2-security-profile-final-client-refresh-token-test"],
  },
]
