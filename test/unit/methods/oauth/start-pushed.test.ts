import { failureOf, fakeEndpoints } from "./fake-endpoints.js"
import { createSite, ORIGIN, startFlow } from "./test-site.js"

const ISSUER = "https://acme.test"

describe("startOAuth with pushed authorization requests (RFC 9126)", () => {
  const pushing = (respond: (request: Request) => Response | Promise<Response>) => {
    const { provider, requests } = fakeEndpoints({
      "/par": respond,
      "/.well-known/openid-configuration": () => Response.json({ issuer: ISSUER }),
    })
    const pushed = { pushedAuthorizationRequests: "https://acme.test/par" }
    return { requests, site: createSite({ type: "oidc", issuer: ISSUER, ...provider, ...pushed }) }
  }

  it("redirects with the reference that the provider returns for the parameters", async () => {
    const reference = { request_uri: "urn:acme:1", expires_in: 60 }
    const { site, requests } = pushing(() => Response.json(reference, { status: 201 }))
    const { url } = await startFlow(site, { query: { prompt: "login" } })
    expect(Object.fromEntries(url.searchParams)).toEqual({ client_id: "our-client", request_uri: "urn:acme:1" })
    const { url: endpoint = "", method } = requests.at(-1) ?? {}
    expect([method, endpoint]).toEqual(["POST", "https://acme.test/par"])
    const params = new URLSearchParams(await requests.at(-1)?.text())
    expect(Object.fromEntries(params)).toMatchObject({ prompt: "login", response_type: "code" })
  })

  it("pushes the parameters to a provider without discovery, too", async () => {
    const { provider } = fakeEndpoints({
      "/par": () => Response.json({ request_uri: "urn:acme:2", expires_in: 60 }, { status: 201 }),
    })
    const { url } = await startFlow(createSite({ ...provider, pushedAuthorizationRequests: "https://acme.test/par" }))
    expect(url.href).toBe("https://acme.test/authorize?client_id=our-client&request_uri=urn%3Aacme%3A2")
  })

  it("masks the values of the flow and the client secret in the provider's error", async () => {
    const sent: string[] = []
    const { site } = pushing(async (request) => {
      const params = new URLSearchParams(await request.text())
      sent.push(String(params.get("state")), String(params.get("nonce")))
      const error_description = [...sent, "our-client-secret", "plain words"].join(" | ")
      return Response.json({ error: "invalid_request", error_description }, { status: 400 })
    })
    const error = await failureOf(startFlow(site))
    expect(sent).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)])
    expect(error).toMatchObject({
      type: "OAuthSignInError",
      messageCode: "provider-refused",
      cause: {
        err: {
          message:
            'the pushed authorization request endpoint answered "invalid_request" with status 400: [masked] | [masked] | [masked] | plain words',
        },
      },
    })
    expect(error).not.toHaveProperty("cause.hint")
  })

  it("adds a hint for a known error, with the redirect URI if it is not registered", async () => {
    const refusing = (error: string) => pushing(() => Response.json({ error }, { status: 400 })).site
    expect(await failureOf(startFlow(refusing("redirect_uri_mismatch")))).toMatchObject({
      messageCode: "redirect-uri-mismatch",
      cause: {
        provider: "acme",
        hint: "register exactly this redirect URI at the provider",
        redirect_uri: `${ORIGIN}/auth/callback/acme`,
      },
    })
    const error = await failureOf(startFlow(refusing("invalid_scope")))
    expect(error).toMatchObject({
      messageCode: "scope-refused",
      cause: { hint: "compare the scope with the scopes that the provider allows for this client" },
    })
    expect(error).not.toHaveProperty("cause.redirect_uri")
  })
})
