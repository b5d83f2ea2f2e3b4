import { defineCodes } from "./define-codes.js"

/** Codes about the providers in the configuration. */
export const PROVIDER_OPTIONS = defineCodes({
  "no-providers": {
    title: "No provider is configured",
    cause: "`providers` is empty, so no user can sign in.",
    remedy: `\`\`\`js
import GitHub from "latchkey/providers/github"

const config = { providers: [GitHub] }
\`\`\`

\`npx latchkey providers\` lists all providers.`,
    docs: "configuration.md#providers",
  },
  "providers-invalid": {
    title: "The providers are not a list",
    cause: "The option `providers` must be an array.",
    remedy: `\`\`\`js
authMiddleware({ providers: [GitHub] })
\`\`\``,
    docs: "configuration.md#providers",
  },
  "provider-factory-failed": {
    title: "A provider could not be created",
    cause: "A function in `providers` threw an error. The message quotes it.",
    remedy: "Fix the stated problem. Usually an option of the provider is missing.",
    docs: "configuration.md#providers",
  },
  "dev-provider-in-production": {
    title: "The development provider is in a production configuration",
    cause: "`devProvider()` lets anyone sign in as any user, and `NODE_ENV` is `production`.",
    remedy: `Use it only in development:

\`\`\`js
const providers = process.env.NODE_ENV === "production" ? [GitHub] : [GitHub, devProvider()]
\`\`\``,
    docs: "dev-provider.md#in-production",
  },
  "provider-type-unknown": {
    title: "A provider has an unknown type",
    cause: "The `type` of the provider is misspelt, or the entry is not a provider.",
    remedy: "Use a type that the message lists, or a provider of `latchkey/providers/…`.",
    docs: "oauth.md#options-of-a-provider",
  },
  "provider-id-invalid": {
    title: "A provider's id is missing or invalid",
    cause: "The id is missing, or has characters that are not allowed in addresses and variable names.",
    remedy: `Use letters, digits and "-":

\`\`\`js
const provider = { id: "my-company", name: "My company", type: "oidc", issuer: "https://id.example.com" }
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "provider-id-taken": {
    title: "Two providers have the same id",
    cause: "Both providers would have the same addresses.",
    remedy: `Give one of them another id:

\`\`\`js
authMiddleware({ providers: [Keycloak, Keycloak({ id: "keycloak-partners" })] })
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "client-id-missing": {
    title: "A provider has no client id",
    cause: "Neither the option nor the variable is set. A `.env` file has no effect unless it is loaded.",
    remedy: `Register the application at the provider, and set the variable in the message:

\`\`\`sh
AUTH_GITHUB_ID=…
\`\`\`

\`npx latchkey providers github\` shows where to register, and which redirect URI.`,
    docs: "configuration.md#providers",
  },
  "client-secret-missing": {
    title: "A provider has no client secret",
    cause: "The provider requires a secret, and neither the option nor the variable is set.",
    remedy: `Create one at the provider, and set the variable in the message:

\`\`\`sh
AUTH_GITHUB_SECRET=…
\`\`\`

For a public client without a secret, configure \`client: { token_endpoint_auth_method: "none" }\`.`,
    docs: "oauth.md#client-authentication",
  },
  "client-auth-method-unknown": {
    title: "The client authentication method is unknown",
    cause: "This version does not support the `client.token_endpoint_auth_method`.",
    remedy: "Use a method that the message lists and the provider accepts.",
    docs: "oauth.md#client-authentication",
  },
  "client-key-missing": {
    title: "The client's private key is missing",
    cause: "The client authenticates with `private_key_jwt`, which needs a key.",
    remedy: `\`\`\`js
Provider({ token: { clientPrivateKey: { key, kid: "2026-01" } } })
\`\`\``,
    docs: "oauth.md#client-authentication",
  },
  "endpoints-missing": {
    title: "A provider's endpoints are unknown",
    cause: "The provider has no issuer, and not all endpoints are configured.",
    remedy: `Set the issuer as an option, or as the variable in the message:

\`\`\`sh
AUTH_KEYCLOAK_ISSUER=https://id.example.com/realms/main
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "provider-url-invalid": {
    title: "An address of a provider is invalid",
    cause: "The issuer or an endpoint is not a URL.",
    remedy: "Write it with its scheme: `https://…`. The message names the option.",
    docs: "oauth.md#options-of-a-provider",
  },
  "provider-url-insecure": {
    title: "An address of a provider does not use HTTPS",
    cause:
      "Codes and tokens would be sent unencrypted. Loopback addresses are allowed, unless a remote discovery document names them.",
    remedy: `Use \`https://\`. In a closed network you can allow HTTP:

\`\`\`js
Keycloak({ issuer: "http://id.internal/realms/main", allowInsecure: true })
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "checks-unknown": {
    title: "A provider has an unknown check",
    cause: 'The option `checks` accepts `"pkce"`, `"state"` and `"nonce"`.',
    remedy: "Leave `checks` out, unless the provider lacks support for a check.",
    docs: "oauth.md#checks",
  },
  "scope-without-openid": {
    title: "The scope of an OpenID Connect provider lacks openid",
    cause:
      "`authorization.params.scope` replaces the default scope. Without `openid` in it the provider sends no id_token.",
    remedy: `\`\`\`js
OIDC({ issuer: "https://id.example.com", authorization: { params: { scope: "openid email" } } })
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "response-type-unsupported": {
    title: "A provider has a response type other than code",
    cause: "`authorization.params.response_type` is set, but only the code flow is supported.",
    remedy: "Leave `response_type` out.",
    docs: "oauth.md#the-flow",
  },
  "response-mode-unsupported": {
    title: "A provider has a response mode that is not supported",
    cause:
      "`authorization.params.response_mode` is neither `query` nor `form_post`. Fragments do not reach the server, and signed responses (`jwt`) are not supported.",
    remedy: "Leave `response_mode` out, or write `form_post`.",
    docs: "oauth.md#responses-by-form_post",
  },
  "unverified-id-token": {
    title: "The signature of a provider's id_tokens is not verified",
    cause: "With `verifyIdToken: false` an attacker who can answer instead of the provider can sign in as any user.",
    remedy: "Remove `verifyIdToken: false`.",
    docs: "oauth.md#what-is-verified",
  },
  "authorize-missing": {
    title: "A credentials provider has no authorize function",
    cause: "`authorize` returns the user for the submitted credentials.",
    remedy: `\`\`\`js
Credentials({
  credentials: { username: {}, password: { type: "password" } },
  authorize: async ({ username, password }) => findUser(username, password), // null if they are wrong
})
\`\`\``,
    docs: "credentials.md#authorize",
  },
  "credentials-undeclared": {
    title: "The fields of a credentials form are not declared",
    cause:
      "The provider has no `credentials`, and no submitted field identifies an account. Attempts are then limited per client and per site, but not per account.",
    remedy: `List the fields that \`authorize\` reads:

\`\`\`js
Credentials({
  credentials: { membership: {}, pin: { type: "password" } },
  authorize: ({ membership, pin }) => findMember(membership, pin),
})
\`\`\`

Or return the account of an attempt:

\`\`\`js
authMiddleware({ rateLimit: { account: ({ membership }) => String(membership) } })
\`\`\``,
    docs: "credentials.md#whose-account-it-is",
  },
  "mail-sender-missing": {
    title: "An email provider can't send emails",
    cause: "The email provider has no `sendVerificationRequest`.",
    remedy: "Use a provider that sends, for example `latchkey/providers/nodemailer`, or write the function yourself.",
    docs: "email.md#options",
  },
  "mail-option-missing": {
    title: "An email provider lacks an option",
    cause: "The email server or service, its key, or the sender address is missing or invalid.",
    remedy: "Set the option or the variable in the message.",
    docs: "email.md#options",
  },
  "passkey-autofill-twice": {
    title: "Two passkey providers use autofill",
    cause: "Only one provider can offer passkeys in the fields of a page.",
    remedy: "Set `enableConditionalUI: false` for one of them.",
    docs: "passkeys.md#options",
  },
  "passkey-autofill-missing": {
    title: "No field offers passkeys",
    cause: 'Passkey autofill is on, and no field has `autocomplete: "username webauthn"`.',
    remedy: `\`\`\`js
Passkey({ formFields: { email: { autocomplete: "username webauthn" } } })
\`\`\``,
    docs: "passkeys.md#options",
  },
  "passkey-script-version": {
    title: "An unused version of a browser script is configured",
    cause: "`simpleWebAuthnBrowserVersion` selects a script of Auth.js. This package has its own.",
    remedy: "Leave the option out.",
    docs: "passkeys.md#options",
  },
  "passkey-attestation": {
    title: "A passkey provider requests attestation",
    cause: "`registrationOptions.attestationType` requests certificates, which are not verified here.",
    remedy: "Leave the option out.",
    docs: "passkeys.md#what-is-checked",
  },
  "relying-party-invalid": {
    title: "The domain of passkeys is invalid",
    cause: "Browsers accept only a domain without scheme, port and path as `relayingParty.id`.",
    remedy: `\`\`\`js
Passkey({ relayingParty: { id: "example.com" } })
\`\`\``,
    docs: "passkeys.md#options",
  },
})
