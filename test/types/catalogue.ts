/**
 * Compiled only: every provider fits into a configuration, bare and called. `test/contracts/provider-types.test.ts` holds
 * that none is forgotten.
 *
 * @module
 */
import type { Provider } from "latchkey"
import FortyTwo from "latchkey/providers/42-school"
import Adobe from "latchkey/providers/adobe"
import Amazon from "latchkey/providers/amazon"
import Apple from "latchkey/providers/apple"
import Asgardeo from "latchkey/providers/asgardeo"
import Atlassian from "latchkey/providers/atlassian"
import Auth0 from "latchkey/providers/auth0"
import Authelia from "latchkey/providers/authelia"
import Authentik from "latchkey/providers/authentik"
import AzureAD from "latchkey/providers/azure-ad"
import AzureADB2C from "latchkey/providers/azure-ad-b2c"
import AzureDevOps from "latchkey/providers/azure-devops"
import BankIDNorway from "latchkey/providers/bankid-no"
import BattleNet from "latchkey/providers/battlenet"
import BeyondIdentity from "latchkey/providers/beyondidentity"
import Bitbucket from "latchkey/providers/bitbucket"
import Box from "latchkey/providers/box"
import BoxyHQSAML from "latchkey/providers/boxyhq-saml"
import Bungie from "latchkey/providers/bungie"
import Clerk from "latchkey/providers/clerk"
import ClickUp from "latchkey/providers/click-up"
import Cognito from "latchkey/providers/cognito"
import Coinbase from "latchkey/providers/coinbase"
import Concept2 from "latchkey/providers/concept2"
import Credentials from "latchkey/providers/credentials"
import Descope from "latchkey/providers/descope"
import DigitalOcean from "latchkey/providers/digitalocean"
import Discord from "latchkey/providers/discord"
import Dribbble from "latchkey/providers/dribbble"
import Dropbox from "latchkey/providers/dropbox"
import DuendeIdentityServer6 from "latchkey/providers/duende-identity-server6"
import Email from "latchkey/providers/email"
import EpicGames from "latchkey/providers/epic-games"
import Eventbrite from "latchkey/providers/eventbrite"
import EVEOnline from "latchkey/providers/eveonline"
import Facebook from "latchkey/providers/facebook"
import FACEIT from "latchkey/providers/faceit"
import Figma from "latchkey/providers/figma"
import ForwardEmail from "latchkey/providers/forwardemail"
import Foursquare from "latchkey/providers/foursquare"
import Freshbooks from "latchkey/providers/freshbooks"
import Frontegg from "latchkey/providers/frontegg"
import FusionAuth from "latchkey/providers/fusionauth"
import Gitea from "latchkey/providers/gitea"
import GitHub from "latchkey/providers/github"
import GitLab from "latchkey/providers/gitlab"
import Globus from "latchkey/providers/globus"
import Google from "latchkey/providers/google"
import HackClub from "latchkey/providers/hackclub"
import HubSpot from "latchkey/providers/hubspot"
import Huggingface from "latchkey/providers/huggingface"
import IdentityServer4 from "latchkey/providers/identity-server4"
import Instagram from "latchkey/providers/instagram"
import Intuit from "latchkey/providers/intuit"
import Kakao from "latchkey/providers/kakao"
import Keycloak from "latchkey/providers/keycloak"
import Kinde from "latchkey/providers/kinde"
import LINE from "latchkey/providers/line"
import Linear from "latchkey/providers/linear"
import LinkedIn from "latchkey/providers/linkedin"
import LoginGov from "latchkey/providers/login-gov"
import Logto from "latchkey/providers/logto"
import Loops from "latchkey/providers/loops"
import Mailchimp from "latchkey/providers/mailchimp"
import Mailgun from "latchkey/providers/mailgun"
import Mailru from "latchkey/providers/mailru"
import Mastodon from "latchkey/providers/mastodon"
import Mattermost from "latchkey/providers/mattermost"
import Medium from "latchkey/providers/medium"
import MicrosoftEntraID from "latchkey/providers/microsoft-entra-id"
import Naver from "latchkey/providers/naver"
import Netlify from "latchkey/providers/netlify"
import NetSuite from "latchkey/providers/netsuite"
import Nextcloud from "latchkey/providers/nextcloud"
import Nodemailer from "latchkey/providers/nodemailer"
import Notion from "latchkey/providers/notion"
import OAuth2 from "latchkey/providers/oauth2"
import OIDC from "latchkey/providers/oidc"
import Okta from "latchkey/providers/okta"
import OneLogin from "latchkey/providers/onelogin"
import ORCID from "latchkey/providers/orcid"
import OryHydra from "latchkey/providers/ory-hydra"
import Osso from "latchkey/providers/osso"
import Osu from "latchkey/providers/osu"
import Passage from "latchkey/providers/passage"
import Passkey from "latchkey/providers/passkey"
import Patreon from "latchkey/providers/patreon"
import PayPal from "latchkey/providers/paypal"
import PingId from "latchkey/providers/ping-id"
import Pinterest from "latchkey/providers/pinterest"
import Pipedrive from "latchkey/providers/pipedrive"
import PocketID from "latchkey/providers/pocket-id"
import Postmark from "latchkey/providers/postmark"
import Reddit from "latchkey/providers/reddit"
import Resend from "latchkey/providers/resend"
import Roblox from "latchkey/providers/roblox"
import Salesforce from "latchkey/providers/salesforce"
import SAP from "latchkey/providers/sap"
import SendGrid from "latchkey/providers/sendgrid"
import SimpleLogin from "latchkey/providers/simplelogin"
import Slack from "latchkey/providers/slack"
import Snapchat from "latchkey/providers/snapchat"
import Spotify from "latchkey/providers/spotify"
import Strava from "latchkey/providers/strava"
import Supabase from "latchkey/providers/supabase"
import Telegram from "latchkey/providers/telegram"
import Threads from "latchkey/providers/threads"
import TikTok from "latchkey/providers/tiktok"
import Todoist from "latchkey/providers/todoist"
import Trakt from "latchkey/providers/trakt"
import Twitch from "latchkey/providers/twitch"
import Twitter from "latchkey/providers/twitter"
import UnitedEffects from "latchkey/providers/united-effects"
import Vipps from "latchkey/providers/vipps"
import VK from "latchkey/providers/vk"
import WebAuthn from "latchkey/providers/webauthn"
import Webex from "latchkey/providers/webex"
import WeChat from "latchkey/providers/wechat"
import Wikimedia from "latchkey/providers/wikimedia"
import WordPress from "latchkey/providers/wordpress"
import WorkOS from "latchkey/providers/workos"
import Yahoo from "latchkey/providers/yahoo"
import Yandex from "latchkey/providers/yandex"
import ZITADEL from "latchkey/providers/zitadel"
import Zoho from "latchkey/providers/zoho"
import Zoom from "latchkey/providers/zoom"

