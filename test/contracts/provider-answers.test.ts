/**
 * Vendor behaviour that a single catalogue case cannot cover: unverified addresses, errors with status 200, secrets in
 * URLs, and alternative token responses.
 *
 * @module
 */

import type { OAuth2Config } from "../../lib/provider-kit/provider.js"
import { callVendorApi, repairTokenResponse } from "../../lib/provider-kit/vendor.js"
import AzureDevOps from "../../lib/providers/azure-devops.js"
import Bungie from "../../lib/providers/bungie.js"
import ClickUp from "../../lib/providers/click-up.js"
import Dropbox from "../../lib/providers/dropbox.js"
import Eventbrite from "../../lib/providers/eventbrite.js"
import Facebook from "../../lib/providers/facebook.js"
import Foursquare from "../../lib/providers/foursquare.js"
import HubSpot from "../../lib/providers/hubspot.js"
import Instagram from "../../lib/providers/instagram.js"
import Kakao from "../../lib/providers/kakao.js"
import Mailchimp from "../../lib/providers/mailchimp.js"
import Mailru from "../../lib/providers/mailru.js"
import Mattermost from "../../lib/providers/mattermost.js"
import Medium from "../../lib/providers/medium.js"
import Nextcloud from "../../lib/providers/nextcloud.js"
import Notion from "../../lib/providers/notion.js"
import Patreon from "../../lib/providers/patreon.js"
import Pinterest from "../../lib/providers/pinterest.js"
import Strava from "../../lib/providers/strava.js"
import Threads from "../../lib/providers/threads.js"
import TikTok from "../../lib/providers/tiktok.js"
import Todoist from "../../lib/providers/todoist.js"
import Trakt from "../../lib/providers/trakt.js"
import Twitter from "../../lib/providers/twitter.js"
import VK from "../../lib/providers/vk.js"
import Webex from "../../lib/providers/webex.js"
import WeChat from "../../lib/providers/wechat.js"
import Wikimedia from "../../lib/providers/wikimedia.js"
import Zoom from "../../lib/providers/zoom.js"

// biome-ignore lint/suspicious/noExplicitAny: each provider has a different profile
type Any = any

const CLIENT = { clientId: "the-client", clientSecret: "the-secret" }
const TOKENS = { access_token: "the-token", openid: "o", user_id: "frank" }

/** A vendor with a fixed response, and the recorded requests. */
function createVendor(answer: Response) {
  const calls: { readonly url: URL; readonly headers: Headers; readonly body: string }[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    calls.push({ url: new URL(request.url), headers: request.headers, body: await request.text() })
    return answer.clone()
  }
  return { calls, fetch }
}

async function requestProfile(provider: OAuth2Config<Any>, answer: unknown, client: object = CLIENT) {
  const { calls, fetch } = createVendor(answer instanceof Response ? answer : Response.json(answer))
  const profile: unknown = await provider.userinfo.request({ tokens: TOKENS, provider: client, fetch })
  return { profile, call: calls[0] }
}

describe("email verification", () => {
  const patron = (is_email_verified: unknown) => ({ data: { id: "1", attributes: { is_email_verified } } })
  const emails = (verified: unknown, primary = true) => ({ emails: [{ email: "e", verified, primary }] })
  const account = (is_email_valid: unknown, is_email_verified: unknown) => ({
    kakao_account: { is_email_valid, is_email_verified },
  })

  it.each<[string, OAuth2Config<Any>, object, boolean]>([
    ["eventbrite, verified", Eventbrite({}), emails(true), true],
    ["eventbrite, unverified", Eventbrite({}), emails(false), false],
    ["eventbrite, verified as text", Eventbrite({}), emails("true"), false],
    ["eventbrite, not the primary address", Eventbrite({}), emails(true, false), false],
    ["eventbrite, no address", Eventbrite({}), {}, false],
    ["kakao, verified", Kakao({}), account(true, true), true],
    ["kakao, unverified", Kakao({}), account(true, false), false],
    ["kakao, reassigned to another user", Kakao({}), account(false, true), false],
    ["kakao, not granted", Kakao({}), {}, false],
    ["patreon, verified", Patreon({}), patron(true), true],
    ["patreon, unverified", Patreon({}), patron(false), false],
    ["patreon, not stated", Patreon({}), patron(undefined), false],
    ["todoist, verified", Todoist({}), { verification_status: "verified" }, true],
    ["todoist, unverified", Todoist({}), { verification_status: "unverified" }, false],
    ["todoist, legacy", Todoist({}), { verification_status: "legacy" }, false],
    ["wikimedia, verified", Wikimedia({}), { confirmed_email: true }, true],
    ["wikimedia, unverified", Wikimedia({}), { confirmed_email: false }, false],
    ["zoom, verified", Zoom({}), { verified: 1 }, true],
    ["zoom, unverified", Zoom({}), { verified: 0 }, false],
    ["zoom, not stated", Zoom({}), {}, false],
    ["twitter, confirmed", Twitter({ email: true }), { data: { confirmed_email: "a@b.example" } }, true],
  ])("%s", async (_, provider, answer, email_verified) => {
    expect((await requestProfile(provider, answer)).profile).toMatchObject({ email_verified })
  })

  it("twitter: a missing address is unverified", async () => {
    const { profile } = await requestProfile(Twitter({ email: true }), {
      data: { verified: true, confirmed_email: "" },
    })
    expect(profile).not.toHaveProperty("email_verified")
  })
})

