/** Authorization responses that are signed JWTs (JARM): responses of a real provider, and forged responses. */
import { decodeJwt } from "jose"
import { MemoryStore } from "../../../lib/store/memory.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { createSigningKey, signIdToken } from "../../support/faulty-provider/signing.js"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { begin, named, sessionOf, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const byJwt = (response_mode: string) => ({ authorization: { params: { response_mode } } })

let real: RealProvider
beforeAll(async () => {
  real = await startRealProvider({ features: { jwtResponseModes: { enabled: true } } })
})
afterAll(() => real.close())

describeServers("JWT responses of a real provider", (start) => {
  async function open(response_mode: string) {
    const { logger, records } = recordingLogger()
    const client = { client_id: `client-${response_mode}`, client_secret: "a secret of more than 32 characters" }
    const provider = real.oidc({ clientId: client.client_id, clientSecret: client.client_secret })
    const providers = [{ ...provider, ...byJwt(response_mode) }]
    const app = await start({ providers, secret: TEST_SECRET, logger, store: MemoryStore() })
    await real.addClient({ ...client, redirect_uris: [`${app.origin}${app.basePath}/callback/real`] })
    return { browser: app.browser(), records }
  }

  /** Starts a sign-in, and returns the URL to which the provider redirects. */
  const answerFor = async (browser: Browser, who: Parameters<typeof signInAtProvider>[2]) =>
    signInAtProvider(browser, (await begin(browser, { id: "real" })).location, who)

  it.each(["jwt", "query.jwt", "form_post.jwt"])("complete a sign-in with response_mode=%s", async (mode) => {
    const { browser, records } = await open(mode)
    const answer = new URL(await answerFor(browser, "alice"))
    expect([...answer.searchParams.keys()]).toEqual([mode === "form_post.jwt" ? "form_post" : "response"])
    await browser.get(answer.href)
    expect(records).toEqual([])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    // A repeated callback redirects the signed-in user.
    const repeated = await browser.get(answer.href)
    expect([repeated.status, new URL(repeated.location).pathname, records]).toEqual([302, "/", []])
  })

  it.each(["query.jwt", "form_post.jwt"])(
    "fail the sign-in if the JWT contains an error, with response_mode=%s",
    async (mode) => {
      const { browser, records } = await open(mode)
      const page = await browser.get(await answerFor(browser, "nobody"))
      expect(page.location).toContain("/auth/signin?error=OAuthCallbackError")
      expect(records.flatMap(({ args }) => args.map((arg) => Reflect.get(Object(arg), "messageCode")))).toContain(
        "sign-in-cancelled",
      )
    },
  )

  it("are required: the same parameters without the JWT are refused", async () => {
    const { browser } = await open("query.jwt")
    const answer = new URL(await answerFor(browser, "alice"))
    const { code, state, iss } = decodeJwt(answer.searchParams.get("response") ?? "")
    const plain = new URLSearchParams({ code: String(code), state: String(state), iss: String(iss) })
    const page = await browser.get(`${answer.origin}${answer.pathname}?${plain}`)
    expect(page.location).toContain("/auth/signin?error=OAuthCallbackError")
    expect(await sessionOf(browser)).toBeNull()
  })
})

const op = useProvider()

describeServers("JWT responses of a faulty provider", (start, stage) => {
  const seconds = () => Math.floor(Date.now() / 1000)

  /** Signs in with the provider "jwt", whose response is signed in this way. */
  async function signIn(browser: Browser, change: (claims: Claims) => Claims, mode: ProviderMode = {}): Promise<Page> {
    const answer = new URL(await op.authorize((await begin(browser, { id: "jwt" })).location))
    const params = Object.fromEntries(answer.searchParams)
    const claims = { ...params, iss: op.issuer, aud: op.client.clientId, exp: seconds() + 60 }
    const response = await signIdToken({ ...claims, ...change(claims) }, mode, op.keys)
    return browser.get(`${answer.origin}${answer.pathname}?${new URLSearchParams({ response })}`, { from: op.issuer })
  }

  const open = (options: object = {}) =>
    startSite(
      { start, stage, op },
      { providers: [op.oidc(), named(op.oidc({ ...byJwt("query.jwt"), ...options }), "jwt")] },
    )

  it.each([true, false])("are verified with verifyIdToken: %s", async (verifyIdToken) => {
    const { app } = await open({ verifyIdToken })
    const [browser, other] = [app.browser(), app.browser()]
    await signIn(browser, () => ({}))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    await signIn(other, () => ({}), { key: await createSigningKey("RS256") })
    expect(await sessionOf(other)).toBeNull()
  })

  it.each<[string, (claims: Claims) => Claims, ProviderMode | (() => Promise<ProviderMode>), RegExp]>([
    ["if they are not signed", () => ({}), { alg: "none" }, /the authorization response is not signed/],
    ["without a signature", () => ({}), { sig: "stripped" }, /signature/],
    [
      "with a signature by another key",
      () => ({}),
      async () => ({ key: await createSigningKey("RS256") }),
      /key|signature/,
    ],
    ["signed with the client secret", () => ({}), { alg: "HS256-secret" }, /not registered for/],
    ["from another issuer", ({ iss }) => ({ iss: `${iss}1` }), {}, /the iss of the authorization response/],
    ["for another client", ({ aud }) => ({ aud: `${aud}1` }), {}, /the aud of the authorization response/],
    ["without an audience", () => ({ aud: undefined }), {}, /the aud of the authorization response/],
    ["without an expiry", () => ({ exp: undefined }), {}, /the exp of the authorization response/],
    ["if they have expired", () => ({ exp: seconds() - 40 }), {}, /the authorization response has expired/],
    ["without a code", () => ({ code: undefined }), {}, /code/],
  ])("are refused %s", async (_, change, mode, reason) => {
    const signing = typeof mode === "function" ? await mode() : mode
    await expectRefused(await open(), {
      attempt: (browser) => signIn(browser, change, signing),
      ...{ reason, provider: "jwt", tokenCalls: 0 },
    })
  })

  it("are refused if a request contains two of them", async () => {
    const { app } = await open()
    const browser = app.browser()
    const answer = new URL(await op.authorize((await begin(browser, { id: "jwt" })).location))
    const claims = { ...Object.fromEntries(answer.searchParams), iss: op.issuer, aud: op.client.clientId }
    const response = await signIdToken({ ...claims, exp: seconds() + 60 }, {}, op.keys)
    const twice = new URLSearchParams([
      ["response", response],
      ["response", response],
    ])
    const page = await browser.get(`${answer.origin}${answer.pathname}?${twice}`, { from: op.issuer })
    expect(page.location).toContain("error=OAuthCallbackError")
    expect(await sessionOf(browser)).toBeNull()
  })
})
