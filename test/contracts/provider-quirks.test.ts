import type { OAuth2Config, ProviderContext } from "../../lib/provider-kit/provider.js"
import Apple from "../../lib/providers/apple.js"
import Cognito from "../../lib/providers/cognito.js"
import Discord, { type DiscordProfile } from "../../lib/providers/discord.js"
import GitHub, { type GitHubProfile } from "../../lib/providers/github.js"
import GitLab, { type GitLabProfile } from "../../lib/providers/gitlab.js"
import LinkedIn from "../../lib/providers/linkedin.js"
import * as sample from "./support/samples.js"
import { type Answer, startVendor, type Vendor } from "./support/vendor.js"

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(() => vendor.close())

/** Calls userinfo.request as the core does: with the merged provider, the tokens and a `fetch`. */
function request<P>(provider: OAuth2Config<P>, context: Partial<ProviderContext> = {}): Promise<P> {
  return provider.userinfo.request({ tokens: { access_token: "at" }, provider, fetch, ...context })
}

const github = () => GitHub({ enterprise: { baseUrl: vendor.origin } })
const gitlab = () => GitLab({ baseUrl: vendor.origin })
/** Discord has one URL, which an application's option overrides when it is merged. */
const discord = (): OAuth2Config<DiscordProfile> => {
  const provider = Discord({})
  return { ...provider, userinfo: { ...provider.userinfo, url: new URL("/api/users/@me", vendor.origin) } }
}

// biome-ignore lint/suspicious/noExplicitAny: each provider has a different profile
describe.each<[string, string, () => OAuth2Config<any>, { id: unknown }]>([
  ["github", "/api/v3/user", github, sample.github],
  ["gitlab", "/api/v4/user", gitlab, sample.gitlab],
  ["discord", "/api/users/@me", discord, sample.discord],
])("%s's userinfo request", (id, path, provider, profile) => {
  it("sends the access token in a header", async () => {
    vendor.answer({ [path]: { body: profile } })
    expect(await request(provider())).toMatchObject({ id: profile.id })
    expect(vendor.asked[0]).toMatchObject({ method: "GET", path, headers: { authorization: "Bearer at" } })
  })

  it("uses the given fetch", async () => {
    vendor.answer({})
    const paths: string[] = []
    const own: typeof fetch = async (input) => {
      paths.push(new URL(String(input)).pathname)
      return Response.json(profile)
    }
    await request(provider(), { fetch: own })
    expect(paths).toEqual([path])
    expect(vendor.asked).toHaveLength(0)
  })

  it("uses the global fetch by default", async () => {
    vendor.answer({ [path]: { body: profile } })
    const { userinfo } = provider()
    const answer = await userinfo.request({ tokens: { access_token: "at" }, provider: { userinfo } })
    expect(answer).toMatchObject({ id: profile.id })
  })

  it("uses the factory's URL if the provider has none", async () => {
    const own = jest.fn<Promise<Response>, [string | URL]>(async () => Response.json(profile))
    await request(provider(), { provider: {}, fetch: own as unknown as typeof fetch })
    const origin = id === "discord" ? "https://discord.com" : vendor.origin
    expect(String(own.mock.calls[0]?.[0])).toBe(`${origin}${path}`)
  })

  it.each([401, 403, 404, 429, 500, 302])("reports path and status for status %d", async (status) => {
    vendor.answer({ [path]: { status, headers: { location: "/elsewhere" } } })
    const manual: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" })
    const failed = request(provider(), { fetch: manual })
    await expect(failed).rejects.toThrow(new RegExp(`${path.replaceAll(/[/.]/g, "\\$&")} answered ${status}$`))
    expect(vendor.asked).toHaveLength(1)
  })
})