describe("an error with status 200 is reported", () => {
  const nextcloud = Nextcloud({ issuer: "https://cloud.example.com" })
  it.each<[string, OAuth2Config<Any>, object, string]>([
    ["vk", VK({}), { error: "invalid_token", error_description: "Token is expired" }, "VK: Token is expired"],
    ["vk, without description", VK({}), { error: "invalid_token" }, "VK: invalid_token"],
    ["vk, without user", VK({}), {}, "VK: the response has no user"],
    ["wechat", WeChat({}), { errcode: 40003, errmsg: "invalid openid" }, "answered 40003 invalid openid"],
    [
      "nextcloud",
      nextcloud,
      { ocs: { meta: { status: "failure", statuscode: 997, message: "Current user is not logged in" }, data: [] } },
      "Nextcloud: Current user is not logged in",
    ],
    ["nextcloud, without user", nextcloud, {}, "Nextcloud: the response has no user"],
    ["notion", Notion({}), { bot: { owner: { type: "workspace", workspace: true } } }, "belongs to a workspace"],
  ])("%s", async (_, provider, answer, message) => {
    await expect(requestProfile(provider, answer)).rejects.toThrow(message)
  })

  it("a response without a profile is reported", async () => {
    const html = new Response("<h1>the-token</h1>", { headers: { "content-type": "text/html" } })
    for (const answer of [html, Response.json(null), Response.json("the-token")])
      await expect(requestProfile(Dropbox({}), answer)).rejects.toThrow(
        /^Dropbox: \/2\/users\/get_current_account did not respond with a JSON object$/,
      )
  })

  it.each([
    ["tiktok", TikTok({}), { data: {}, error: { code: "scope_not_authorized" } }, "TikTok"],
    ["twitter", Twitter({}), { errors: [{ title: "Not Found Error" }] }, "Twitter"],
  ])("%s: a response without a user is rejected", async (_, provider, answer, name) => {
    await expect(async () => provider.profile?.(answer as Any, {})).rejects.toThrow(`${name}: the profile has no id`)
  })
})

describe("tokens and secrets", () => {
  it.each([
    ["foursquare", Foursquare({}), "oauth_token"],
    ["mailru", Mailru({}), "access_token"],
    ["wechat", WeChat({}), "access_token"],
  ])("%s: the token in the URL does not appear in errors", async (_, provider, parameter) => {
    const { call } = await requestProfile(provider as OAuth2Config<Any>, { id: "1" })
    expect(call?.url.searchParams.get(parameter)).toBe("the-token")
    expect(call?.headers.get("authorization")).toBeNull()
    const failed = requestProfile(provider as OAuth2Config<Any>, Response.json({}, { status: 500 }))
    await expect(failed).rejects.toThrow(/^[\w.]+: \/[\w/]+ answered 500$/i)
  })

  it("hubspot: the client secret comes from a function if there is one", async () => {
    const clientSecret = async ({ clientId }: { clientId: string }) => `the secret of ${clientId}`
    const { call } = await requestProfile(HubSpot({}), { user_id: 1 }, { clientId: "the-client", clientSecret })
    expect(new URLSearchParams(call?.body).get("client_secret")).toBe("the secret of the-client")
  })

  it("bungie: a missing API key is reported by name", async () => {
    await expect(requestProfile(Bungie({}), {})).rejects.toThrow("Set AUTH_BUNGIE_KEY")
    await expect(requestProfile(Bungie({ apiKey: "" }), {})).rejects.toThrow("Set AUTH_BUNGIE_KEY")
    const { call } = await requestProfile(Bungie({ apiKey: "the-key" }), {})
    expect(call?.headers.get("x-api-key")).toBe("the-key")
  })

  it("bungie: an empty key option falls back to the environment", async () => {
    process.env["AUTH_BUNGIE_KEY"] = "the-variable's"
    try {
      const { call } = await requestProfile(Bungie({ apiKey: "" }), {})
      expect(call?.headers.get("x-api-key")).toBe("the-variable's")
    } finally {
      delete process.env["AUTH_BUNGIE_KEY"]
    }
  })
})

