import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import { begin, settingOf } from "./setting.js"

const AUTHORIZE = "https://acme.test/authorize"

/** The parameters at a provider that checks nothing, so that nothing of ours is written over what a link says. */
async function asked(query: Record<string, string>, provider: Partial<OAuthConfig> = {}) {
  const { url } = await begin(settingOf({ checks: ["none"], ...provider }), { query })
  return Object.fromEntries(url.searchParams)
}

/** The parameters of a provider's own. */
const withOwn = (params: Record<string, string>): Partial<OAuthConfig> => ({
  authorization: { url: AUTHORIZE, params },
})

describe("OID-42: a name that a link may say", () => {
  it.each(["prompt", "ui_locales", "x-hint", "a", "x1", "login_hint2", "challenge_code", "Login_Hint", "LOGIN_HINT"])(
    "is passed on as it is: %j",
    async (name) => {
      expect(await asked({ [name]: "said" })).toMatchObject({ [name]: "said" })
    },
  )

  it.each([
    ...["Response_Mode", "REQUEST_URI", "Request", "STATE", "Nonce", "Code_Challenge", "CODE_CHALLENGE_METHOD"],
    ...["redirect.uri", "redirect uri", "redirect_uri[]", "request[uri]", "client_secret[0]", "code.challenge"],
    ...[" state", "state ", "state\0", "_state", "-state", "1state", "[state", "é", "__proto__", ""],
  ])("is not one that some servers read as what is reserved: %j", async (name) => {
    expect(await asked({ [name]: "evil" })).toEqual(await asked({}))
  })

  it("is no other spelling of what the configuration says, but the same spelling", async () => {
    const strict = withOwn({ prompt: "consent", x_rule: "own" })
    expect(await asked({ Prompt: "none", X_RULE: "evil" }, strict)).toEqual(await asked({}, strict))
    expect(await asked({ prompt: "login", x_rule: "said" }, strict)).toMatchObject({ prompt: "login", x_rule: "said" })
  })
})

describe("what a client asks for", () => {
  // Without a scope of the configuration, whose other spellings are refused anyway.
  const noScope = withOwn({ scope: "" })

  it.each(["scope", "authorization_details"])("is the operator's to decide: %s", async (name) => {
    expect(await asked({ [name]: "more" }, noScope)).toEqual(await asked({}, noScope))
    expect(await asked({ [name]: "more" }, { ...noScope, allowScopeOverride: true })).toMatchObject({ [name]: "more" })
  })

  it.each(["Scope", "SCOPE", "Authorization_Details"])(
    "is said in its own spelling alone, where a link may say it: not %s",
    async (name) => {
      const open = { ...noScope, allowScopeOverride: true }
      expect(await asked({ [name]: "more" }, open)).toEqual(await asked({}, open))
    },
  )
})

describe("OID-52: the age of a sign-in that the configuration asks for", () => {
  const strict = withOwn({ max_age: "60" })

  it.each(["0", "1", "59", "00000059", "000000059"])("may be made stricter: %j", async (max_age) => {
    expect(await asked({ max_age }, strict)).toMatchObject({ max_age })
  })

  it.each([
    ...["61", "100", "999999999", "", "never", "-1", "-61", "5e0", "1.5", "5.", "+5", "0x5", " 5", "5 "],
    // What is no stricter is as the configuration wrote it, to the letter.
    ...["60", "060", "0000000059"],
  ])("is not made laxer, or what servers may read so: %j", async (max_age) => {
    expect(await asked({ max_age }, strict)).toMatchObject({ max_age: "60" })
  })

  it("is not there when nobody asks", async () => {
    expect(await asked({})).not.toHaveProperty("max_age")
    expect(await asked({ prompt: "login" }, strict)).toMatchObject({ max_age: "60", prompt: "login" })
  })

  it("can't be made stricter where it is no number", async () => {
    expect(await asked({ max_age: "5" }, withOwn({ max_age: "never" }))).toMatchObject({ max_age: "never" })
  })
})
