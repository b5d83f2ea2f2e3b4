import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import { customFetch } from "../../../../lib/symbols.js"
import { BASE, callOf, providerOf, type Setting, settingOf } from "./setting.js"
import { nameOf, recordedStory } from "./stories.js"

async function told(provider: Partial<OAuthConfig> = {}) {
  const setting = settingOf(provider)
  const { story, lines } = recordedStory()
  const call = { ...(await callOf(setting, { path: "/signin/acme" })), story }
  const reply = await startOAuth(call, providerOf(setting), setting.runtime)
  return { lines, params: new URL(reply.location ?? "").searchParams, story }
}

const ASKED = `asks https://acme.test/authorize with client_id "our-client", redirect_uri "${BASE}/callback/acme"`
const OIDC = { type: "oidc", issuer: "https://acme.test" } as const

describe("the story of a sign-in that begins", () => {
  it.each<[Partial<OAuthConfig>, string]>([
    [{}, "pkce + state"],
    [OIDC, "pkce + state + nonce"],
    [{ checks: ["state"] }, "state"],
    [{ checks: ["pkce"] }, "pkce"],
    [{ ...OIDC, checks: ["nonce"] }, "nonce"],
  ])("says who asks for what, and by what the answer will be known: %j", async (provider, checks) => {
    const { lines } = await told(provider)
    const line = `${ASKED}, scope "openid profile email", checks ${checks}`
    expect(lines).toEqual([["oauth", expect.stringMatching(/^flow [0-9A-Z]{4} 1\.1 /)]])
    expect(lines[0]?.[1].slice("flow XXXX 1.1 ".length)).toBe(line)
  })

  it("says that nothing is checked, and has no name by itself then", async () => {
    const { lines, story } = await told({
      checks: ["none"],
      authorization: { url: "https://acme.test/authorize", params: { scope: "" } },
    })
    expect(lines).toEqual([])
    story.settle()
    expect(lines[0]?.[1]).toMatch(new RegExp(` 1\\.1 ${ASKED.replace(/[.?]/g, "\\$&")}, scope null, checks none$`))
  })

  it("has a name by what comes back", async () => {
    const known: [Partial<OAuthConfig>, string][] = [
      [{}, "state"],
      [OIDC, "state"],
      [{ ...OIDC, checks: ["nonce"] }, "nonce"],
    ]
    for (const [provider, parameter] of known) {
      const { lines, params } = await told(provider)
      expect(lines[0]?.[1].split(" ")[1]).toBe(nameOf(params.get(parameter) ?? ""))
    }
  })
})

describe("a sign-in that does not begin says why, by its code", () => {
  const failure = async (setting: Setting) =>
    startOAuth(await callOf(setting, { path: "/signin/acme" }), providerOf(setting), setting.runtime).then(
      () => undefined,
      (error: unknown) => error,
    )
  const discovering = (answer: () => Response) =>
    settingOf({
      ...OIDC,
      authorization: undefined,
      token: undefined,
      userinfo: undefined,
      [customFetch]: async () => answer(),
    })
  const issuer = OIDC.issuer

  it.each<[string, () => Response]>([
    ["sign-in-not-begun", () => Response.json({ issuer })],
    ["provider-url-insecure", () => Response.json({ issuer, authorization_endpoint: "http://acme.test/authorize" })],
    ["issuer-mismatch", () => Response.json({ issuer: "https://other.test" })],
    ["provider-unreachable", () => new Response(null, { status: 503 })],
  ])("%s", async (messageCode, answer) => {
    expect(await failure(discovering(answer))).toMatchObject({ type: "OAuthSignInError", messageCode })
  })
})