describe("options and parameters of one provider", () => {
  it("foursquare: apiVersion is sent to the API", async () => {
    const { call } = await requestProfile(Foursquare({ apiVersion: "20260101" }), {})
    expect(call?.url.searchParams.get("v")).toBe("20260101")
  })

  it("twitter: email requests the address", async () => {
    const { call } = await requestProfile(Twitter({ email: true }), {})
    expect(call?.url.searchParams.get("user.fields")).toBe("profile_image_url,confirmed_email")
  })

  it("webex: apiBaseUrl changes the endpoints", () => {
    expect(Webex({ apiBaseUrl: "https://webex.example.com/v1/" })).toMatchObject({
      token: { url: "https://webex.example.com/v1/access_token" },
      userinfo: "https://webex.example.com/v1/people/me",
    })
  })

  it("wechat: the account id is the openid if there is no unionid", async () => {
    expect((await requestProfile(WeChat({}), { openid: "o", unionid: "u" })).profile).toMatchObject({ id: "u" })
    expect((await requestProfile(WeChat({}), { openid: "o", unionid: "" })).profile).toMatchObject({ id: "o" })
  })

  it("vk: the device id is sent with the code", async () => {
    const { calls, fetch } = createVendor(Response.json({}))
    await VK({}).token.request({
      params: { code: "c", device_id: "d" },
      checks: { code_verifier: "v", state: "s" },
      provider: { ...CLIENT, token: { url: new URL("https://id.vk.com/oauth2/auth") } },
      redirect_uri: "https://example.com/auth/callback/vk",
      fetch,
    })
    expect(Object.fromEntries(new URLSearchParams(calls[0]?.body))).toEqual({
      grant_type: "authorization_code",
      code: "c",
      device_id: "d",
      code_verifier: "v",
      state: "s",
      client_id: "the-client",
      redirect_uri: "https://example.com/auth/callback/vk",
    })
  })
})

describe("a custom token request", () => {
  it.each<[string, OAuth2Config<Any>]>([
    ["azure-devops", AzureDevOps({})],
    ["tiktok", TikTok({})],
    ["trakt", Trakt({})],
    ["vk", VK({})],
    ["wechat", WeChat({})],
  ])("%s: requests JSON", async (_, provider) => {
    const { calls, fetch } = createVendor(Response.json({ access_token: "at" }))
    const url = new URL("https://vendor.test/token")
    await provider.token.request({ params: { code: "c" }, checks: {}, provider: { ...CLIENT, token: { url } }, fetch })
    expect(calls[0]?.headers.get("accept")).toBe("application/json")
  })
})

