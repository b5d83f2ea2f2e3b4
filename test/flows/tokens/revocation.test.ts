/** Revocation of tokens (RFC 7009) at a provider without discovery. */
import { guardProcess } from "../support/guard.js"
import { createTokenSite, type ProviderCall } from "./token-site.js"

guardProcess()

const PROVIDER = { revocation: "https://op.test/revoke" }

describe("tokens of an account that is disconnected", () => {
  /** Signs in and disconnects. Returns the requests to the endpoint. */
  async function disconnect(
    respond: (call: ProviderCall) => Response,
    changes: object = {},
    provider: object = PROVIDER,
  ) {
    const site = createTokenSite({ provider, respond })
    const worker = site.start()
    await worker.signIn(changes)
    await worker.disconnect()
    return { calls: site.calls, records: worker.records }
  }
  const ok = () => new Response("")

  it("are revoked at the configured URL, with the authentication of the client", async () => {
    const { calls, records } = await disconnect(ok)
    const authorization = `Basic ${Buffer.from("id:secret").toString("base64")}`
    expect(calls).toMatchObject([
      { path: "/revoke", method: "POST", form: { token: "rt1", token_type_hint: "refresh_token" }, authorization },
    ])
    expect(records).toEqual([])
  })

  it("are revoked with the access token if there is no refresh token", async () => {
    const { calls } = await disconnect(ok, { refresh_token: undefined })
    expect(calls).toMatchObject([{ form: { token: "at1", token_type_hint: "access_token" } }])
  })

  it("are revoked with the access token if the provider accepts no refresh token", async () => {
    const refuse = ({ form }: ProviderCall) =>
      form["token"] === "rt1" ? Response.json({ error: "unsupported_token_type" }, { status: 400 }) : ok()
    const { calls, records } = await disconnect(refuse)
    expect(calls.map(({ form }) => form["token"])).toEqual(["rt1", "at1"])
    expect(records).toEqual([])
  })

  it("are revoked if the response has status 204, as at Reddit", async () => {
    const { calls, records } = await disconnect(() => new Response(null, { status: 204 }))
    expect([calls.length, records.length]).toEqual([1, 0])
  })

  it("are deleted even if the provider refuses to revoke them, and the refusal is logged once without the tokens", async () => {
    const { calls, records } = await disconnect(({ form }) =>
      Response.json({ error: "invalid_token", error_description: form["token"] }, { status: 400 }),
    )
    expect(calls).toHaveLength(2)
    expect(records).toHaveLength(1)
    expect(JSON.stringify(records.map(({ error }) => [error?.message, error?.stack, error?.cause]))).not.toMatch(
      /rt1|at1/,
    )
  })

  it("are only deleted if the provider has no endpoint", async () => {
    const { calls, records } = await disconnect(ok, {}, {})
    expect([calls.length, records.length]).toEqual([0, 0])
  })
})
