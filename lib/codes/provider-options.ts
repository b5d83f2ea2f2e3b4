import { rows } from "./row.js"

/** Of the providers in the configuration, before anybody signs in. */
export const PROVIDER_OPTIONS = rows({
  "no-providers": {
    title: "There is no provider",
    cause: "`providers` is empty, so the sign-in page offers nothing and nobody can sign in.",
    remedy: `\`\`\`js
import GitHub from "latchkey/providers/github"

const config = { providers: [GitHub] }
\`\`\`

\`npx latchkey providers\` lists all that there are.`,
    see: "configuration.md#providers",
  },
  "providers-invalid": {
    title: "The providers are no list",
    cause: "`providers` is something else than a list.",
    remedy: `\`\`\`js
authMiddleware({ providers: [GitHub] })
\`\`\``,
    see: "configuration.md#providers",
  },
  "provider-factory-failed": {
    title: "A provider could not be made",
    cause: "A function in `providers` threw an error when it was called; the message has its words.",
    remedy: "Mend what the message says, most often an option that the provider needs.",
    see: "configuration.md#providers",
  },
  "dev-provider-in-production": {
    title: "The development provider is in a production configuration",
    cause: "`devProvider()` lets anybody in as anybody, and `NODE_ENV` says that this is production.",
    remedy: `Have it where people develop only:

\`\`\`js
const providers = process.env.NODE_ENV === "production" ? [GitHub] : [GitHub, devProvider()]
\`\`\``,
    see: "dev-provider.md#nothing-of-it-in-production",
  },
  "provider-type-unknown": {
    title: "A provider is of an unknown type",
    cause: "Its `type` is none that this version can do: it was misspelt, or what is in the list is no provider.",
    remedy: "Write one of the types that the message lists, or use a provider of `latchkey/providers/…`.",
    see: "oauth.md#options-of-a-provider",
  },
  "provider-id-invalid": {
    title: "A provider's id is missing, or can't stand in an address",
    cause:
      "The id is part of the provider's addresses and names its variables. It is missing, or has characters that would not survive there.",
    remedy: `Write letters, digits and "-":

\`\`\`js
const provider = { id: "my-company", name: "My company", type: "oidc", issuer: "https://id.example.com" }
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "provider-id-taken": {
    title: "Two providers have the same id",
    cause: "Both would answer at the same address.",
    remedy: `Give one of them another id:

\`\`\`js
authMiddleware({ providers: [Keycloak, Keycloak({ id: "keycloak-partners" })] })
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "client-id-missing": {
    title: "A provider has no client id",
    cause:
      "The provider knows your application by its client id, and neither the option nor the variable is set. A `.env` file counts only if something loads it.",
    remedy: `Register the application at the provider and set the variable that the message names:

\`\`\`sh
AUTH_GITHUB_ID=…
\`\`\`

\`npx latchkey providers github\` says where to register and with which redirect URI.`,
    see: "configuration.md#providers",
  },
  "client-secret-missing": {
    title: "A provider has no client secret",
    cause: "The provider asks for a secret when a code is exchanged, and neither the option nor the variable is set.",
    remedy: `Make one at the provider and set the variable that the message names:

\`\`\`sh
AUTH_GITHUB_SECRET=…
\`\`\`

A public client without a secret says so: \`client: { token_endpoint_auth_method: "none" }\`.`,
    see: "oauth.md#how-the-client-proves-itself",
  },
  "client-auth-method-unknown": {
    title: "There is no such way for the client to prove itself",
    cause: "`client.token_endpoint_auth_method` of a provider is none that this version can do.",
    remedy: "Write one of those that the message lists, as the provider's documentation says.",
    see: "oauth.md#how-the-client-proves-itself",
  },
  "client-key-missing": {
    title: "The client's private key is missing",
    cause: "The client is to prove itself by `private_key_jwt`, and there is no key to sign with.",
    remedy: `\`\`\`js
Provider({ token: { clientPrivateKey: { key, kid: "2026-01" } } })
\`\`\``,
    see: "oauth.md#how-the-client-proves-itself",
  },
  "endpoints-missing": {
    title: "A provider's endpoints are not known",
    cause: "The provider has no issuer to discover its endpoints from, and not all of them are given.",
    remedy: `Give the issuer, as an option or as the variable that the message names:

\`\`\`sh
AUTH_KEYCLOAK_ISSUER=https://id.example.com/realms/main
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "provider-url-invalid": {
    title: "An address of a provider is none",
    cause: "The issuer or an endpoint is no URL.",
    remedy: "Write it with its scheme: `https://…`. The message names the option and what was seen.",
    see: "oauth.md#options-of-a-provider",
  },
  "provider-url-insecure": {
    title: "An address of a provider is not on HTTPS",
    cause:
      "Codes and tokens would travel where others can read them. Addresses of this machine are excepted, unless a discovery document from elsewhere names them: it could have this machine ask its own services.",
    remedy: `Write \`https://\`. In a closed network it can be allowed:

\`\`\`js
Keycloak({ issuer: "http://id.internal/realms/main", allowInsecure: true })
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "checks-unknown": {
    title: "A provider asks for a check that there is not",
    cause: '`checks` may have `"pkce"`, `"state"` and `"nonce"`.',
    remedy: "Leave `checks` out: the default is right unless the provider can't do it.",
    see: "oauth.md#checks",
  },
  "scope-without-openid": {
    title: "A provider of OpenID Connect is asked without the scope openid",
    cause:
      "`authorization.params.scope` replaces the default scope, and `openid` is not in it. Without `openid` a request is plain OAuth, and the provider sends no id_token.",
    remedy: `\`\`\`js
OIDC({ issuer: "https://id.example.com", authorization: { params: { scope: "openid email" } } })
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "response-type-unsupported": {
    title: "A provider is asked for another response type than code",
    cause:
      "`authorization.params.response_type` is set. Only the code flow is supported: no token travels through the browser.",
    remedy: "Leave `response_type` out.",
    see: "oauth.md#the-flow",
  },
  "response-mode-unsupported": {
    title: "A provider is asked for a response mode that is not supported",
    cause:
      "`authorization.params.response_mode` is neither `query` nor `form_post`. Answers in a fragment do not reach the server, and signed answers (`jwt`) are not read.",
    remedy: "Leave `response_mode` out, or write `form_post`.",
    see: "oauth.md#providers-that-post",
  },
  "unverified-id-token": {
    title: "A provider's tokens are believed without their signature",
    cause: "`verifyIdToken: false` is set, and whoever can answer in the provider's place can be anybody.",
    remedy: "Remove `verifyIdToken: false`.",
    see: "oauth.md#what-is-verified",
  },
  "authorize-missing": {
    title: "Credentials without authorize",
    cause: "A credentials provider has no function that says who somebody is.",
    remedy: `\`\`\`js
Credentials({
  credentials: { username: {}, password: { type: "password" } },
  authorize: async ({ username, password }) => findUser(username, password), // null when they are wrong
})
\`\`\``,
    see: "credentials.md#authorize",
  },
  "credentials-undeclared": {
    title: "The fields of a form with credentials are not declared",
    cause:
      "The provider has no `credentials`, and none of the fields that came has a name that identifies an account. Attempts for one account are then not limited; only failures per client and per site are.",
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
    see: "credentials.md#whose-account-it-is",
  },
  "mail-sender-missing": {
    title: "A mail provider can't send",
    cause: "An e-mail provider has no `sendVerificationRequest`.",
    remedy:
      "Use one of the providers that send, `latchkey/providers/nodemailer` for instance, or write the function yourself.",
    see: "email.md#options",
  },
  "mail-option-missing": {
    title: "A mail provider lacks an option",
    cause: "The mail server or service, its key or the sender's address is not set, or is none.",
    remedy: "The message names the option and the variable. Without it the first mail fails.",
    see: "email.md#options",
  },
  "passkey-autofill-twice": {
    title: "Two passkey providers want to fill in fields",
    cause: "Only one provider can offer passkeys in the fields of a page.",
    remedy: "Write `enableConditionalUI: false` for one of them.",
    see: "passkeys.md#options",
  },
  "passkey-autofill-missing": {
    title: "No field offers passkeys",
    cause: 'Passkeys are to be offered in a field, and none has `autocomplete: "username webauthn"`.',
    remedy: `\`\`\`js
Passkey({ formFields: { email: { autocomplete: "username webauthn" } } })
\`\`\``,
    see: "passkeys.md#options",
  },
  "passkey-script-version": {
    title: "A version of a browser script is given that is not used",
    cause: "`simpleWebAuthnBrowserVersion` names a script of Auth.js; ours is part of the package.",
    remedy: "Leave the option out.",
    see: "passkeys.md#options",
  },
  "passkey-attestation": {
    title: "A passkey provider asks for attestation",
    cause:
      "`registrationOptions.attestationType` asks for certificates of authenticators. They are not verified here, since their verification downloads from addresses that the client chooses.",
    remedy: "Leave the option out.",
    see: "passkeys.md#what-is-checked",
  },
  "relying-party-invalid": {
    title: "The domain of passkeys is none",
    cause: "`relyingParty.id` has to be a domain, without scheme, port and path: browsers refuse anything else.",
    remedy: `\`\`\`js
Passkey({ relayingParty: { id: "example.com" } })
\`\`\``,
    see: "passkeys.md#options",
  },
})
