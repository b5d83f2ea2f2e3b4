import { CODE, failureOf, finish, settingWith, signIn, wayBack } from "./answering.js"
import { BASE } from "./setting.js"

describe("what a refusal of the token endpoint shows", () => {
  const refusing = (json: object) => ({ "/token": () => Response.json(json, { status: 400 }) })

  const CLIENT = "compare the client id and secret with the provider's console; the secret may have expired"
  const SPENT = "the code was spent or too old, or the redirect URI differs from the one of the start"
  it.each([
    ["invalid_client", "client-refused", CLIENT],
    ["incorrect_client_credentials", "client-refused", CLIENT],
    ["invalid_grant", "code-refused", SPENT],
    ["bad_verification_code", "code-refused", SPENT],
    ["unauthorized_client", "client-refused", `${CLIENT}, or the client may not use the authorization code flow`],
    ["invalid_scope", "scope-refused", "compare the scope with what the provider lets this client ask for"],
    ["redirect_uri_mismatch", "redirect-uri-mismatch", "register this redirect URI at the provider, to the letter"],
  ])("has a hint, by its code: %s", async (error, messageCode, hint) => {
    expect(await failureOf(signIn(settingWith(refusing({ error }))))).toMatchObject({
      type: "OAuthCallbackError",
      message: "the provider's answer can't be used",
      messageCode,
      cause: { provider: "acme", hint },
    })
  })

  it.each([
    ["invalid_grant", "DPoP proof JWT not provided"],
    ["invalid_request", "a dpop proof is required"],
    ["invalid_dpop_proof", undefined],
    ["use_dpop_nonce", "Authorization server requires nonce in DPoP proof"],
  ])("names DPoP where the provider wants it: %s %s", async (error, error_description) => {
    expect(await failureOf(signIn(settingWith(refusing({ error, error_description }))))).toMatchObject({
      messageCode: "dpop-required",
      cause: { hint: expect.stringContaining("DPoP") },
    })
  })

  it("has the redirect URI where that is not registered, and nowhere else", async () => {
    const causeOf = async (error: string) => Object(await failureOf(signIn(settingWith(refusing({ error }))))).cause
    expect(await causeOf("redirect_uri_mismatch")).toMatchObject({ redirect_uri: `${BASE}/callback/acme` })
    expect(await causeOf("invalid_grant")).not.toHaveProperty("redirect_uri")
  })

  it("has none where another part failed", async () => {
    const error = await failureOf(signIn(settingWith({ "/token": () => new Response("<html>") })))
    expect(error).toMatchObject({ messageCode: "provider-unreachable" })
    expect(error).not.toHaveProperty("cause.hint")
  })

  it("has its reason where the calls with the tokens fail, and not the tokens", async () => {
    const error = await failureOf(signIn(settingWith({ "/me": () => new Response(null, { status: 503 }) })))
    expect(error).toMatchObject({
      type: "OAuthCallbackError",
      messageCode: "provider-unreachable",
      cause: { err: { name: "Error", message: "https://acme.test/me answered with status 503" } },
    })
    // Where it happened is where the call was made, not where it was told again.
    expect(Object(error).cause.err.stack).toMatch(/userinfo/)
  })

  it("is told where nothing is checked, too", async () => {
    const unchecked = { checks: ["none"] }
    const refused = settingWith(refusing({ error: "invalid_grant" }), unchecked)
    expect(await failureOf(finish(refused, { query: { code: CODE } }))).toMatchObject({ messageCode: "code-refused" })
    expect(await failureOf(finish(refused, { query: { error: "access_denied" } }))).toMatchObject({
      messageCode: "sign-in-cancelled",
    })
  })

  it("is without what is secret, even if the provider says it again", async () => {
    const secrets = [CODE, "the secret of the client"]
    const echo = async (request: Request) => {
      const verifier = new URLSearchParams(await request.text()).get("code_verifier")
      const error_description = [...secrets, verifier, "plain words"].join(" | ")
      return Response.json({ error: "invalid_grant", error_description }, { status: 400 })
    }
    const setting = settingWith({ "/token": echo }, { clientSecret: "the secret of the client" })
    const asked = await wayBack(setting)
    secrets.push(asked.query?.["state"] ?? "")
    const error = await failureOf(finish(setting, asked))
    expect(error).toMatchObject({
      cause: {
        err: {
          message:
            'the token endpoint answered "invalid_grant" with status 400: [masked] | [masked] | [masked] | [masked] | plain words',
        },
      },
    })
  })
})
