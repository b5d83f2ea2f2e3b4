/** Refresh requests and rejections that deviate from RFC 6749 §6, as the vendors document them. */
import type { OAuthConfig } from "../../lib/provider-kit/provider.js"
import AzureDevOps from "../../lib/providers/azure-devops.js"
import Figma from "../../lib/providers/figma.js"
import HubSpot from "../../lib/providers/hubspot.js"
import Strava from "../../lib/providers/strava.js"
import TikTok from "../../lib/providers/tiktok.js"
import Trakt from "../../lib/providers/trakt.js"
import Twitch from "../../lib/providers/twitch.js"
import VK from "../../lib/providers/vk.js"
import WeChat from "../../lib/providers/wechat.js"
import Zoom from "../../lib/providers/zoom.js"
import { createRuntime } from "../../lib/runtime/runtime.js"
import { MemoryStore } from "../../lib/store/memory.js"
import { useVendorServer, type VendorReply } from "../flows/tokens/vendor-server.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"

const vendor = useVendorServer()

const CLIENT = { clientId: "the-client", clientSecret: "the-secret" }
const BASIC = `Basic ${Buffer.from("the-client:the-secret").toString("base64")}`

// biome-ignore lint/suspicious/noExplicitAny: each provider has a different profile
type Create = (options: any) => OAuthConfig<any>

/** Returns the method and the provider, with its token endpoint at the server of this file. */
function prepare(create: Create, path: string) {
  const endpoint = { token: { url: `${vendor.origin}${path}` } }
  const provider = create({ ...CLIENT, ...endpoint, ...(create === Twitch && { issuer: vendor.origin }) })
  const { logger } = recordingLogger()
  const runtime = createRuntime({ providers: [provider], secret: TEST_SECRET, logger, store: MemoryStore() }, {})
  const found = runtime.providers.get(provider.id)
  if (!found?.method.tokens) throw new Error(`${provider.id} has no tokens`)
  return { tokens: found.method.tokens, ready: found.provider, id: provider.id }
}

async function refresh(create: Create, path: string, reply: VendorReply) {
  const metadata = {
    issuer: vendor.origin,
    token_endpoint: `${vendor.origin}${path}`,
    authorization_endpoint: `${vendor.origin}/authorize`,
    jwks_uri: `${vendor.origin}/keys`,
  }
  vendor.answer = (call) => (call.path.includes(".well-known") ? { body: metadata } : reply)
  const { tokens, ready, id } = prepare(create, path)
  const old = { provider: id, providerAccountId: "1", accessToken: "old", refreshToken: "rt-1", issuedAt: 0 }
  const renewed = await tokens.refresh(old, ready, { nowMs: Date.now(), deadline: AbortSignal.timeout(8_000) })
  return { renewed, call: vendor.calls.at(-1) }
}

const RENEWED = { access_token: "new", token_type: "bearer", expires_in: 3600, refresh_token: "rt-2" }

describe("a refresh request", () => {
  it.each<[string, Create, string, VendorReply["body"], object]>([
    [
      "tiktok",
      TikTok,
      "/v2/oauth/token/",
      RENEWED,
      {
        path: "/v2/oauth/token/",
        form: {
          client_key: "the-client",
          client_secret: "the-secret",
          grant_type: "refresh_token",
          refresh_token: "rt-1",
        },
      },
    ],
    [
      "wechat",
      WeChat,
      "/sns/oauth2/access_token",
      { access_token: "new", expires_in: 7200, refresh_token: "rt-2", openid: "o", scope: "snsapi_userinfo" },
      {
        path: "/sns/oauth2/refresh_token",
        form: { appid: "the-client", grant_type: "refresh_token", refresh_token: "rt-1" },
      },
    ],
  ])("of %s has the vendor's parameters", async (_, create, path, body, expected) => {
    const { renewed, call } = await refresh(create, path, { body })
    expect(call).toMatchObject(expected)
    expect(renewed).toMatchObject({ accessToken: "new", refreshToken: "rt-2" })
  })

  it("of figma is sent to its own endpoint, and the refresh token stays the same", async () => {
    const { renewed, call } = await refresh(Figma, "/v1/oauth/token", {
      body: { access_token: "new", expires_in: 7776000 },
    })
    expect(call).toEqual({ path: "/v1/oauth/refresh", form: { refresh_token: "rt-1" }, authorization: BASIC })
    expect(renewed).toMatchObject({ accessToken: "new", refreshToken: undefined })
  })
})

describe("a rejected refresh token", () => {
  it.each<[string, Create, VendorReply]>([
    [
      "hubspot",
      HubSpot,
      { status: 400, body: { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" } },
    ],
    [
      "strava",
      Strava,
      {
        status: 400,
        body: {
          message: "Bad Request",
          errors: [{ resource: "RefreshToken", field: "refresh_token", code: "invalid" }],
        },
      },
    ],
    ["twitch", Twitch, { status: 400, body: { error: "Bad Request", status: 400, message: "Invalid refresh token" } }],
    ["wechat", WeChat, { body: { errcode: 40030, errmsg: "invalid refresh_token" } }],
    ["zoom", Zoom, { status: 400, body: { reason: "Invalid Token!", error: "invalid_request" } }],
  ])("of %s requires a new sign-in", async (_, create, reply) => {
    await expect(refresh(create, "/oauth/token", reply)).rejects.toMatchObject({ type: "ReauthenticationRequired" })
  })

  it.each<[string, Create, VendorReply]>([
    ["hubspot", HubSpot, { status: 400, body: { status: "BAD_CLIENT_ID", message: "missing or invalid client id" } }],
    [
      "strava",
      Strava,
      {
        status: 400,
        body: { message: "Bad Request", errors: [{ resource: "Application", field: "client_id", code: "invalid" }] },
      },
    ],
    ["twitch", Twitch, { status: 400, body: { status: 400, message: "invalid client secret" } }],
    ["wechat", WeChat, { body: { errcode: 40013, errmsg: "invalid appid" } }],
    ["zoom", Zoom, { status: 400, body: { reason: "Invalid client_id or client_secret", error: "invalid_client" } }],
  ])("is not assumed if %s rejects the client", async (_, create, reply) => {
    const failure = await refresh(create, "/oauth/token", reply).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toHaveProperty("type", "ReauthenticationRequired")
  })
})

it.each<[string, boolean, Create]>([
  ["azure-devops", false, AzureDevOps],
  ["trakt", false, Trakt],
  ["vk", false, VK],
  ["tiktok", true, TikTok],
])("the refresh tokens of %s are kept: %s", (_, isRenewable, create) => {
  const { tokens, ready } = prepare(create, "/oauth/token")
  expect(tokens.rules(ready)).toMatchObject({ isRenewable })
})
