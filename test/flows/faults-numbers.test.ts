/**
 * FLT-06: numbers in a provider's answer that JSON can't tell from their neighbours (RFC 8259 §6): two people would be
 * one.
 *
 * @module
 */
import type { OAuth2Config } from "../../lib/providers/provider.js"
import { describeServers } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { param, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

type ToUser = NonNullable<OAuth2Config["profile"]>

/** JSON as it goes over the wire: here a number has more digits than anybody can write it with. */
const answer = (body: string) => ({ status: 200, body, headers: { "content-type": "application/json" } })

const PEOPLE: readonly (readonly [what: string, json: (digits: string) => string, profile: ToUser])[] = [
  ["as text", (id) => `{"id":${id}}`, ({ id }) => ({ id: String(id) })],
  ["as it is", (id) => `{"id":${id}}`, ({ id }) => ({ id: id as string })],
  ["from within", (id) => `{"data":{"user":{"uid":${id}}}}`, ({ data }) => ({ id: `${Object(data).user.uid}` })],
]

describeServers("an id that is a number", (start, stage) => {
  const visit = async (json: string, profile: ToUser) => {
    const provider = op.oauth({ id: "oidc", profile })
    const site = await startSite({ start, stage, op }, { providers: [provider], mode: { plainOAuth: true } })
    op.set({ fault: { userinfo: answer(json) } })
    const browser = site.app.browser()
    const page = await signIn(browser, op)
    return { site, page, session: await sessionOf(browser) }
  }

  it.each(PEOPLE)(
    "FLT-06: of more digits than can be told apart is nobody's, taken %s",
    async (_what, json, profile) => {
      for (const id of ["9007199254740993", "12345678901234567890", "1000000000000000000000", "1e400"]) {
        const { site, page, session } = await visit(json(id), profile)
        expect([id, param(page.location, "error"), session]).toEqual([id, "OAuthCallbackError", null])
        expect(site.failures().map(({ code }) => code)).toEqual(["OAuthProfileParseError"])
      }
    },
  )

  it.each(PEOPLE)(
    "FLT-06: of as many digits as can be told apart is somebody's, taken %s",
    async (_what, json, profile) => {
      for (const id of ["9007199254740991", "0", "7"])
        expect((await visit(json(id), profile)).session).toMatchObject({ user: {} })
    },
  )

  it("FLT-06: may stand beside its text, which can be told apart", async () => {
    const json = '{"id":1234567890123456768,"id_str":"1234567890123456768"}'
    const { session } = await visit(json, ({ id_str }) => ({ id: String(id_str) }))
    expect(session).toMatchObject({ user: {} })
  })
})