describe("github", () => {
  const user = { ...sample.github, email: null }
  const emailsAnswer = (answer: Answer) =>
    vendor.answer({ "/api/v3/user": { body: user }, "/api/v3/user/emails": answer })

  it("sends a User-Agent, as GitHub requires", async () => {
    vendor.answer({ "/api/v3/user": { body: sample.github } })
    await request(github())
    expect(vendor.asked[0]?.headers["user-agent"]).toBe("latchkey")
  })

  it("uses a public address without another request", async () => {
    vendor.answer({ "/api/v3/user": { body: sample.github } })
    const profile = await request(github())
    expect(profile.email).toBe("octocat@github.com")
    expect(profile).not.toHaveProperty("email_verified")
    expect(vendor.asked).toHaveLength(1)
  })

  it.each([null, "", undefined])("uses the primary verified address if the public one is %p", async (email) => {
    vendor.answer({
      "/api/v3/user": { body: { ...user, email } },
      "/api/v3/user/emails": { body: sample.githubEmails },
    })
    expect(await request(github())).toMatchObject({ email: "octocat@github.com", email_verified: true })
    expect(vendor.asked[1]).toMatchObject({
      path: "/api/v3/user/emails?per_page=100",
      headers: { authorization: "Bearer at", "user-agent": "latchkey" },
    })
  })

  const address = (email: string, primary: boolean, verified: unknown) => ({ email, primary, verified })
  it.each([
    ["unverified", [address("victim@example.com", true, false), address("mine@example.com", false, true)]],
    ["of unknown verification", [address("victim@example.com", true, undefined)]],
    ["verified as text only", [address("victim@example.com", true, "false")]],
    ["missing", []],
  ])("uses no address if the primary one is %s", async (_, emails) => {
    emailsAnswer({ body: emails })
    const profile = await request(github())
    expect(profile).toMatchObject({ id: 1, email: null, email_verified: false })
  })

  it.each([
    ["the scope is missing", { status: 404 }],
    ["the app lacks permission", { status: 403, body: { message: "Resource not accessible by integration" } }],
  ])("signs in without an address if %s", async (_, answer) => {
    emailsAnswer(answer)
    expect(await request(github())).toMatchObject({ id: 1, email: null, email_verified: false })
  })

  it.each<[string, Answer, number]>([
    ["the rate limit is exceeded", { status: 403, headers: { "x-ratelimit-remaining": "0" } }, 403],
    ["the response has retry-after", { status: 403, headers: { "retry-after": "60" } }, 403],
    ["the token is rejected", { status: 401 }, 401],
    ["GitHub is down", { status: 502 }, 502],
  ])("fails if %s, instead of signing in without an address", async (_, answer, status) => {
    emailsAnswer(answer)
    await expect(request(github())).rejects.toThrow(`/api/v3/user/emails answered ${status}`)
  })

  it("requests addresses with a custom userinfo endpoint too", async () => {
    vendor.answer({ "/gh/user": { body: user }, "/gh/user/emails": { body: sample.githubEmails } })
    const provider = { userinfo: { url: `${vendor.origin}/gh/user` } }
    expect(await request(github(), { provider })).toMatchObject({ email_verified: true })
  })

  it.each([
    ["https://github.example.com", "https://github.example.com", "https://github.example.com/api/v3/user"],
    ["https://github.example.com/", "https://github.example.com", "https://github.example.com/api/v3/user"],
    ["https://example.com/git", "https://example.com/git", "https://example.com/git/api/v3/user"],
    ["https://octocorp.ghe.com", "https://octocorp.ghe.com", "https://api.octocorp.ghe.com/user"],
    ["https://github.com/", "https://github.com", "https://api.github.com/user"],
    ["https://ghe.com.example.com", "https://ghe.com.example.com", "https://ghe.com.example.com/api/v3/user"],
    [undefined, "https://github.com", "https://api.github.com/user"],
  ])("supports the base URL %s", (baseUrl, base, userUrl) => {
    const provider = GitHub({ enterprise: { baseUrl } })
    expect(provider).toMatchObject({
      issuer: `${base}/login/oauth`,
      authorization: { url: `${base}/login/oauth/authorize` },
      token: `${base}/login/oauth/access_token`,
      userinfo: { url: userUrl },
    })
  })

  it("leaves an invalid base URL to the configuration check", () => {
    expect(() => GitHub({ enterprise: { baseUrl: "github.example.com" } })).not.toThrow()
  })

  it("types its options", () => {
    const typed: GitHubProfile = { ...sample.github, hireable: null }
    expect(typed.login).toBe("octocat")
  })
})

describe("gitlab", () => {
  it.each([
    ["https://git.example.com", "https://git.example.com"],
    ["https://git.example.com/", "https://git.example.com"],
    ["https://example.com/gitlab", "https://example.com/gitlab"],
    ["https://example.com/gitlab//", "https://example.com/gitlab"],
    [new URL("https://git.example.com"), "https://git.example.com"],
    [undefined, "https://gitlab.com"],
  ])("supports the base URL %s", (baseUrl, base) => {
    expect(GitLab({ baseUrl })).toMatchObject({
      authorization: { url: `${base}/oauth/authorize`, params: { scope: "read_user" } },
      token: `${base}/oauth/token`,
      userinfo: { url: `${base}/api/v4/user` },
    })
  })

  it.each([
    ["2012-05-23T09:05:22Z", true],
    [null, false],
    ["", false],
  ])("an address confirmed at %p is verified: %p", async (confirmed_at, verified) => {
    vendor.answer({ "/api/v4/user": { body: { ...sample.gitlab, confirmed_at } } })
    expect(await request(gitlab())).toMatchObject({ email_verified: verified })
  })

  it("does not state verification if the instance does not", async () => {
    const { confirmed_at: _, ...silent } = sample.gitlab
    vendor.answer({ "/api/v4/user": { body: silent } })
    expect(await request(gitlab())).not.toHaveProperty("email_verified")
  })

  it("types its options", () => {
    const typed: GitLabProfile = sample.gitlab
    expect(typed.username).toBe("john_smith")
  })
})