describe("token responses", () => {
  const mattermost = Mattermost({ issuer: "https://mattermost.example.com" })
  const conform = async (provider: OAuth2Config<Any>, answer: unknown, status = 200): Promise<unknown> => {
    const repaired: Response | undefined = await provider.token.conform(Response.json(answer, { status }))
    return repaired && { status: repaired.status, ...Object(await repaired.json()) }
  }
  const refused = (error: string, error_description: string) => ({ status: 400, error, error_description })

  it.each<[string, OAuth2Config<Any>, object, object]>([
    ["click-up", ClickUp({}), { err: "Code already used" }, refused("invalid_request", "Code already used")],
    ["facebook", Facebook({}), { error: { message: "m", code: 100 } }, refused("invalid_request", "m")],
    ["hubspot", HubSpot({}), { status: "BAD_AUTH_CODE", message: "m" }, refused("BAD_AUTH_CODE", "m")],
    ["instagram, as an object", Instagram({}), { error_message: "m" }, refused("invalid_request", "m")],
    ["pinterest", Pinterest({}), { code: 283, message: "m" }, refused("283", "m")],
    [
      "strava",
      Strava({}),
      { message: "Bad Request", errors: [{ resource: "Application", field: "client_id", code: "invalid" }] },
      refused("invalid_request", "Bad Request; Application client_id invalid"),
    ],
    ["strava, without details", Strava({}), { message: "m" }, refused("invalid_request", "m")],
    [
      "threads, in Instagram's format",
      Threads({}),
      { error_type: "OAuthException", error_message: "m" },
      refused("OAuthException", "m"),
    ],
    ["threads", Threads({}), { error: { type: "OAuthException", message: "m" } }, refused("OAuthException", "m")],
    ["zoom", Zoom({}), { error: "invalid_grant", reason: "m" }, refused("invalid_grant", "m")],
  ])("%s: a refusal is converted to the standard format", async (_, provider, answer, expected) => {
    expect(await conform(provider, answer, 400)).toEqual(expected)
  })

  const standard = { error: "invalid_grant", error_description: "it is spent" }
  it.each([
    ["azure-devops", AzureDevOps({})],
    ["click-up", ClickUp({})],
    ["facebook", Facebook({})],
    ["hubspot", HubSpot({})],
    ["instagram", Instagram({})],
    ["mailchimp", Mailchimp({})],
    ["mattermost", mattermost],
    ["medium", Medium({})],
    ["notion", Notion({})],
    ["pinterest", Pinterest({})],
    ["strava", Strava({})],
    ["threads", Threads({})],
    ["webex", Webex({})],
    ["zoom", Zoom({})],
  ] as [string, OAuth2Config<Any>][])("%s: a standard refusal is unchanged", async (_, provider) => {
    if (!provider.token.conform) return
    const repaired = await conform(provider, { ...standard, message: "another", trackingId: "t" }, 400)
    expect(repaired ?? standard).toMatchObject(standard)
  })

  it.each<[string, OAuth2Config<Any>, object, object]>([
    ["instagram, as an object", Instagram({}), {}, { token_type: "bearer" }],
    ["mailchimp", Mailchimp({}), { scope: null }, { token_type: "bearer" }],
    ["mailchimp, with a scope", Mailchimp({}), { scope: "s" }, { token_type: "bearer", scope: "s" }],
    ["medium, in milliseconds", Medium({}), { expires_at: 1900000000999 }, { expires_at: 1900000000 }],
    ["medium, in seconds", Medium({}), { expires_at: 1900000000, scope: "a" }, { expires_at: 1900000000, scope: "a" }],
    ["threads", Threads({}), { token_type: "Bearer" }, { token_type: "Bearer" }],
  ])("%s: tokens are converted to the standard format", async (_, provider, answer, expected) => {
    expect(await conform(provider, { access_token: "at", ...answer }, 201)).toEqual({
      status: 200,
      access_token: "at",
      ...expected,
    })
  })

  it("a response that is not a JSON object or needs no fix is unchanged", async () => {
    const repair = jest.fn(() => undefined)
    for (const body of ["<h1>Bad Gateway</h1>", "null", "[1]", '"text"'])
      expect(await repairTokenResponse(repair)(new Response(body, { status: 502 }))).toBeUndefined()
    expect(repair).not.toHaveBeenCalled()
    expect(await repairTokenResponse(repair)(Response.json({}))).toBeUndefined()
    expect(repair).toHaveBeenCalledTimes(1)
  })
})

describe("requests to a vendor", () => {
  it("add their parameters to those of the URL", async () => {
    const { calls, fetch } = createVendor(Response.json({}))
    await callVendorApi(
      "Acme",
      "https://acme.test/me?a=1&b=2",
      { tokens: TOKENS, fetch },
      { query: { b: "3", c: "x y" } },
    )
    expect(calls[0]?.url.href).toBe("https://acme.test/me?a=1&b=3&c=x+y")
  })

  it("use POST with a body unless a method is given, and GET without a body", async () => {
    const requests: unknown[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      requests.push([init?.method, new Headers(init?.headers).get("content-type"), init?.body])
      return Response.json({})
    }
    const context = { tokens: TOKENS, fetch }
    for (const request of [{ form: { a: "ä b" } }, { json: { a: 1 } }, { method: "PUT", json: {} }, {}])
      await callVendorApi("Acme", "https://acme.test/me", context, request)
    expect(requests).toEqual([
      ["POST", "application/x-www-form-urlencoded", "a=%C3%A4+b"],
      ["POST", "application/json", '{"a":1}'],
      ["PUT", "application/json", "{}"],
      ["GET", null, undefined],
    ])
  })
})
