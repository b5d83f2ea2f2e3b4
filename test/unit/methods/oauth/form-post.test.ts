import { toGet, withPostedParams } from "../../../../lib/methods/oauth/form-post.js"
import { seal } from "../../../../lib/security/jwe.js"
import { BASE, callOf, NOW, providerOf, type Setting, settingOf } from "./setting.js"

const byPost = { authorization: { url: "https://acme.test/authorize", params: { response_mode: "form_post" } } }

/** The address that a posted answer is sent on to. */
async function sentOn(setting: Setting, form: Record<string, string> | [string, string][]): Promise<URL> {
  const reply = toGet(await callOf(setting, { form }), providerOf(setting), setting.runtime)
  expect([reply.status, reply.cookies]).toEqual([303, []])
  return new URL(reply.location ?? "")
}

/** The call that an answer at this address comes with. */
async function callAt(setting: Setting, url: URL, provider = "acme") {
  const query = Object.fromEntries(url.searchParams)
  const call = await callOf(setting, { path: `/callback/${provider}`, query })
  return withPostedParams(call, providerOf(setting, provider), setting.runtime)
}

/** What such an answer says. */
const answered = async (setting: Setting, url: URL, provider?: string) => (await callAt(setting, url, provider)).query

const ANSWER = {
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

describe("OID-31: a posted answer", () => {
  it("comes to us once more as a GET, and all of it that counts", async () => {
    const setting = settingOf(byPost)
    const url = await sentOn(setting, ANSWER)
    expect(url.href).toMatch(new RegExp(`^${BASE}/callback/acme\\?form_post=[\\w.-]+$`))
    expect(await answered(setting, url)).toEqual(ANSWER)
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
  ])("says of %j what it had twice: %j", async (form, repeated) => {
    const setting = settingOf(byPost)
    expect((await callAt(setting, await sentOn(setting, form))).repeatedFields).toEqual(repeated)
  })

  it("has nothing twice where it does not open, or was sealed by a version that did not say", async () => {
    const setting = settingOf(byPost)
    const sealed = seal({ provider: "acme", params: {} }, setting.runtime.keys.for("latchkey.form_post"), 60, NOW)
    for (const answer of [sealed, "x.y.z"]) {
      const { repeatedFields } = await callAt(setting, new URL(`${BASE}/callback/acme?form_post=${answer}`))
      expect(repeatedFields).toEqual([])
    }
  })

  it("leaves behind what no answer has", async () => {
    const setting = settingOf(byPost)
    const url = await sentOn(setting, { code: "c", csrfToken: "x", callbackUrl: "https://evil.test", form_post: "y" })
    expect(await answered(setting, url)).toEqual({ code: "c" })
  })

  it("is cut where it is too long: the address has to fit", async () => {
    const setting = settingOf(byPost)
    const long = "x".repeat(4096)
    expect(await answered(setting, await sentOn(setting, { code: `${long}y` }))).toEqual({ code: long })
  })

  it("shows nothing of itself in the address", async () => {
    const { href } = await sentOn(settingOf(byPost), ANSWER)
    for (const text of ["the code", "the+code", "the state", "access_denied"]) expect(href).not.toContain(text)
  })

  it.each([
    [60_000, { code: "c" }],
    // Clocks may differ by 15 seconds.
    [75_000, {}],
  ])("has a minute for the way: after %d ms it is %j", async (after, expected) => {
    const setting = settingOf(byPost)
    const url = await sentOn(setting, { code: "c" })
    setting.time.now += after
    expect(await answered(setting, url)).toEqual(expected)
  })

  it("ADV-13: is that provider's and no other's", async () => {
    const setting = settingOf([byPost, { ...byPost, id: "other" }])
    expect(await answered(setting, await sentOn(setting, { code: "c" }), "other")).toEqual({})
  })

  it.each(["code=c&state=s", "form_post=&code=c", "form_post=x.y.z&code=c"])(
    "is not believed unsealed: %s",
    async (search) => {
      expect(await answered(settingOf(byPost), new URL(`${BASE}/callback/acme?${search}`))).toEqual({})
    },
  )

  it("is not believed when it was sealed for something else", async () => {
    const setting = settingOf(byPost)
    const claims = { provider: "acme", params: { code: "c" } }
    const at = (purpose: string) => {
      const sealed = seal(claims, setting.runtime.keys.for(purpose), 60, NOW)
      return new URL(`${BASE}/callback/acme?form_post=${sealed}`)
    }
    expect(await answered(setting, at("latchkey.form_post"))).toEqual({ code: "c" })
    for (const purpose of ["latchkey.flow", "encodedState", ""])
      expect(await answered(setting, at(purpose))).toEqual({})
  })
})
