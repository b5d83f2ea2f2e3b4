import { rows } from "./row.js"

/** Of what providers do and answer, mails too. */
export const PROVIDER_ANSWERS = rows({
  "sign-in-not-begun": {
    title: "A sign-in could not be begun",
    cause: "The address of the provider's sign-in is not known: its metadata is wrong, or lacks it.",
    remedy: "The cause in the log says what came back. Compare the issuer with the provider's documentation.",
    see: "oauth.md#options-of-a-provider",
  },
  "provider-unreachable": {
    title: "The provider can't be reached",
    cause: "A call to the provider failed, was not answered in time, or was answered with an error of its server.",
    remedy: `The cause in the log has the address and what happened. From the server itself:

\`\`\`sh
curl -i https://id.example.com/.well-known/openid-configuration
\`\`\`

A wrong issuer shows here too: it is the address before \`/.well-known/\`.`,
    see: "oauth.md#calls-to-the-provider",
  },
  "issuer-mismatch": {
    title: "The provider says that it is another one",
    cause:
      "The issuer in the provider's metadata, or in its answer, is not the one that is configured. Otherwise one provider could speak for another.",
    remedy: `Write the issuer as the message shows that the provider says it, to the letter: scheme, path and a slash at the end count.

\`\`\`sh
AUTH_KEYCLOAK_ISSUER=https://id.example.com/realms/main
\`\`\``,
    see: "oauth.md#what-is-verified",
  },
  "redirect-uri-mismatch": {
    title: "The redirect URI is not registered at the provider",
    cause:
      "A provider sends people back only to addresses that were registered for the client, and the one of this site is not among them.",
    remedy: `Register \`redirect_uri\` from the details of the log at the provider, to the letter:

\`\`\`
https://example.com/auth/callback/github
\`\`\`

If it begins with \`http:\` where the site is on HTTPS, or has another host: set \`AUTH_URL\`, or \`trust proxy\` behind a proxy.`,
    see: "deployment.md#the-sites-address",
  },
  "client-refused": {
    title: "The provider does not accept the client id or secret",
    cause:
      "The provider answered `invalid_client`: the id or the secret is wrong, the secret has expired or was replaced, or it is of another tenant or environment.",
    remedy: `Compare both with the provider's console; make a new secret there if it has expired, and restart the application:

\`\`\`sh
AUTH_GITHUB_ID=…
AUTH_GITHUB_SECRET=…
\`\`\`

Mind quotes, spaces and a line end that was copied along. Some providers show an id of the secret beside its value: the value is meant.`,
    see: "oauth.md#how-the-client-proves-itself",
  },
  "client-not-allowed": {
    title: "The provider does not allow this client to do that",
    cause:
      "The provider answered the authorization request with `unauthorized_client`: the client is registered for another flow.",
    remedy: "Allow the authorization code flow for the client in the provider's console.",
    see: "oauth.md#the-flow",
  },
  "pushed-requests-required": {
    title: "The provider requires pushed authorization requests",
    cause:
      "The provider's metadata has `require_pushed_authorization_requests: true`, or it answered that this client has to push its requests (RFC 9126). They are not supported.",
    remedy: "Turn the requirement off for this client in the provider's console.",
    see: "oauth.md#the-flow",
  },
  "signed-requests-required": {
    title: "The provider requires signed request objects",
    cause:
      "The provider's metadata has `require_signed_request_object: true`, or it answered that this client has to sign its requests (RFC 9101). They are not supported.",
    remedy: "Turn the requirement off for this client in the provider's console.",
    see: "oauth.md#the-flow",
  },
  "dpop-required": {
    title: "The provider requires DPoP",
    cause:
      "The token endpoint refused the request because it has no DPoP proof (RFC 9449). Access tokens that are bound to a key are not supported.",
    remedy: "Turn off DPoP-bound access tokens for this client in the provider's console.",
    see: "oauth.md#the-flow",
  },
  "scope-refused": {
    title: "The provider does not give what is asked for",
    cause:
      "The provider answered `invalid_scope`: the scope has a word that it does not know, or does not give to this client.",
    remedy: `Allow it in the provider's console, or ask for less:

\`\`\`js
Provider({ authorization: { params: { scope: "openid email" } } })
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "code-refused": {
    title: "The provider does not take its code back",
    cause:
      "The provider answered `invalid_grant`: the code was used or is too old, or the redirect URI is not that of the start.",
    remedy:
      "Nothing, when it happens now and then. If always: does the site's address change between the start and the return? Set `AUTH_URL`. Does something open the callback twice?",
    see: "oauth.md#the-flow",
  },
  "provider-refused": {
    title: "The provider refused the sign-in",
    cause: "The provider answered with an error of its own; the log has its code and its words.",
    remedy: "Look the code up in the provider's documentation.",
    see: "oauth.md#the-flow",
  },
  "sign-in-cancelled": {
    title: "Somebody cancelled at the provider",
    cause: "The person said no there, or has to do something there first.",
    remedy: "Nothing.",
    see: "oauth.md#the-flow",
  },
  "provider-answer-invalid": {
    title: "The provider's answer can't be used",
    cause: "It lacks something, is of another form than it should be, or does not hold: a claim, a hash, a parameter.",
    remedy: "The cause in the log says what does not hold. Is the issuer right, and the provider's type?",
    see: "oauth.md#what-is-verified",
  },
  "id-token-signature-wrong": {
    title: "The signature of the provider's token does not hold",
    cause:
      "It was not made with one of the keys that the provider publishes, or not in a way that this client is registered for.",
    remedy: `Is the issuer the one that signs, and not a proxy or another tenant? A client that is registered for a secret key says so:

\`\`\`js
Provider({ client: { id_token_signed_response_alg: "HS256" } })
\`\`\``,
    see: "oauth.md#what-is-verified",
  },
  "userinfo-signature-wrong": {
    title: "The signature of the provider's userinfo does not hold",
    cause:
      "Userinfo came as a signed token that was not signed with one of the keys that the provider publishes, or not in a way that this client is registered for.",
    remedy: `Is \`jwks_uri\` in the provider's metadata where the userinfo endpoint has its keys from? A client that is registered for one algorithm says so; for a secret key it has to:

\`\`\`js
Provider({ client: { userinfo_signed_response_alg: "HS256" } })
\`\`\``,
    see: "oauth.md#what-is-verified",
  },
  "clock-skew": {
    title: "This server's clock and the provider's differ",
    cause: "A token is from the future, or its time was over when it came.",
    remedy: `Set the clock of this machine by the network:

\`\`\`sh
timedatectl set-ntp true
date -u
\`\`\``,
    see: "oauth.md#what-is-verified",
  },
  "profile-unusable": {
    title: "The provider's profile can't be turned into a user",
    cause: "The `profile` function of the provider threw an error, or gave no `id`.",
    remedy: `The log has the names of the profile's members. In a provider of your own:

\`\`\`js
const provider = { profile: ({ sub, name, email }) => ({ id: String(sub), name, email }) }
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "redirect-proxy-origin-unlisted": {
    title: "An answer is for a deployment that is not listed",
    cause: "`redirectProxyOrigins` does not have the origin where the sign-in began.",
    remedy: `If it is yours, add it:

\`\`\`js
authMiddleware({ redirectProxyOrigins: ["https://*.preview.example.com"] })
\`\`\``,
    see: "configuration.md#redirectproxyorigins",
  },
  "redirect-proxy-provider-mismatch": {
    title: "An answer came to the redirect proxy at another provider's callback",
    cause:
      "The sign-in began with one provider, and the answer came to the callback of another one: somebody has mixed them up to get at a code, or the deployment knows the provider by another `id`.",
    remedy: `Give the provider the same \`id\` on the proxy and on the deployment:

\`\`\`js
const provider = { id: "example", name: "Example", type: "oidc", issuer: "https://id.example.com" }
\`\`\``,
    see: "oauth.md#a-redirect-proxy",
  },
  "redirect-proxy-state-unreadable": {
    title: "The redirect proxy can't read where an answer is to go",
    cause: "Proxy and deployment have different secrets, or the sign-in took longer than 15 minutes.",
    remedy: "Give both the same `AUTH_REDIRECT_PROXY_SECRET`. Without one, both need the same `AUTH_SECRET`.",
    see: "oauth.md#a-redirect-proxy",
  },
  "mail-not-sent": {
    title: "A mail with a link could not be sent",
    cause: "The mail server or service refused it, could not be reached, or took longer than `sendTimeout`.",
    remedy:
      "The cause in the log has its answer: most often the key, the password, or a sender's address that was not confirmed there.",
    see: "email.md#options",
  },
})
