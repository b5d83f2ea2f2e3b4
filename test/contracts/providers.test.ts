import type { OAuthConfig, Provider, ProviderContext } from "../../lib/provider-kit/provider.js"
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
import { customFetch } from "../../lib/symbols.js"
import type { User } from "../../lib/types.js"
import { type Factory, loadFactory, PROVIDER_FILES } from "./support/factories.js"
import * as sample from "./support/samples.js"

const REQUIRED = [
  "apple",
  "auth0",
  "credentials",
  "discord",
  "email",
  "forwardemail",
  "github",
  "gitlab",
  "google",
  "keycloak",
  "loops",
  "mailgun",
  "microsoft-entra-id",
  "nodemailer",
  "okta",
  "postmark",
  "resend",
  "sendgrid",
]

/** As in Auth.js, these factories merge their options when they are called and have no member `options`. */
const TAKE_OPTIONS_AT_ONCE = ["passkey", "webauthn"]

/** Providers whose id differs from the name of their file, as in Auth.js. */
const OTHER_IDS: Readonly<Record<string, string>> = { "ory-hydra": "hydra" }

/** Factories that throw without the address of a mail server. */
const NEED_A_SERVER = ["email", "nodemailer"]

// biome-ignore lint/suspicious/noExplicitAny: each provider has a different profile
type AnyOAuth = OAuthConfig<any>

const OPTIONS = Object.freeze({
  clientId: "an-id",
  clientSecret: "a-secret",
  issuer: "https://issuer.example.com",
  server: "smtp://127.0.0.1",
})

/** Fails a test whose profile() calls the vendor. */
const noNetwork: ProviderContext = {
  tokens: {},
  provider: {},
  fetch: () => Promise.reject(new Error("the network was used")),
}

async function mapProfile(provider: AnyOAuth, profile: unknown): Promise<User> {
  if (!provider.profile) throw new Error(`${provider.id} has no profile()`)
  return provider.profile(profile, { access_token: "at" }, noNetwork)
}

/** Runs a check for every provider and returns the failures by file, so that one test reports all of them. */
async function collectFailures(
  files: readonly string[],
  check: (factory: Factory, file: string) => void,
): Promise<object> {
  const failures: Record<string, string> = {}
  for (const file of files) {
    const factory = await loadFactory(file)
    try {
      check(factory, file)
    } catch (error) {
      failures[file] = String(error)
    }
  }
  return failures
}

describe("every provider", () => {
  const files = PROVIDER_FILES.filter((file) => !TAKE_OPTIONS_AT_ONCE.includes(file))
  const expectedId = (file: string) => OTHER_IDS[file] ?? file

  it("has a file", () => {
    expect(PROVIDER_FILES).toEqual(expect.arrayContaining(REQUIRED))
    expect(files.length).toBeGreaterThan(115)
  })

  it("keeps the options that it was given", async () => {
    const failures = await collectFailures(files, (factory, file) => {
      const provider = factory(OPTIONS)
      expect(provider).toMatchObject({
        id: expectedId(file),
        name: expect.stringMatching(/\w/),
        type: expect.any(String),
      })
      expect(provider.options).toBe(OPTIONS)
    })
    expect(failures).toEqual({})
  })

  it("can be created without options, unless it needs a mail server", async () => {
    const failures = await collectFailures(files, (factory, file) => {
      if (NEED_A_SERVER.includes(file)) expect(() => factory({})).toThrow("server is missing")
      else expect(factory({})).toMatchObject({ id: expectedId(file), options: {} })
    })
    expect(failures).toEqual({})
  })

  it("shares no mutable object with another instance", async () => {
    const failures = await collectFailures(files, (factory) => {
      const [first, second] = [factory(OPTIONS), factory(OPTIONS)]
      for (const [name, value] of Object.entries(first)) {
        if (name === "options" || typeof value !== "object") continue
        expect(value).not.toBe(Reflect.get(second, name))
      }
    })
    expect(failures).toEqual({})
  })

  it("keeps the application's fetch among its options", async () => {
    const own = async () => new Response()
    const failures = await collectFailures(files, (factory) => {
      expect(factory({ ...OPTIONS, [customFetch]: own }).options[customFetch]).toBe(own)
    })
    expect(failures).toEqual({})
  })
})

