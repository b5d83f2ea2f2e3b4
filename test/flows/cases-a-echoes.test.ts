/**
 * ADV-16 in other shapes: secrets that come back by way of somebody else's error message.
 *
 * @module
 */
import type { OIDCConfig } from "../../lib/providers/provider.js"
import type { TokenSet } from "../../lib/types.js"
import { describeServers, shapesOn } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { ALICE, type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused, type Refusal } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { comeBack, expectNoSecret, goAndAgree, signIn, startSite, withParams } from "./support/site.js"

guardProcess()

/** Spelled differently in a header, in an address and in a form. */
const SECRET = "S3cret: of 100% é+more/=~ letters, more than forty of them"

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider({ clientSecret: SECRET })
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const METHODS = ["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const

describeServers("ADV-16: a secret that comes back", (start, stage) => {
  const rows = shapesOn(stage)

  /** Refused, with no secret in the log at any level, and with something masked in it. */
  async function keepsSecret(overrides: Partial<OIDCConfig>, refusal: Partial<Refusal>) {
    const one = await startSite({ start, stage, op }, { providers: [op.oidc(overrides)], config: { debug: true } })
    await expectRefused(one, { reason: /\[masked\]/, ...refusal })
    expectNoSecret(one, one.logText())
  }

  const byMethod = (token_endpoint_auth_method: string) => ({ client: { token_endpoint_auth_method } })

  describe.each(rows(METHODS))("from a token endpoint that repeats a request by %s", (method) => {
    it.each(
      rows<[string, (headers: object, body: string) => object]>([
        ["headers and body", (headers, body) => ({ error_description: `${JSON.stringify(headers)} ${body}` })],
        ["body and headers", (headers, body) => ({ error_description: `${body} ${JSON.stringify(headers)}` })],
        ["fields", (_, body) => ({ error_description: decodeURIComponent(body.replaceAll("+", " ")) })],
        ["all of it as the error", (headers, body) => ({ error: `${JSON.stringify(headers)} ${body}` })],
        [
          "all of it after a long text",
          (headers, body) => ({ error_description: `${"x".repeat(700)} ${body} ${JSON.stringify(headers)}` }),
        ],
      ]),
    )("stays out of the log: %s", (_, describeIt) =>
      keepsSecret(byMethod(method), {
        mode: {
          fault: {
            token: ({ headers, body }) => ({
              status: 400,
              body: { error: "invalid_request", ...describeIt(headers, body) },
            }),
          },
        },
      }),
    )
  })

  it("stays out of the log where the secret is made anew each time", () =>
    keepsSecret(
      { clientSecret: () => SECRET },
      {
        mode: {
          fault: {
            token: ({ headers }) => ({
              status: 401,
              body: { error: "invalid_client", error_description: `unknown: ${headers.authorization}` },
            }),
          },
        },
      },
    ))

  it("stays out of the log where a function gave it, and the answer says it in clear", () =>
    keepsSecret(
      { clientSecret: async () => SECRET },
      {
        mode: {
          fault: {
            token: {
              status: 401,
              body: { error: "invalid_client", error_description: `the secret ${SECRET} has expired` },
            },
          },
        },
      },
    ))

  it("stays out of the log and the page where an error of the provider's page repeats the request", () =>
    keepsSecret(
      {},
      {
        mode: () => {
          op.set({
            authorizationResponse: ({ state, code, iss }: Claims) => {
              const { nonce } = op.last("/authorize").query
              return { state, iss, error: `${nonce}`, error_description: `state=${state}&nonce=${nonce}&code=${code}` }
            },
          })
        },
      },
    ))

  it("leaves the record readable where somebody makes a code up of one letter", async () => {
    const one = await startSite({ start, stage, op })
    const attempt = async (browser: Browser) =>
      comeBack(browser, op, withParams(await goAndAgree(browser, op), { code: "e" }))
    await expectRefused(one, {
      attempt,
      reason: /the token endpoint answered "invalid_grant" with status 400: unknown/,
    })
  })

  it.each(rows(["userinfo.request", "profile", "isAllowed"]))(
    "stays out of the log where the provider's own %s throws it",
    async (name) => {
      let isBroken = false
      const spoil = ({ access_token, refresh_token, id_token }: TokenSet) => {
        if (isBroken) throw new Error(`GET /?access_token=${access_token} failed: ${refresh_token} ${id_token}`)
      }
      const overrides: Record<string, Partial<OIDCConfig>> = {
        "userinfo.request": {
          idToken: false,
          userinfo: {
            request({ tokens }: { tokens: TokenSet }) {
              spoil(tokens)
              return ALICE
            },
          },
        },
        profile: {
          profile(claims, tokens) {
            spoil(tokens)
            return { id: String(claims.sub), name: String(claims.name) }
          },
        },
        isAllowed: {
          isAllowed() {
            const [access_token, refresh_token, id_token] = [...op.secrets].filter((text) =>
              /^(at-|rt-|eyJ)/.test(text),
            )
            spoil({ access_token, refresh_token, id_token } as TokenSet)
            return true
          },
        },
      }
      const attempt = async (browser: Browser) => {
        op.secrets.clear()
        op.secrets.add(SECRET)
        isBroken = true
        const page = await signIn(browser, op)
        isBroken = false
        return page
      }
      await keepsSecret(overrides[name] ?? {}, { attempt })
    },
  )
})
