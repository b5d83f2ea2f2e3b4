/**
 * Compile-time tests: Auth.js providers and adapters fit our configuration, and ours fit theirs.
 *
 * @module
 */
import { type AuthConfig as AuthjsConfig, customFetch as theirCustomFetch } from "@auth/core"
import type { Adapter as AuthjsAdapter } from "@auth/core/adapters"
import type { Provider as AuthjsProvider } from "@auth/core/providers"
import Apple from "@auth/core/providers/apple"
import Atlassian from "@auth/core/providers/atlassian"
import Auth0 from "@auth/core/providers/auth0"
import Cognito from "@auth/core/providers/cognito"
import Credentials from "@auth/core/providers/credentials"
import Discord from "@auth/core/providers/discord"
import Facebook from "@auth/core/providers/facebook"
import GitHub from "@auth/core/providers/github"
import GitLab from "@auth/core/providers/gitlab"
import Google from "@auth/core/providers/google"
import Keycloak from "@auth/core/providers/keycloak"
import LinkedIn from "@auth/core/providers/linkedin"
import MicrosoftEntraID from "@auth/core/providers/microsoft-entra-id"
import Nodemailer from "@auth/core/providers/nodemailer"
import Notion from "@auth/core/providers/notion"
import Okta from "@auth/core/providers/okta"
import Passkey from "@auth/core/providers/passkey"
import Reddit from "@auth/core/providers/reddit"
import Resend from "@auth/core/providers/resend"
import Salesforce from "@auth/core/providers/salesforce"
import Sendgrid from "@auth/core/providers/sendgrid"
import Slack from "@auth/core/providers/slack"
import Spotify from "@auth/core/providers/spotify"
import Twitch from "@auth/core/providers/twitch"
import Twitter from "@auth/core/providers/twitter"
import WebAuthn from "@auth/core/providers/webauthn"
import WorkOS from "@auth/core/providers/workos"
import Zoom from "@auth/core/providers/zoom"
import { type AuthConfig, customFetch, type Provider } from "latchkey"
import type { Adapter } from "latchkey/adapters"
import OurGitHub from "latchkey/providers/github"
import OurGoogle from "latchkey/providers/google"

const client = { clientId: "id", clientSecret: "secret" }
const issuer = "https://id.example.com"

/** The providers in a list, bare. */
export const bare: AuthConfig = {
  providers: [
    ...[Apple, Atlassian, Auth0, Cognito, Discord, Facebook, GitHub, GitLab, Google, Keycloak, LinkedIn],
    ...[MicrosoftEntraID, Okta, Reddit, Salesforce, Slack, Spotify, Twitch, Twitter, WorkOS, Zoom],
    ...[Nodemailer, Resend, Sendgrid, Passkey, WebAuthn, Credentials],
    ...[OurGitHub, OurGoogle],
  ],
}

/** The same providers one by one, because a list would widen their types. */
export const bareOnes: Provider[] = [
  Apple,
  Auth0,
  Credentials,
  Discord,
  Facebook,
  GitHub,
  GitLab,
  Google,
  Keycloak,
  MicrosoftEntraID,
  Nodemailer,
  Okta,
  Passkey,
  Resend,
  Slack,
  Twitter,
]

export const called: AuthConfig = {
  providers: [
    Apple(client),
    Auth0({ ...client, issuer }),
    Cognito({ ...client, issuer }),
    Credentials({ credentials: { name: {} }, authorize: async () => null }),
    Discord({ ...client, authorization: { params: { scope: "identify" } } }),
    Facebook(client),
    GitHub({ ...client, allowDangerousEmailAccountLinking: true, checks: ["state"] }),
    GitHub({ ...client, enterprise: { baseUrl: "https://git.example.com" } }),
    GitLab({ ...client, baseUrl: "https://git.example.com" }),
    Google({ ...client, profile: ({ sub, name, hd }) => ({ id: sub, name: `${name} of ${hd}` }) }),
    Keycloak({ ...client, issuer }),
    MicrosoftEntraID({ ...client, issuer, profilePhotoSize: 96 }),
    Nodemailer({ server: "smtp://localhost", from: "a@b.test" }),
    Notion({ ...client, redirectUri: "https://app.example.com/auth/callback/notion" }),
    Okta({ ...client, issuer }),
    Passkey({}),
    Resend({ apiKey: "key", from: "a@b.test" }),
    Sendgrid({ apiKey: "key" }),
    Slack(client),
    Twitter(client),
    WebAuthn({}),
    WorkOS({ ...client, connection: "one" }),
  ],
}

/** Providers with a custom `fetch` under their symbol and under ours. */
const proxied: typeof fetch = (input, init) => fetch(input, init)
export const withFetch: AuthConfig = {
  providers: [
    Google({ ...client, [theirCustomFetch]: proxied }),
    { id: "own", name: "Own", type: "oidc", issuer, ...client, [theirCustomFetch]: proxied },
    { id: "own-2", name: "Own", type: "oidc", issuer, ...client, [customFetch]: proxied },
    OurGitHub({ ...client, [customFetch]: proxied }),
  ],
}

export const ownProviders: AuthConfig = {
  providers: [
    {
      id: "own",
      name: "Own",
      type: "oauth",
      authorization: { url: "https://id.example.com/authorize", params: { scope: "read" } },
      token: "https://id.example.com/token",
      userinfo: "https://id.example.com/me",
      checks: ["pkce", "state"],
      client: { token_endpoint_auth_method: "client_secret_post" },
      profile: (profile) => ({ id: String(profile["id"]), name: profile.name, email: profile.email }),
      style: { brandColor: "#123456" },
      ...client,
    },
  ],
}

/** A list that an application declared with the type of Auth.js. */
declare const declared: AuthjsProvider[]
export const fromDeclared: AuthConfig = { providers: declared }

declare const theirAdapter: AuthjsAdapter
declare const ourAdapter: Adapter
declare const required: Required<AuthjsAdapter>
export const adapters: AuthConfig[] = [
  { providers: [], adapter: theirAdapter },
  { providers: [], adapter: required },
]
export const theirs: AuthjsConfig = { providers: [], adapter: ourAdapter }
export const alike: [Adapter, AuthjsAdapter] = [theirAdapter, ourAdapter]

export const wrong: AuthConfig[] = [
  // @ts-expect-error a provider is no text
  { providers: ["github"] },
  // @ts-expect-error there is no such type
  { providers: [{ id: "own", name: "Own", type: "saml" }] },
  // @ts-expect-error an id is text
  { providers: [{ ...GitHub(client), id: 1 }] },
  // @ts-expect-error there is no such strategy
  { providers: [GitHub], session: { strategy: "cookie" } },
  // @ts-expect-error an adapter's methods have their types
  { providers: [], adapter: { getUser: (_id: number) => null } },
  // @ts-expect-error a mistyped option
  { provider: [GitHub] },
]
