import TheirApple from "@auth/core/providers/apple"
import TheirAuth0 from "@auth/core/providers/auth0"
import TheirCredentials from "@auth/core/providers/credentials"
import TheirDiscord from "@auth/core/providers/discord"
import TheirGitHub from "@auth/core/providers/github"
import TheirGitLab from "@auth/core/providers/gitlab"
import TheirGoogle from "@auth/core/providers/google"
import TheirKeycloak from "@auth/core/providers/keycloak"
import TheirMicrosoftEntraID from "@auth/core/providers/microsoft-entra-id"
import TheirOkta from "@auth/core/providers/okta"
import type { ProviderContext } from "../../lib/provider-kit/provider.js"
import Apple from "../../lib/providers/apple.js"
import Auth0 from "../../lib/providers/auth0.js"
import Credentials from "../../lib/providers/credentials.js"
import Discord from "../../lib/providers/discord.js"
import GitHub from "../../lib/providers/github.js"
import GitLab from "../../lib/providers/gitlab.js"
import Google from "../../lib/providers/google.js"
import Keycloak from "../../lib/providers/keycloak.js"
import MicrosoftEntraID from "../../lib/providers/microsoft-entra-id.js"
import Okta from "../../lib/providers/okta.js"
import { CATALOGUE, loadCase } from "./support/catalogue.js"
import { loadFactory } from "./support/factories.js"
import { differingFacts, isOfAuthJs, loadTheirs } from "./support/facts.js"
import * as sample from "./support/samples.js"

// biome-ignore lint/suspicious/noExplicitAny: the two packages have different types, and only data is compared
type Loose = any

const ISSUER = { issuer: "https://issuer.example.com" }
const GIT = "https://git.example.com"

/** The compared providers by name, with options for both. */
const CASES: Record<string, readonly [ours: Loose, theirs: Loose, options: object]> = {
  github: [GitHub, TheirGitHub, {}],
  "github, enterprise": [GitHub, TheirGitHub, { enterprise: { baseUrl: GIT } }],
  "github, enterprise with a slash": [GitHub, TheirGitHub, { enterprise: { baseUrl: `${GIT}/` } }],
  "github, enterprise at ghe.com": [GitHub, TheirGitHub, { enterprise: { baseUrl: "https://octocorp.ghe.com" } }],
  google: [Google, TheirGoogle, {}],
  "microsoft-entra-id": [MicrosoftEntraID, TheirMicrosoftEntraID, {}],
  "microsoft-entra-id, one tenant": [MicrosoftEntraID, TheirMicrosoftEntraID, ISSUER],
  apple: [Apple, TheirApple, {}],
  auth0: [Auth0, TheirAuth0, ISSUER],
  okta: [Okta, TheirOkta, ISSUER],
  keycloak: [Keycloak, TheirKeycloak, ISSUER],
  gitlab: [GitLab, TheirGitLab, {}],
  "gitlab, self-hosted": [GitLab, TheirGitLab, { baseUrl: GIT }],
  "gitlab, self-hosted with a slash": [GitLab, TheirGitLab, { baseUrl: `${GIT}/` }],
  "gitlab, self-hosted on a path": [GitLab, TheirGitLab, { baseUrl: `${GIT}/lab` }],
  discord: [Discord, TheirDiscord, {}],
  credentials: [Credentials, TheirCredentials, {}],
}

const ENDPOINTS = ["authorizationUrl", "token", "userinfo"]

/** Intended differences: the case, the differing facts and the reason. An outdated row fails. */
const DIFFERENCES: readonly { in: string; facts: readonly string[]; why: string }[] = [
  { in: "okta", facts: ["checks"], why: "not set: the core's default adds the nonce to pkce and state" },
  { in: "github, enterprise with a slash", facts: ["issuer", ...ENDPOINTS], why: "no doubled slash" },
  { in: "github, enterprise at ghe.com", facts: ["userinfo"], why: "GHE.com has its API at api.<name>.ghe.com" },
  { in: "gitlab, self-hosted on a path", facts: ENDPOINTS, why: "a slash separates the path and the endpoint" },
]

describe("our providers compared with Auth.js", () => {
  it.each(Object.entries(CASES))("%s: differs only in the listed facts", (name, [ours, theirs, options]) => {
    const listed = DIFFERENCES.filter((difference) => difference.in === name).flatMap(({ facts }) => facts)
    expect(differingFacts(ours, theirs, options).sort()).toEqual(listed.sort())
  })

  it.each(DIFFERENCES)("the listed difference names a compared provider: $in, $why", (difference) => {
    expect(Object.keys(CASES)).toContain(difference.in)
  })
})

describe("the whole catalogue", () => {
  it("equals Auth.js, except for the differences that each case lists", async () => {
    const found: Record<string, string[]> = {}
    const listed: Record<string, string[]> = {}
    for (const file of CATALOGUE.filter(isOfAuthJs)) {
      const { options = {}, differs = {} } = await loadCase(file)
      found[file] = differingFacts(await loadFactory(file), await loadTheirs(file), options).sort()
      listed[file] = Object.keys(differs)
        .filter((fact) => fact !== "user")
        .sort()
    }
    expect(found).toEqual(listed)
    expect(Object.keys(found).length).toBeGreaterThan(90)
  })
})

describe("the user from profile() compared with Auth.js", () => {
  const tokens = { access_token: "at" }
  const jpeg = new Uint8Array([0xff, 0xd8, 0xff])
  const graph: typeof fetch = async () => new Response(jpeg)
  const context: ProviderContext = { tokens, provider: {}, fetch: graph }
  const appleUser = { ...sample.apple, user: { name: { firstName: "Jane", lastName: "Appleseed" } } }
  const { avatar: _, ...withoutAvatar } = sample.discord

  it.each<[string, Loose, Loose, object]>([
    ["github", GitHub, TheirGitHub, sample.github],
    ["github, without a name", GitHub, TheirGitHub, { ...sample.github, name: null }],
    ["gitlab", GitLab, TheirGitLab, sample.gitlab],
    ["gitlab, with sub", GitLab, TheirGitLab, { ...sample.gitlab, sub: "7" }],
    ["discord", Discord, TheirDiscord, sample.discord],
    ["discord, animated", Discord, TheirDiscord, { ...sample.discord, avatar: "a_8342" }],
    ["discord, without a picture", Discord, TheirDiscord, { ...withoutAvatar, avatar: null }],
    [
      "discord, without a picture and discriminator",
      Discord,
      TheirDiscord,
      { ...withoutAvatar, avatar: null, discriminator: "0" },
    ],
    ["apple", Apple, TheirApple, sample.apple],
    ["apple, first sign-in", Apple, TheirApple, appleUser],
  ])("%s", async (_name, ours, theirs, profile) => {
    const own = await ours({}).profile({ ...profile }, tokens, context)
    expect(own).toEqual(await theirs({}).profile({ ...profile }, tokens))
  })

  it("microsoft-entra-id: equals except for a space in the data URL", async () => {
    const global = jest.spyOn(globalThis, "fetch").mockImplementation(graph)
    const theirs: Loose = await (TheirMicrosoftEntraID as Loose)({}).profile(sample.entra, tokens)
    global.mockRestore()
    const own = await (MicrosoftEntraID as Loose)({}).profile(sample.entra, tokens, context)
    expect(theirs.image).toContain("base64, ")
    expect(own).toEqual({ ...theirs, image: theirs.image.replace("base64, ", "base64,") })
  })
})
