/**
 * The authorization requests of the providers of Auth.js, compared parameter by parameter. Discovery requests receive the
 * result of `discoveryOf` instead of using the network.
 *
 * @module
 */
import Apple from "@auth/core/providers/apple"
import Atlassian from "@auth/core/providers/atlassian"
import Auth0 from "@auth/core/providers/auth0"
import Cognito from "@auth/core/providers/cognito"
import Discord from "@auth/core/providers/discord"
import Dropbox from "@auth/core/providers/dropbox"
import Facebook from "@auth/core/providers/facebook"
import GitHub from "@auth/core/providers/github"
import GitLab from "@auth/core/providers/gitlab"
import Google from "@auth/core/providers/google"
import Keycloak from "@auth/core/providers/keycloak"
import LinkedIn from "@auth/core/providers/linkedin"
import MicrosoftEntraID from "@auth/core/providers/microsoft-entra-id"
import Notion from "@auth/core/providers/notion"
import Okta from "@auth/core/providers/okta"
import Reddit from "@auth/core/providers/reddit"
import Salesforce from "@auth/core/providers/salesforce"
import Slack from "@auth/core/providers/slack"
import Spotify from "@auth/core/providers/spotify"
import Twitch from "@auth/core/providers/twitch"
import Twitter from "@auth/core/providers/twitter"
import Zoom from "@auth/core/providers/zoom"
import type { Case } from "../support/case.js"
import { post } from "../support/requests.js"

const CLIENT = { clientId: "id", clientSecret: "a-secret" }
const ISSUED = { ...CLIENT, issuer: "https://tenant.example.com" }

const FACTORIES = {
  apple: () => Apple(CLIENT),
  atlassian: () => Atlassian(CLIENT),
  auth0: () => Auth0(ISSUED),
  cognito: () => Cognito(ISSUED),
  discord: () => Discord(CLIENT),
  dropbox: () => Dropbox(CLIENT),
  facebook: () => Facebook(CLIENT),
  github: () => GitHub(CLIENT),
  gitlab: () => GitLab({ ...CLIENT, baseUrl: "https://gitlab.example.com" }),
  google: () => Google({ ...CLIENT, authorization: { params: { access_type: "offline", prompt: "consent" } } }),
  keycloak: () => Keycloak({ ...CLIENT, issuer: "https://sso.example.com/realms/one" }),
  linkedin: () => LinkedIn(CLIENT),
  "microsoft-entra-id": () =>
    MicrosoftEntraID({ ...CLIENT, issuer: "https://login.microsoftonline.com/8a2f3b6e/v2.0" }),
  notion: () => Notion({ ...CLIENT, redirectUri: "http://app.test/auth/callback/notion" }),
  okta: () => Okta(ISSUED),
  reddit: () => Reddit(CLIENT),
  salesforce: () => Salesforce(CLIENT),
  slack: () => Slack(CLIENT),
  spotify: () => Spotify(CLIENT),
  twitch: () => Twitch(CLIENT),
  twitter: () => Twitter(CLIENT),
  zoom: () => Zoom(CLIENT),
}

export const PROVIDERS: Case[] = Object.entries(FACTORIES).map(([id, create]) => ({
  name: `start: ${id}`,
  // Providers require https.
  origin: "https://app.test",
  config: () => ({ providers: [create()] }),
  run: post(`/auth/signin/${id}`),
}))

const SUFFIX = "/.well-known/openid-configuration"

/** The discovery document of the server that receives the request. */
export function discoveryOf(url: string): Response {
  if (!url.endsWith(SUFFIX)) return new Response("not here", { status: 404 })
  const issuer = url.slice(0, -SUFFIX.length)
  return Response.json({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  })
}
