/**
 * ADV-16: secrets in error messages of providers and callbacks are not logged.
 *
 * @module
 */
import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import type { TokenSet } from "../../../lib/types.js"
import { describeServers, shapesOn } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { ALICE, type Claims } from "../../support/faulty-provider.js"
import { expectRefused, type Refusal } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { expectNoSecret, openCallback, signIn, startAndApprove, startSite, withParams } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

/** A secret whose encodings in a header, a URL and a form differ. */
const SECRET = "S3cret: of 100% é+more/=~ letters, more than forty of them"

const op = useProvider({ clientSecret: SECRET })

const METHODS = ["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const

describeServers("ADV-16: a secret", (start, stage) => {
  const rows = shapesOn(stage)

  /** Expects a refused sign-in whose log contains masked text and no secret, at any level. */
  async function expectMasked(overrides: Partial<OIDCConfig>, refusal: Partial<Refusal>) {
    const site = await startSite({ start, stage, op }, { providers: [op.oidc(overrides)], config: { debug: true } })
    await expectRefused(site, { reason: /\[masked\]/, ...refusal })
    expectNoSecret(site, site.logText())
  }

  const byMethod = (token_endpoint_auth_method: string) => ({ client: { token_endpoint_auth_method } })

  describe.each(rows(METHODS))("in an error of a token endpoint that repeats a request with %s", (method) => {
    it.each(
      rows<[string, (headers: object, body: string) => object]>([
        ["headers and body", (headers, body) => ({ error_description: `${JSON.stringify(headers)} ${body}` })],
        ["body and headers", (headers, body) => ({ error_description: `${body} ${JSON.stringify(headers)}` })],
        ["fields", (_, body) => ({ error_description: decodeURIComponent(body.replaceAll("+", " ")) })],
        ["the request as the error code", (headers, body) => ({ error: `${JSON.stringify(headers)} ${body}` })],
        [
          "the request after a long text",
          (headers, body) => ({ error_description: `${"x".repeat(700)} ${body} ${JSON.stringify(headers)}` }),
        ],
      ]),
    )("is not logged: %s", (_, buildError) =>
      expectMasked(byMethod(method), {
        mode: {
          fault: {
            token: ({ headers, body }) => ({
              status: 400,
              body: { error: "invalid_request", ...buildError(headers, body) },
            }),
          },
        },
      }),
    )
  })

  it("is not logged if clientSecret is a function", () =>
    expectMasked(
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

  it("is not logged if clientSecret is an asynchronous function and the error contains it unencoded", () =>
    expectMasked(
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

  it("is not logged or shown if the authorization response repeats the request", () =>
    expectMasked(
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

  it("is masked only if it is long enough: a forged code of one letter leaves the record readable", async () => {
    const site = await startSite({ start, stage, op })
    const attempt = async (browser: Browser) =>
      openCallback(browser, op, withParams(await startAndApprove(browser, op), { code: "e" }))
    await expectRefused(site, {
      attempt,
      reason: /the token endpoint answered "invalid_grant" with status 400: unknown/,
    })
  })

  it.each(rows(["userinfo.request", "profile", "isAllowed"]))(
    "is not logged if the provider's %s throws an error with it",
    async (name) => {
      let isBroken = false
      const failWithTokens = ({ access_token, refresh_token, id_token }: TokenSet) => {
        if (isBroken) throw new Error(`GET /?access_token=${access_token} failed: ${refresh_token} ${id_token}`)
      }
      const overrides: Record<string, Partial<OIDCConfig>> = {
        "userinfo.request": {
          idToken: false,
          userinfo: {
            request({ tokens }: { tokens: TokenSet }) {
              failWithTokens(tokens)
              return ALICE
            },
          },
        },
        profile: {
          profile(claims, tokens) {
            failWithTokens(tokens)
            return { id: String(claims.sub), name: String(claims.name) }
          },
        },
        isAllowed: {
          isAllowed() {
            const [access_token, refresh_token, id_token] = [...op.secrets].filter((text) =>
              /^(at-|rt-|eyJ)/.test(text),
            )
            failWithTokens({ access_token, refresh_token, id_token } as TokenSet)
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
      await expectMasked(overrides[name] ?? {}, { attempt })
    },
  )
})
