import { failureOf, settingWith, signIn } from "./answering.js"

const SECRET = "vault-s3cret-value-123456"
const byRequest = {
  token: {
    url: "https://acme.test/token",
    request: ({ provider }: { provider: { clientSecret: string } }) => {
      throw new Error(`POST secret=${provider.clientSecret} failed`)
    },
  },
}

describe("ADV-16: the log of a failure", () => {
  it.each<[string, object]>([
    ["a promise", { clientSecret: async () => SECRET }],
    ["a text", { clientSecret: () => SECRET }],
    [
      "a text, in the form",
      { clientSecret: () => SECRET, client: { token_endpoint_auth_method: "client_secret_post" } },
    ],
    ["a promise, for the provider's own request", { clientSecret: async () => SECRET, ...byRequest }],
  ])("is without a secret that a function gave as %s", async (_, provider) => {
    const error_description = `the secret ${SECRET} has expired`
    const echo = () => Response.json({ error: "invalid_client", error_description }, { status: 401 })
    const error = await failureOf(signIn(settingWith({ "/token": echo }, provider)))
    const { message, stack } = Object(error).cause.err
    expect(message).toContain("[masked]")
    expect(message + stack).not.toContain(SECRET)
  })

  it("is without the secret of this very exchange, which a function makes anew each time", async () => {
    let made = 0
    const clientSecret = async () => `${SECRET}-${++made}`
    const echo = async ({ headers }: Request) => {
      const sent = Buffer.from(String(headers.get("authorization")).slice(6), "base64")
        .toString()
        .split(":")[1]
      const error_description = `${decodeURIComponent(String(sent))} is wrong`
      return Response.json({ error: "invalid_client", error_description }, { status: 401 })
    }
    const setting = settingWith({ "/token": echo }, { clientSecret })
    const errors = await Promise.all([1, 2, 3].map(() => failureOf(signIn(setting))))
    for (const error of errors)
      expect(error).toMatchObject({
        cause: { err: { message: 'the token endpoint answered "invalid_client" with status 401: [masked] is wrong' } },
      })
    expect(made).toBe(3)
  })

  it("is told where a token is no text that an address could have", async () => {
    const half = JSON.parse('"half a pair: \\ud800"')
    const answers = {
      "/token": () => Response.json({ access_token: "a", token_type: "Bearer", refresh_token: half }),
      "/me": () => Response.json({ name: "nobody" }),
    }
    const profile = () => {
      throw new Error(`no id with ${half}`)
    }
    expect(await failureOf(signIn(settingWith(answers, { profile })))).toMatchObject({
      cause: { provider: "acme", err: { message: "no id with [masked]" } },
    })
  })

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", 1_234_567],
  ])("is told where a function gives %s in place of a secret", async (_, given) => {
    const refused = settingWith(
      { "/token": () => Response.json({ error: "invalid_client" }, { status: 400 }) },
      { clientSecret: async () => given },
    )
    expect(await failureOf(signIn(refused))).toMatchObject({ type: "OAuthCallbackError", cause: { provider: "acme" } })
  })

  it.each<[string, object]>([
    ["a text", { clientSecret: SECRET }],
    ["a function", { clientSecret: async () => SECRET }],
  ])("is without a secret given as %s that the provider's own profile function throws", async (_, given) => {
    const profile = async (...[, , { provider }]: [unknown, unknown, { provider: { clientSecret: unknown } }]) => {
      const { clientSecret } = provider
      throw new Error(`GET /people?secret=${typeof clientSecret === "function" ? await clientSecret() : clientSecret}`)
    }
    expect(await failureOf(signIn(settingWith({}, { ...given, profile })))).toMatchObject({
      type: "OAuthProfileParseError",
      cause: { err: { message: "GET /people?secret=[masked]" } },
    })
  })

  it.each(["vault-", "s3cret", "-123456"])(
    "is without all of a secret where the code is a part of it: %s",
    async (code) => {
      const echo = async (request: Request) => {
        const sent = new URLSearchParams(await request.text()).get("code")
        const error_description = `${sent} | ${SECRET} | ${SECRET}`
        return Response.json({ error: "invalid_client", error_description }, { status: 401 })
      }
      const error = await failureOf(signIn(settingWith({ "/token": echo }, { clientSecret: SECRET }), { code }))
      const message = 'the token endpoint answered "invalid_client" with status 401: [masked] | [masked] | [masked]'
      expect(error).toMatchObject({ cause: { err: { message } } })
    },
  )

  it.each([
    ["a token of anybody's", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln is bad", "[masked] is bad"],
    ["one without a signature", "eyJhbGciOiJub25lIn0.e30. is bad", "[masked] is bad"],
    ["one that is cut off", "no eyJhbGciOi.ey", "no [masked]"],
    ["one beside another", "eyJhbGciOiJub25lIn0.a.b,eyJhbGciOiJub25lIn0..c", "[masked],[masked]"],
    ["a sealed one", "eyJhbGciOiJkaXIifQ..a-b.c_d.e", "[masked]"],
    ["one behind a hyphen", "t-eyJhbGciOiJub25lIn0.abc.d-f is bad", "t-[masked] is bad"],
    ["a beginning of one behind a hyphen", "t-eyJhbGciOiJub25lIn0. is bad", "t-[masked] is bad"],
  ])("has a provider's text without %s", async (_, error_description, said) => {
    const refused = () => Response.json({ error: "invalid_client", error_description }, { status: 401 })
    expect(await failureOf(signIn(settingWith({ "/token": refused })))).toMatchObject({
      cause: { err: { message: `the token endpoint answered "invalid_client" with status 401: ${said}` } },
    })
  })

  describe("that repeats the id and the secret in Base64, without the scheme", () => {
    // The pair has "+", "/" and "=" in it.
    const [clientId, secret] = ["our client", "s~3?>cret÷~~~÷12"]
    const base64 = (text: string) => Buffer.from(text).toString("base64")
    const sent = base64(`our+client:${new URLSearchParams({ "": secret }).toString().slice(1)}`)
    const plain = base64(`${clientId}:${secret}`)
    const spellings = {
      "as it was sent": sent,
      "without its padding": sent.replace(/=+$/, ""),
      "in an address": encodeURIComponent(sent),
      "of the pair as it is": plain,
      "of the pair as it is, in an address": encodeURIComponent(plain),
      "of the pair as it is, as base64url": Buffer.from(`${clientId}:${secret}`).toString("base64url"),
    }

    it.each(Object.entries(spellings))("is without it: %s", async (_, echoed) => {
      expect(plain).toMatch(/[+/].*=$/)
      for (const clientSecret of [secret, async () => secret]) {
        const echo = () =>
          Response.json({ error: "invalid_client", error_description: `got ${echoed}.` }, { status: 401 })
        const error = await failureOf(signIn(settingWith({ "/token": echo }, { clientId, clientSecret })))
        const message = 'the token endpoint answered "invalid_client" with status 401: got [masked].'
        expect(error).toMatchObject({ cause: { err: { message } } })
      }
    })
  })
})