describe("discord", () => {
  const cdn = "https://cdn.discordapp.com"
  const image = async (profile: Partial<DiscordProfile>) =>
    (await Discord({}).profile?.({ ...sample.discord, ...profile }, {}))?.image

  it.each([
    ["a picture", { avatar: "8342" }, `${cdn}/avatars/80351110224678912/8342.png`],
    ["an animated picture", { avatar: "a_8342" }, `${cdn}/avatars/80351110224678912/a_8342.gif`],
    ["no image, with a discriminator", { avatar: null, discriminator: "1337" }, `${cdn}/embed/avatars/2.png`],
    ["no image, without a discriminator", { avatar: null, discriminator: "0" }, `${cdn}/embed/avatars/5.png`],
    // An id above 2^53, which a plain number would round.
    [
      "no image, with a long id",
      { avatar: null, discriminator: "0", id: "1199999999996329983" },
      `${cdn}/embed/avatars/0.png`,
    ],
    [
      "no image, with an id that is not a number",
      { avatar: null, discriminator: "0", id: "nelly" },
      `${cdn}/embed/avatars/0.png`,
    ],
  ])("maps %s", async (_, profile, address) => {
    expect(await image(profile)).toBe(address)
  })

  it.each([
    [true, true],
    [false, false],
    [null, false],
    ["true", false],
    [undefined, false],
  ])("an address with verified: %p is verified: %p", async (verified, expected) => {
    vendor.answer({ "/api/users/@me": { body: { ...sample.discord, verified } } })
    expect(await request(discord())).toMatchObject({ email_verified: expected })
  })

  it("adds image_url to the profile, as callbacks of Auth.js applications expect", async () => {
    vendor.answer({ "/api/users/@me": { body: sample.discord } })
    expect(await request(discord())).toMatchObject({ image_url: await image({}) })
  })
})

describe("vendors that send email_verified as text", () => {
  const cognito = Cognito({ issuer: "https://cognito-idp.eu-central-1.amazonaws.com/x" })

  it.each([
    ["apple", Apple({})],
    ["cognito, from userinfo", cognito],
    ["linkedin", LinkedIn({})],
  ])('%s: "true" is accepted', (_name, { isEmailVerified }) => {
    const results = [true, "true", false, "false", undefined, 1, "TRUE", [true]].map((email_verified) =>
      isEmailVerified?.({ ...sample.apple, email_verified } as never),
    )
    expect(results).toEqual([true, true, false, false, false, false, false, false])
  })

  it.each([
    ["apple", Apple({})],
    ["cognito", cognito],
    ["linkedin", LinkedIn({})],
  ])("%s: a missing address is unverified", (_name, { isEmailVerified }) => {
    for (const email_verified of [true, "true"])
      expect(isEmailVerified?.({ ...sample.apple, email: undefined, email_verified } as never)).toBe(false)
  })
})

describe("apple", () => {
  const mapName = async (user: unknown) => (await Apple({}).profile?.({ ...sample.apple, user } as never, {}))?.name

  it.each([
    ["first and last", { name: { firstName: "Jane", lastName: "Appleseed" } }, "Jane Appleseed"],
    ["first only", { name: { firstName: "Jane" } }, "Jane"],
    ["last only", { name: { firstName: "", lastName: "Appleseed" } }, "Appleseed"],
    ["no text", { name: { firstName: { toString: "x" }, lastName: 7 } }, sample.apple.email],
    ["empty", { name: {} }, sample.apple.email],
    ["no name", { email: "jane@example.com" }, sample.apple.email],
    ["null", { name: null }, sample.apple.email],
    ["missing after the first sign-in", undefined, sample.apple.email],
  ])("maps a name: %s", async (_, user, name) => {
    expect(await mapName(user)).toBe(name)
  })

  it("ignores an address in the posted user object, which is unsigned", async () => {
    const posted = { ...sample.apple, user: { name: { firstName: "Eve" }, email: "victim@example.com" } }
    expect(await Apple({}).profile?.(posted as never, {})).toMatchObject({ email: sample.apple.email })
    const { email: _, ...hidden } = posted
    expect(await Apple({}).profile?.(hidden as never, {})).toMatchObject({ email: null })
  })
})