describe("the authorization request", () => {
  const url = (provider: AnyOAuth) => provider.authorization?.url
  const params = (provider: AnyOAuth) => provider.authorization?.params

  it.each([
    [GitHub({}), "https://github.com/login/oauth/authorize", { scope: "read:user user:email" }],
    [GitLab({}), "https://gitlab.com/oauth/authorize", { scope: "read_user" }],
    [Discord({}), "https://discord.com/api/oauth2/authorize", { scope: "identify email" }],
  ])("of $id has the documented URL and scope", (provider, address, parameters) => {
    expect(provider.type).toBe("oauth")
    expect(url(provider)).toBe(address)
    expect(params(provider)).toEqual(parameters)
    // The core's defaults apply: pkce and state, and client_secret_basic.
    expect(provider).not.toHaveProperty("checks")
    expect(provider).not.toHaveProperty("client")
  })

  it.each([
    [GitHub({}), "https://github.com/login/oauth/access_token", "https://api.github.com/user"],
    [GitLab({}), "https://gitlab.com/oauth/token", "https://gitlab.com/api/v4/user"],
    [Discord({}), "https://discord.com/api/oauth2/token", "https://discord.com/api/users/@me"],
  ])("of $id belongs to a provider with the documented token and userinfo endpoints", (provider, token, userinfo) => {
    expect(provider.token).toBe(token)
    expect(provider.userinfo).toEqual({ url: userinfo, request: expect.any(Function) })
  })

  const defaults = { authorization: undefined, checks: undefined, client: undefined }
  const required = { issuer: OPTIONS.issuer }
  it.each([
    [Google({}), { ...defaults, issuer: "https://accounts.google.com" }],
    [Auth0(required), { ...defaults, issuer: undefined }],
    [Okta(required), { ...defaults, issuer: undefined }],
    [Keycloak(required), { ...defaults, issuer: undefined }],
    [
      MicrosoftEntraID({}),
      {
        ...defaults,
        issuer: "https://login.microsoftonline.com/common/v2.0",
        authorization: { params: { scope: "openid profile email User.Read" } },
      },
    ],
    [
      Apple({}),
      {
        issuer: "https://appleid.apple.com",
        authorization: { params: { scope: "name email", response_mode: "form_post" } },
        checks: ["nonce", "state"],
        client: { token_endpoint_auth_method: "client_secret_post" },
      },
    ],
  ])("of $id is derived from its issuer and the listed options", (provider, expected) => {
    const { type, issuer, authorization, checks, client } = provider
    expect({ type, issuer, authorization, checks, client }).toEqual({ type: "oidc", ...expected })
    expect(provider).not.toHaveProperty("token")
    expect(provider).not.toHaveProperty("userinfo")
  })

  it("keeps the trailing slash of Auth0's issuer", () => {
    expect(Auth0({ issuer: "https://tenant.eu.auth0.com/" }).options?.issuer).toBe("https://tenant.eu.auth0.com/")
  })
})

describe("profiles", () => {
  const mapping: [string, AnyOAuth, Record<string, unknown>, User][] = [
    [
      "github",
      GitHub({}),
      sample.github,
      { id: "1", name: "monalisa octocat", email: "octocat@github.com", image: sample.github.avatar_url },
    ],
    [
      "gitlab",
      GitLab({}),
      sample.gitlab,
      { id: "1", name: "John Smith", email: "john@example.com", image: sample.gitlab.avatar_url },
    ],
    [
      "discord",
      Discord({}),
      sample.discord,
      {
        id: "80351110224678912",
        name: "Nelly",
        email: "nelly@discord.com",
        image: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png",
      },
    ],
    [
      "apple",
      Apple({}),
      sample.apple,
      { id: sample.apple.sub, name: sample.apple.email, email: sample.apple.email, image: null },
    ],
    [
      "microsoft-entra-id",
      MicrosoftEntraID({}),
      sample.entra,
      { id: sample.entra.sub, name: "Abe Lincoln", email: "abeli@microsoft.com", image: null },
    ],
  ]

  it.each(mapping)("%s: maps the documented sample", async (_, provider, profile, user) => {
    expect(await mapProfile(provider, profile)).toEqual(user)
  })

  it.each(mapping)("%s: maps a profile that has only an id", async (_, provider, profile, { id }) => {
    const bare = Object.fromEntries(Object.entries(profile).filter(([name]) => name === "id" || name === "sub"))
    const user = await mapProfile(provider, bare)
    expect(user).toMatchObject({ id, name: null, email: null })
    expect(Object.values(user)).not.toContain(undefined)
    expect(JSON.stringify(user)).not.toMatch(/undefined|"null"|NaN/)
  })

  it.each(mapping)("%s: maps a profile whose other members are null", async (_, provider, profile, { id }) => {
    const nulls = Object.entries(profile).map(([name, value]) => [name, name === "id" || name === "sub" ? value : null])
    const user = await mapProfile(provider, Object.fromEntries(nulls))
    expect(user).toMatchObject({ id, name: null, email: null })
    expect(JSON.stringify(user)).not.toMatch(/undefined|"null"|NaN/)
  })

  const withoutId = [{}, { id: null, sub: null }, { id: undefined, sub: undefined }, { id: "", sub: "" }]
  it.each(mapping.flatMap(([id, provider]) => withoutId.map((profile) => [id, provider, profile] as const)))(
    "%s: throws a TypeError that names the provider for a profile without an id: %j",
    async (_, provider, profile) => {
      const error: unknown = await mapProfile(provider, profile).catch((reason) => reason)
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toContain(provider.name)
    },
  )

  it.each(mapping)("%s: does not modify the profile", async (_, provider, profile) => {
    await expect(mapProfile(provider, Object.freeze({ ...profile }))).resolves.toBeDefined()
  })

  it.each([Google({}), Auth0({ issuer: undefined }), Okta({ issuer: undefined }), Keycloak({ issuer: undefined })])(
    "$id: has no profile(), because the core maps standard claims",
    (provider) => {
      expect(provider).not.toHaveProperty("profile")
    },
  )

  it("github: uses the login when the name is missing", async () => {
    const user = await mapProfile(GitHub({}), { ...sample.github, name: null })
    expect(user.name).toBe("octocat")
  })

  it("gitlab: uses the username when the name is missing, and sub as the id", async () => {
    const { id: _, name: __, ...rest } = sample.gitlab
    const user = await mapProfile(GitLab({}), { ...rest, sub: "7" })
    expect(user).toMatchObject({ id: "7", name: "john_smith" })
  })

  it("discord: prefers the display name to the username", async () => {
    const user = await mapProfile(Discord({}), { ...sample.discord, global_name: "Nelly R." })
    expect(user.name).toBe("Nelly R.")
  })
})

