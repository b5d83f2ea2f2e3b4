import { defineCodes } from "./define-codes.js"

/** Codes about responses of providers, and about sending email. */
export const PROVIDER_ANSWERS = defineCodes({
  "sign-in-not-started": {
    title: "A sign-in could not be started",
    cause: "The provider's authorization endpoint is unknown: its metadata is invalid, or lacks it.",
    remedy: "Compare the issuer with the provider's documentation, and see the cause in the log.",
    docs: "oauth.md#options-of-a-provider",
  },
  "provider-unreachable": {
    title: "The provider can't be reached",
    cause: "A call to the provider failed, timed out, or was answered with a server error.",
    remedy: `The cause in the log has the address. Try it from the server itself:

\`\`\`sh
curl -i https://id.example.com/.well-known/openid-configuration
\`\`\`

The issuer is the address before \`/.well-known/\`.`,
    docs: "oauth.md#calls-to-the-provider",
  },
  "issuer-mismatch": {
    title: "The provider reports another issuer",
    cause: "The issuer in the provider's metadata or response is not the configured one.",
    remedy: `Write the issuer exactly as in the message, with scheme, path and any trailing slash.

\`\`\`sh
AUTH_KEYCLOAK_ISSUER=https://id.example.com/realms/main
\`\`\``,
    docs: "oauth.md#what-is-verified",
  },
  "redirect-uri-mismatch": {
    title: "The redirect URI is not registered at the provider",
    cause: "A provider redirects only to addresses that are registered for the client.",
    remedy: `Register the exact \`redirect_uri\` from the log at the provider:

\`\`\`
https://example.com/auth/callback/github
\`\`\`

If it begins with \`http:\` although the site is on HTTPS, or has another host, set \`AUTH_URL\`, or \`trust proxy\` behind a proxy.`,
    docs: "deployment.md#the-sites-address",
  },
  "client-refused": {
    title: "The provider does not accept the client id or secret",
    cause:
      "The provider answered `invalid_client`: the id or the secret is wrong, expired, replaced, or from another tenant or environment.",
    remedy: `Compare both with the provider's console, create a new secret if it has expired, and restart the application:

\`\`\`sh
AUTH_GITHUB_ID=…
AUTH_GITHUB_SECRET=…
\`\`\`

Remove copied quotes, spaces and line breaks. If the provider shows an id of the secret beside its value, use the value.`,
    docs: "oauth.md#client-authentication",
  },
  "client-not-allowed": {
    title: "The provider does not allow the code flow for this client",
    cause: "The provider answered `unauthorized_client`: the client is registered for another flow.",
    remedy: "Allow the authorization code flow for the client in the provider's console.",
    docs: "oauth.md#the-flow",
  },
  "pushed-requests-required": {
    title: "The provider requires pushed authorization requests",
    cause:
      "The provider's metadata or response requires pushed authorization requests (RFC 9126), which are not supported.",
    remedy: "Turn the requirement off for this client in the provider's console.",
    docs: "oauth.md#the-flow",
  },
  "signed-requests-required": {
    title: "The provider requires signed request objects",
    cause: "The provider's metadata or response requires signed request objects (RFC 9101), which are not supported.",
    remedy: "Turn the requirement off for this client in the provider's console.",
    docs: "oauth.md#the-flow",
  },
  "dpop-required": {
    title: "The provider requires DPoP",
    cause: "The token endpoint requires a DPoP proof (RFC 9449), which is not supported.",
    remedy: "Turn DPoP off for this client in the provider's console.",
    docs: "oauth.md#the-flow",
  },
  "scope-refused": {
    title: "The provider refuses the requested scope",
    cause: "The provider answered `invalid_scope`: it does not know the scope, or does not allow it for this client.",
    remedy: `Allow the scope in the provider's console, or request less:

\`\`\`js
Provider({ authorization: { params: { scope: "openid email" } } })
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "code-refused": {
    title: "The provider refuses its own authorization code",
    cause:
      "The provider answered `invalid_grant`: the code was used or has expired, or the redirect URI differs from that of the start.",
    remedy:
      "If it happens at every sign-in, check whether the site's address changes before the return, and set `AUTH_URL`. Also check whether something opens the callback twice.",
    docs: "oauth.md#the-flow",
  },
  "provider-refused": {
    title: "The provider refused the sign-in",
    cause: "The provider answered with an error. The log has its code and description.",
    remedy: "Look the code up in the provider's documentation.",
    docs: "oauth.md#the-flow",
  },
  "sign-in-cancelled": {
    title: "A user cancelled at the provider",
    cause: "The user declined at the provider, or has to complete a step there first.",
    remedy: "Nothing to do.",
    docs: "oauth.md#the-flow",
  },
  "provider-answer-invalid": {
    title: "The provider's response is invalid",
    cause: "A value is missing, malformed or does not verify.",
    remedy: "The cause in the log states what is invalid. Check the issuer and the provider's `type`.",
    docs: "oauth.md#what-is-verified",
  },
  "id-token-signature-wrong": {
    title: "The signature of the provider's id_token is invalid",
    cause: "No published key of the provider verifies the token, or its algorithm is not the registered one.",
    remedy: `Check that the issuer signs itself and is not a proxy or another tenant. If the client is registered for signatures with its secret, configure that:

\`\`\`js
Provider({ client: { id_token_signed_response_alg: "HS256" } })
\`\`\``,
    docs: "oauth.md#what-is-verified",
  },
  "userinfo-signature-wrong": {
    title: "The signature of the provider's userinfo is invalid",
    cause: "No published key of the provider verifies the signed userinfo, or its algorithm is not the registered one.",
    remedy: `Check that the provider's \`jwks_uri\` has the keys of the userinfo endpoint. If the client is registered for one algorithm, configure it, which signatures with the client secret require:

\`\`\`js
Provider({ client: { userinfo_signed_response_alg: "HS256" } })
\`\`\``,
    docs: "oauth.md#what-is-verified",
  },
  "clock-skew": {
    title: "This server's clock and the provider's differ",
    cause: "A token was issued in the future, or had expired when it arrived.",
    remedy: `Synchronise the clock of this machine over the network:

\`\`\`sh
timedatectl set-ntp true
date -u
\`\`\``,
    docs: "oauth.md#what-is-verified",
  },
  "profile-unusable": {
    title: "The provider's profile can't be turned into a user",
    cause: "The provider's `profile` function threw an error or returned no `id`.",
    remedy: `The log lists the names of the profile's fields. In a provider of your own:

\`\`\`js
const provider = { profile: ({ sub, name, email }) => ({ id: String(sub), name, email }) }
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "redirect-proxy-origin-unlisted": {
    title: "A response is for a deployment that is not listed",
    cause: "`redirectProxyOrigins` does not list the origin where the sign-in started.",
    remedy: `If the origin is yours, add it:

\`\`\`js
authMiddleware({ redirectProxyOrigins: ["https://*.preview.example.com"] })
\`\`\``,
    docs: "configuration.md#redirectproxyorigins",
  },
  "redirect-proxy-provider-mismatch": {
    title: "A response reached the redirect proxy at another provider's callback",
    cause:
      "The sign-in started with one provider, and the response came to the callback of another. Either an attacker tried to obtain a code, or the deployment uses another `id` for the provider.",
    remedy: `Use the same \`id\` on the proxy and the deployment:

\`\`\`js
const provider = { id: "example", name: "Example", type: "oidc", issuer: "https://id.example.com" }
\`\`\``,
    docs: "oauth.md#a-redirect-proxy",
  },
  "redirect-proxy-state-unreadable": {
    title: "The redirect proxy can't read where to forward a response",
    cause: "The proxy and the deployment have different secrets, or the sign-in took longer than 15 minutes.",
    remedy: "Set the same `AUTH_REDIRECT_PROXY_SECRET` for both. Without one, both need the same `AUTH_SECRET`.",
    docs: "oauth.md#a-redirect-proxy",
  },
  "mail-not-sent": {
    title: "An email with a link could not be sent",
    cause: "The email server or service refused the email, was unreachable, or took longer than `sendTimeout`.",
    remedy:
      "The cause in the log has the server's answer. Check the key or password, and whether the sender address is confirmed there.",
    docs: "email.md#options",
  },
})
