/**
 * FLT-06: numeric ids above the safe integer range (RFC 8259 §6). Two users could get the same id.
 *
 * @module
 */
import type { OAuth2Config } from "../../../lib/provider-kit/provider.js"
import { describeServers } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { param, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

type ToUser = NonNullable<OAuth2Config["profile"]>

/** A response with raw JSON, because JavaScript cannot serialize these numbers. */
const answer = (body: string) => ({ status: 200, body, headers: { "content-type": "application/json" } })

const PROFILES: readonly (readonly [what: string, json: (digits: string) => string, profile: ToUser])[] = [
  ["converted to a string", (id) => `{"id":${id}}`, ({ id }) => ({ id: String(id) })],
  ["not converted", (id) => `{"id":${id}}`, ({ id }) => ({ id: id as string })],
  [
    "from a nested object",
    (id) => `{"data":{"user":{"uid":${id}}}}`,
    ({ data }) => ({ id: `${Object(data).user.uid}` }),
  ],
]

describeServers("numeric id from a provider", (start, stage) => {
  const signInWith = async (json: string, profile: ToUser) => {
    const provider = op.oauth({ id: "oidc", profile })
    const site = await startSite({ start, stage, op }, { providers: [provider], mode: { plainOAuth: true } })
    op.set({ fault: { userinfo: answer(json) } })
    const browser = site.app.browser()
    const page = await signIn(browser, op)
    return { site, page, session: await sessionOf(browser) }
  }

  it.each(PROFILES)("FLT-06: is rejected above the safe integer range, %s", async (_what, json, profile) => {
    for (const id of ["9007199254740993", "12345678901234567890", "1000000000000000000000", "1e400"]) {
      const { site, page, session } = await signInWith(json(id), profile)
      expect([id, param(page.location, "error"), session]).toEqual([id, "OAuthCallbackError", null])
      expect(site.failures().map(({ code }) => code)).toEqual(["OAuthProfileParseError"])
    }
  })

  it.each(PROFILES)("FLT-06: is accepted within the safe integer range, %s", async (_what, json, profile) => {
    for (const id of ["9007199254740991", "0", "7"])
      expect((await signInWith(json(id), profile)).session).toMatchObject({ user: {} })
  })

  it("FLT-06: is ignored if the profile callback returns the string form of the id", async () => {
    const json = '{"id":1234567890123456768,"id_str":"1234567890123456768"}'
    const { session } = await signInWith(json, ({ id_str }) => ({ id: String(id_str) }))
    expect(session).toMatchObject({ user: {} })
  })
})