describe("Credentials", () => {
  it("has no fields and rejects every sign-in by default", async () => {
    const provider = Credentials({})
    expect(provider).toMatchObject({ id: "credentials", name: "Credentials", type: "credentials", credentials: {} })
    expect(await provider.authorize({}, new Request("https://example.com"))).toBeNull()
  })

  it("keeps the options for the core to merge", async () => {
    const authorize = () => ({ id: "7" })
    const { options } = Credentials({ id: "ldap", name: "LDAP", credentials: { uid: { label: "User" } }, authorize })
    expect(options).toEqual({ id: "ldap", name: "LDAP", credentials: { uid: { label: "User" } }, authorize })
  })

  it("passes typed fields to authorize", async () => {
    const provider = Credentials({
      credentials: { username: { label: "User" }, password: { type: "password" } },
      authorize({ username, password, ...rest }, request) {
        const nothingElse: Record<string, never> = rest
        const fields: [unknown, unknown] = [username, password]
        return { id: String(fields[0]), name: new URL(request.url).hostname, ...nothingElse }
      },
    })
    // @ts-expect-error there is no such field
    provider.options?.authorize?.({ user: "a" }, new Request("https://example.com"))
    const user = await provider.options?.authorize?.({ username: "ada" }, new Request("https://example.com"))
    expect(user).toEqual({ id: "ada", name: "example.com" })
  })
})

describe("types", () => {
  it("accepts the documented forms", () => {
    const secrets = { clientId: process.env["NOT_SET"], clientSecret: process.env["NOT_SET"] }
    const providers: Provider[] = [
      GitHub,
      GitHub(secrets),
      GitHub({ ...secrets, enterprise: { baseUrl: process.env["NOT_SET"] } }),
      GitHub({ profile: ({ id, login }) => ({ id: String(id), name: login.toUpperCase() }) }),
      Google({ ...secrets, authorization: { params: { prompt: "consent" } }, checks: ["pkce", "nonce"] }),
      Keycloak,
      Keycloak({ ...secrets, issuer: process.env["NOT_SET"] }),
      Keycloak({
        issuer: "https://a.test",
        profile: (claims) => ({ id: claims.sub, name: claims["department"].name }),
      }),
      Auth0({ ...secrets, issuer: "https://tenant.eu.auth0.com/" }),
      MicrosoftEntraID({ ...secrets, tenants: ["72f988bf-86f1-41af-91ab-2d7cd011db47"], profilePhotoSize: false }),
      Credentials({ credentials: { pin: {} }, authorize: async ({ pin }) => (pin === "1" ? { id: "1" } : null) }),
    ]
    // @ts-expect-error the realm is missing
    providers.push(Keycloak({ ...secrets }))
    // @ts-expect-error Graph has no such size
    providers.push(MicrosoftEntraID({ profilePhotoSize: 50 }))
    expect(providers).toHaveLength(13)
  })
})
