import { failureOf, signIn, siteWith } from "./fake-endpoints.js"

const SECRET = "vault-s3cret-value-123456"
const byRequest = {
  token: {
    url: "https://acme.test/token",
    request: ({ provider }: { provider: { clientSecret: string } }) => {
      throw new Error(`POST secret=${provider.clientSecret} failed`)
    },
  },
}

describe("ADV-16: the error of finishOAuth", () => {
  it.each<[string, object]>([
    ["a promise", { clientSecret: async () => SECRET }],
    ["a string", { clientSecret: () => SECRET }],
    [
      "a string, with client_secret_post",
      { clientSecret: () => SECRET, client: { token_endpoint_auth_method: "client_secret_post" } },
    ],
    ["a promise, with the provider's own token request", { clientSecret: async () => SECRET, ...byRequest }],
  ])("masks a secret that a function returns as %s", async (_, provider) => {
    const error_description = `the secret ${SECRET} has expired`
    const echo = () => Response.json({ error: "invalid_client", error_description }, { status: 401 })
    const error = await failureOf(signIn(siteWith({ "/token": echo }, provider)))
    const { message, stack } = Object(error).cause.err
    expect(message).toContain("[masked]")
    expect(message + stack).not.toContain(SECRET)
  })

  it("masks the secret of its own exchange if the function returns another secret each time", async () => {
    let calls = 0
    const clientSecret = async () => `${SECRET}-${++calls}`
    const echo = async ({ headers }: Request) => {
      const sent = Buffer.from(String(headers.get("authorization")).slice(6), "base64")
        .toString()
        .split(":")[1]
      const error_description = `${decodeURIComponent(String(sent))} is wrong`
      return Response.json({ error: "invalid_client", error_description }, { status: 401 })
    }
    const site = siteWith({ "/token": echo }, { clientSecret })
    const errors = await Promise.all([1, 2, 3].map(() => failureOf(signIn(site))))
    for (const error of errors)
      expect(error).toMatchObject({
        cause: { err: { message: 'the token endpoint answered "invalid_client" with status 401: [masked] is wrong' } },
      })
    expect(calls).toBe(3)
  })

  it("masks a token that is not well-formed Unicode", async () => {
    const half = JSON.parse('"half a pair: \\ud800"')
    const responses = {
      "/token": () => Response.json({ access_token: "a", token_type: "Bearer", refresh_token: half }),
      "/me": () => Response.json({ name: "Ada" }),
    }
    const profile = () => {
      throw new Error(`no id with ${half}`)
    }
    expect(await failureOf(signIn(siteWith(responses, { profile })))).toMatchObject({
      cause: { provider: "acme", err: { message: "no id with [masked]" } },
    })
  })

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a number", 1_234_567],
  ])("is thrown even if the secret function returns %s", async (_, given) => {
    const refused = siteWith(
      { "/token": () => Response.json({ error: "invalid_client" }, { status: 400 }) },
      { clientSecret: async () => given },
    )
    expect(await failureOf(signIn(refused))).toMatchObject({ type: "OAuthCallbackError", cause: { provider: "acme" } })
  })

  it.each<[string, object]>([
    ["a string", { clientSecret: SECRET }],
    ["a function", { clientSecret: async () => SECRET }],
  ])("masks a secret in an error of profile(), if the secret is given as %s", async (_, given) => {
    const profile = async (...[, , { provider }]: [unknown, unknown, { provider: { clientSecret: unknown } }]) => {
      const { clientSecret } = provider
      throw new Error(`GET /people?secret=${typeof clientSecret === "function" ? await clientSecret() : clientSecret}`)
    }
    expect(await failureOf(signIn(siteWith({}, { ...given, profile })))).toMatchObject({
      type: "OAuthProfileParseError",
      cause: { err: { message: "GET /people?secret=[masked]" } },
    })
  })

  it.each(["vault-", "s3cret", "-123456"])(
    "masks a whole secret, even if the code is a part of it: %s",
    async (code) => {
      const echo = async (request: Request) => {
        const sent = new URLSearchParams(await request.text()).get("code")
        const error_description = `${sent} | ${SECRET} | ${SECRET}`
        return Response.json({ error: "invalid_client", error_description }, { status: 401 })
      }
      const error = await failureOf(signIn(siteWith({ "/token": echo }, { clientSecret: SECRET }), { code }))
      const message = 'the token endpoint answered "invalid_client" with status 401: [masked] | [masked] | [masked]'
      expect(error).toMatchObject({ cause: { err: { message } } })
    },
  )

  it.each([
    ["any JWT", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln is bad", "[masked] is bad"],
    ["a JWT without a signature", "eyJhbGciOiJub25lIn0.e30. is bad", "[masked] is bad"],
    ["a truncated JWT", "no eyJhbGciOi.ey", "no [masked]"],
    ["two adjacent JWTs", "eyJhbGciOiJub25lIn0.a.b,eyJhbGciOiJub25lIn0..c", "[masked],[masked]"],
    ["a JWE", "eyJhbGciOiJkaXIifQ..a-b.c_d.e", "[masked]"],
    ["a JWT after a hyphen", "t-eyJhbGciOiJub25lIn0.abc.d-f is bad", "t-[masked] is bad"],
    ["a truncated JWT after a hyphen", "t-eyJhbGciOiJub25lIn0. is bad", "t-[masked] is bad"],
  ])("masks %s in the provider's error description", async (_, error_description, masked) => {
    const refused = () => Response.json({ error: "invalid_client", error_description }, { status: 401 })
    expect(await failureOf(signIn(siteWith({ "/token": refused })))).toMatchObject({
      cause: { err: { message: `the token endpoint answered "invalid_client" with status 401: ${masked}` } },
    })
  })

  describe("with Basic credentials that the provider repeats without the scheme", () => {
    // The encoded pair contains "+", "/" and "=".
    const [clientId, secret] = ["our client", "s~3?>cret÷~~~÷12"]
    const base64 = (text: string) => Buffer.from(text).toString("base64")
    const sent = base64(`our+client:${new URLSearchParams({ "": secret }).toString().slice(1)}`)
    const plain = base64(`${clientId}:${secret}`)
    const spellings = {
      "as sent": sent,
      "without padding": sent.replace(/=+$/, ""),
      "URL-encoded": encodeURIComponent(sent),
      "of the plain id and secret": plain,
      "of the plain id and secret, URL-encoded": encodeURIComponent(plain),
      "of the plain id and secret, as base64url": Buffer.from(`${clientId}:${secret}`).toString("base64url"),
    }

    it.each(Object.entries(spellings))("masks the credentials %s", async (_, echoed) => {
      expect(plain).toMatch(/[+/].*=$/)
      for (const clientSecret of [secret, async () => secret]) {
        const echo = () =>
          Response.json({ error: "invalid_client", error_description: `got ${echoed}.` }, { status: 401 })
        const error = await failureOf(signIn(siteWith({ "/token": echo }, { clientId, clientSecret })))
        const message = 'the token endpoint answered "invalid_client" with status 401: got [masked].'
        expect(error).toMatchObject({ cause: { err: { message } } })
      }
    })
  })
})
