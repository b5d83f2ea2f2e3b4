import { CODE, callbackRequest, failureOf, finish, signIn, siteWith } from "./fake-endpoints.js"
import { BASE } from "./test-site.js"

describe("finishOAuth after the token endpoint refused the code", () => {
  const refusing = (json: object) => ({ "/token": () => Response.json(json, { status: 400 }) })

  const CLIENT = "compare the client id and secret with the provider's console; the secret may have expired"
  const SPENT = "the code was already used or has expired, or the redirect URI is not that of the authorization request"
  it.each([
    ["invalid_client", "client-refused", CLIENT],
    ["incorrect_client_credentials", "client-refused", CLIENT],
    ["invalid_grant", "code-refused", SPENT],
    ["bad_verification_code", "code-refused", SPENT],
    ["unauthorized_client", "client-refused", `${CLIENT}, or the client may not use the authorization code flow`],
    ["invalid_scope", "scope-refused", "compare the scope with the scopes that the provider allows for this client"],
    ["redirect_uri_mismatch", "redirect-uri-mismatch", "register exactly this redirect URI at the provider"],
  ])("adds a hint for the error code %s", async (error, messageCode, hint) => {
    expect(await failureOf(signIn(siteWith(refusing({ error }))))).toMatchObject({
      type: "OAuthCallbackError",
      message: "the provider's response can't be used",
      messageCode,
      cause: { provider: "acme", hint },
    })
  })

  it.each([
    ["invalid_grant", "DPoP proof JWT not provided"],
    ["invalid_request", "a dpop proof is required"],
    ["invalid_dpop_proof", undefined],
    ["use_dpop_nonce", "Authorization server requires nonce in DPoP proof"],
  ])("explains that the provider requires DPoP for the error %s %s", async (error, error_description) => {
    expect(await failureOf(signIn(siteWith(refusing({ error, error_description }))))).toMatchObject({
      messageCode: "extension-required",
      cause: { hint: expect.stringContaining("DPoP") },
    })
  })

  it("logs the redirect URI only if it is not registered", async () => {
    const causeOf = async (error: string) => Object(await failureOf(signIn(siteWith(refusing({ error }))))).cause
    expect(await causeOf("redirect_uri_mismatch")).toMatchObject({ redirect_uri: `${BASE}/callback/acme` })
    expect(await causeOf("invalid_grant")).not.toHaveProperty("redirect_uri")
  })

  it("adds no hint if the response is not a refusal", async () => {
    const error = await failureOf(signIn(siteWith({ "/token": () => new Response("<html>") })))
    expect(error).toMatchObject({ messageCode: "provider-unreachable" })
    expect(error).not.toHaveProperty("cause.hint")
  })

  it("logs why the userinfo request failed", async () => {
    const error = await failureOf(signIn(siteWith({ "/me": () => new Response(null, { status: 503 }) })))
    expect(error).toMatchObject({
      type: "OAuthCallbackError",
      messageCode: "provider-unreachable",
      cause: { err: { name: "Error", message: "https://acme.test/me answered with status 503" } },
    })
    // The stack shows where the call was made, not where the error was rethrown.
    expect(Object(error).cause.err.stack).toMatch(/userinfo/)
  })

  it("reports the error code even if the provider has no checks", async () => {
    const unchecked = { checks: ["none"] }
    const refused = siteWith(refusing({ error: "invalid_grant" }), unchecked)
    expect(await failureOf(finish(refused, { query: { code: CODE } }))).toMatchObject({ messageCode: "code-refused" })
    expect(await failureOf(finish(refused, { query: { error: "access_denied" } }))).toMatchObject({
      messageCode: "sign-in-cancelled",
    })
  })

  it("masks secrets that the provider repeats in its error", async () => {
    const secrets = [CODE, "the secret of the client"]
    const echo = async (request: Request) => {
      const verifier = new URLSearchParams(await request.text()).get("code_verifier")
      const error_description = [...secrets, verifier, "plain words"].join(" | ")
      return Response.json({ error: "invalid_grant", error_description }, { status: 400 })
    }
    const site = siteWith({ "/token": echo }, { clientSecret: "the secret of the client" })
    const callback = await callbackRequest(site)
    secrets.push(callback.query?.["state"] ?? "")
    const error = await failureOf(finish(site, callback))
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