/** As an application has them: nobody knows whether a variable is set. */
const given: Record<"clientId" | "clientSecret" | "issuer", string | undefined> = {
  clientId: process.env["ID"],
  clientSecret: process.env["SECRET"],
  issuer: process.env["ISSUER"],
}
const mail = { apiKey: "key", server: "smtp://localhost", from: "a@b.test" }

export const everyProvider: Provider[] = [
  ...[FortyTwo, FortyTwo(given)],
  ...[Adobe, Adobe(given)],
  ...[Amazon, Amazon(given)],
  ...[Apple, Apple(given)],
  ...[Asgardeo, Asgardeo(given)],
  ...[Atlassian, Atlassian(given)],
  ...[Auth0, Auth0(given)],
  ...[Authelia, Authelia(given)],
  ...[Authentik, Authentik(given)],
  ...[AzureADB2C, AzureADB2C(given)],
  ...[AzureAD, AzureAD(given)],
  ...[AzureDevOps, AzureDevOps(given)],
  ...[BankIDNorway, BankIDNorway(given)],
  ...[BattleNet, BattleNet(given)],
  ...[BeyondIdentity, BeyondIdentity(given)],
  ...[Bitbucket, Bitbucket(given)],
  ...[Box, Box(given)],
  ...[BoxyHQSAML, BoxyHQSAML(given)],
  ...[Bungie, Bungie(given)],
  ...[Clerk, Clerk(given)],
  ...[ClickUp, ClickUp(given)],
  ...[Cognito, Cognito(given)],
  ...[Coinbase, Coinbase(given)],
  ...[Concept2, Concept2(given)],
  ...[Credentials, Credentials({ credentials: { name: {} }, authorize: async () => null })],
  ...[Descope, Descope(given)],
  ...[DigitalOcean, DigitalOcean(given)],
  ...[Discord, Discord(given)],
  ...[Dribbble, Dribbble(given)],
  ...[Dropbox, Dropbox(given)],
  ...[DuendeIdentityServer6, DuendeIdentityServer6(given)],
  ...[Email, Email(mail)],
  ...[EpicGames, EpicGames(given)],
  ...[Eventbrite, Eventbrite(given)],
  ...[EVEOnline, EVEOnline(given)],
  ...[Facebook, Facebook(given)],
  ...[FACEIT, FACEIT(given)],
  ...[Figma, Figma(given)],
  ...[ForwardEmail, ForwardEmail(mail)],
  ...[Foursquare, Foursquare(given)],
  ...[Freshbooks, Freshbooks(given)],
  ...[Frontegg, Frontegg(given)],
  ...[FusionAuth, FusionAuth(given)],
  ...[Gitea, Gitea(given)],
  ...[GitHub, GitHub(given)],
  ...[GitLab, GitLab(given)],
  ...[Globus, Globus(given)],
  ...[Google, Google(given)],
  ...[HackClub, HackClub(given)],
  ...[HubSpot, HubSpot(given)],
  ...[Huggingface, Huggingface(given)],
  ...[IdentityServer4, IdentityServer4(given)],
  ...[Instagram, Instagram(given)],
  ...[Intuit, Intuit(given)],
  ...[Kakao, Kakao(given)],
  ...[Keycloak, Keycloak(given)],
  ...[Kinde, Kinde(given)],
  ...[LINE, LINE(given)],
  ...[Linear, Linear(given)],
  ...[LinkedIn, LinkedIn(given)],
  ...[LoginGov, LoginGov(given)],
  ...[Logto, Logto(given)],
  ...[Loops, Loops(mail)],
  ...[Mailchimp, Mailchimp(given)],
  ...[Mailgun, Mailgun(mail)],
  ...[Mailru, Mailru(given)],
  ...[Mastodon, Mastodon(given)],
  ...[Mattermost, Mattermost(given)],
  ...[Medium, Medium(given)],
  ...[MicrosoftEntraID, MicrosoftEntraID(given)],
  ...[Naver, Naver(given)],
  ...[Netlify, Netlify(given)],
  ...[NetSuite, NetSuite(given)],
  ...[Nextcloud, Nextcloud(given)],
  ...[Nodemailer, Nodemailer(mail)],
  ...[Notion, Notion(given)],
  ...[OAuth2, OAuth2(given)],
  ...[OIDC, OIDC(given)],
  ...[Okta, Okta(given)],
  ...[OneLogin, OneLogin(given)],
  ...[ORCID, ORCID(given)],
  ...[OryHydra, OryHydra(given)],
  ...[Osso, Osso(given)],
  ...[Osu, Osu(given)],
  ...[Passage, Passage(given)],
  ...[Patreon, Patreon(given)],
  ...[PayPal, PayPal(given)],
  ...[Passkey, Passkey({ relayingParty: { id: "example.com" } })],
  ...[PingId, PingId(given)],
  ...[Pinterest, Pinterest(given)],
  ...[Pipedrive, Pipedrive(given)],
  ...[PocketID, PocketID(given)],
  ...[Postmark, Postmark(mail)],
  ...[Reddit, Reddit(given)],
  ...[Resend, Resend(mail)],
  ...[Roblox, Roblox(given)],
  ...[Salesforce, Salesforce(given)],
  ...[SAP, SAP(given)],
  ...[SendGrid, SendGrid(mail)],
  ...[SimpleLogin, SimpleLogin(given)],
  ...[Slack, Slack(given)],
  ...[Snapchat, Snapchat(given)],
  ...[Spotify, Spotify(given)],
  ...[Strava, Strava(given)],
  ...[Supabase, Supabase(given)],
  ...[Telegram, Telegram(given)],
  ...[Threads, Threads(given)],
  ...[TikTok, TikTok(given)],
  ...[Todoist, Todoist(given)],
  ...[Trakt, Trakt(given)],
  ...[Twitch, Twitch(given)],
  ...[Twitter, Twitter(given)],
  ...[UnitedEffects, UnitedEffects(given)],
  ...[Vipps, Vipps(given)],
  ...[VK, VK(given)],
  ...[WebAuthn, WebAuthn({ enableConditionalUI: false })],
  ...[Webex, Webex(given)],
  ...[WeChat, WeChat(given)],
  ...[Wikimedia, Wikimedia(given)],
  ...[WordPress, WordPress(given)],
  ...[WorkOS, WorkOS(given)],
  ...[Yahoo, Yahoo(given)],
  ...[Yandex, Yandex(given)],
  ...[ZITADEL, ZITADEL(given)],
  ...[Zoho, Zoho(given)],
  ...[Zoom, Zoom(given)],
]
