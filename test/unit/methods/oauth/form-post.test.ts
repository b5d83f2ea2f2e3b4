import { openPostedResponse, redirectPostToGet } from "../../../../lib/methods/oauth/form-post.js"
import { seal } from "../../../../lib/security/jwe.js"
import { BASE, callOf, createSite, NOW, providerOf, type TestSite } from "./test-site.js"

const byPost = { authorization: { url: "https://acme.test/authorize", params: { response_mode: "form_post" } } }

/** Returns the URL that a posted response is redirected to. */
async function redirectOf(site: TestSite, form: Record<string, string> | [string, string][]): Promise<URL> {
  const reply = redirectPostToGet(await callOf(site, { form }), providerOf(site), site.runtime)
  expect([reply.status, reply.cookies]).toEqual([303, []])
  return new URL(reply.location ?? "")
}

/** Returns the call that a browser makes to this URL, with the posted parameters. */
async function callAt(site: TestSite, url: URL, provider = "acme") {
  const query = Object.fromEntries(url.searchParams)
  const call = await callOf(site, { path: `/callback/${provider}`, query })
  return openPostedResponse(call, providerOf(site, provider), site.runtime)
}

/** Returns the parameters that the call at this URL has. */
const paramsAt = async (site: TestSite, url: URL, provider?: string) => (await callAt(site, url, provider)).query

const RESPONSE = {
  code: "the code",
  state: "the state",
  iss: "https://acme.test",
  session_state: "a session",
  error: "access_denied",
  error_description: "no",
  user: '{"name":{"firstName":"Ada"}}',
  response: "a response",
  id_token: "a.b.c",
  token: "a token",
}

describe("OID-31: redirectPostToGet and openPostedResponse", () => {
  it("redirect a posted response to a GET request that carries its known parameters", async () => {
    const site = createSite(byPost)
    const url = await redirectOf(site, RESPONSE)
    expect(url.href).toMatch(new RegExp(`^${BASE}/callback/acme\\?form_post=[\\w.-]+$`))
    expect(await paramsAt(site, url)).toEqual(RESPONSE)
  })

  it.each<[[string, string][], string[]]>([
    [[["code", "c"]], []],
    [
      [
        ["code", "c"],
        ["code", "d"],
        ["state", "s"],
        ["other", "x"],
        ["other", "y"],
      ],
      ["code"],
    ],
  ])("report the duplicate parameters of the form %j: %j", async (form, repeated) => {
    const site = createSite(byPost)
    expect((await callAt(site, await redirectOf(site, form))).repeatedFields).toEqual(repeated)
  })

  it("report no duplicates if the value can't be decrypted or comes from a version that did not record them", async () => {
    const site = createSite(byPost)
    const sealed = seal({ provider: "acme", params: {} }, site.runtime.keys.for("latchkey.form_post"), 60, NOW)
    for (const answer of [sealed, "x.y.z"]) {
      const { repeatedFields } = await callAt(site, new URL(`${BASE}/callback/acme?form_post=${answer}`))
      expect(repeatedFields).toEqual([])
    }
  })

  it("drop other parameters", async () => {
    const site = createSite(byPost)
    const url = await redirectOf(site, { code: "c", csrfToken: "x", callbackUrl: "https://evil.test", form_post: "y" })
    expect(await paramsAt(site, url)).toEqual({ code: "c" })
  })

  it("truncate a parameter that is too long for a URL", async () => {
    const site = createSite(byPost)
    const long = "x".repeat(4096)
    expect(await paramsAt(site, await redirectOf(site, { code: `${long}y` }))).toEqual({ code: long })
  })

  it("do not show the parameters in the URL", async () => {
    const { href } = await redirectOf(createSite(byPost), RESPONSE)
    for (const text of ["the code", "the+code", "the state", "access_denied"]) expect(href).not.toContain(text)
  })

  it.each([
    [60_000, { code: "c" }],
    // Clocks may differ by 15 seconds.
    [75_000, {}],
  ])("keep the parameters for a minute: after %d ms they are %j", async (after, expected) => {
    const site = createSite(byPost)
    const url = await redirectOf(site, { code: "c" })
    site.time.now += after
    expect(await paramsAt(site, url)).toEqual(expected)
  })

  it("ADV-13: ignore the parameters at the callback of another provider", async () => {
    const site = createSite([byPost, { ...byPost, id: "other" }])
    expect(await paramsAt(site, await redirectOf(site, { code: "c" }), "other")).toEqual({})
  })

  it.each(["code=c&state=s", "form_post=&code=c", "form_post=x.y.z&code=c"])(
    "ignore parameters that are not sealed: %s",
    async (search) => {
      expect(await paramsAt(createSite(byPost), new URL(`${BASE}/callback/acme?${search}`))).toEqual({})
    },
  )

  it("ignore parameters that were sealed for another purpose", async () => {
    const site = createSite(byPost)
    const claims = { provider: "acme", params: { code: "c" } }
    const at = (purpose: string) => {
      const sealed = seal(claims, site.runtime.keys.for(purpose), 60, NOW)
      return new URL(`${BASE}/callback/acme?form_post=${sealed}`)
    }
    expect(await paramsAt(site, at("latchkey.form_post"))).toEqual({ code: "c" })
    for (const purpose of ["latchkey.flow", "encodedState", ""]) expect(await paramsAt(site, at(purpose))).toEqual({})
  })
})
