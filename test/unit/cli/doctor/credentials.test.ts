import { checkCredentialValues } from "../../../../lib/cli/doctor/credentials.js"
import GitHub from "../../../../lib/providers/github.js"
import Google from "../../../../lib/providers/google.js"

const check = (
  clientId: string,
  clientSecret: string,
  provider: Pick<ReturnType<typeof Google>, "credentialShapes"> = {},
) => checkCredentialValues({ id: "op", clientId, clientSecret, shapes: provider.credentialShapes })

describe("checkCredentialValues", () => {
  it.each([
    ["an-id ", "a-secret", "credential-malformed"],
    ["an-id", '"a-secret"', "credential-malformed"],
    ["an-id", "your-client-secret", "credential-placeholder"],
    ["<client id>", "a-secret", "credential-placeholder"],
    ["xxxxx", "a-secret", "credential-placeholder"],
    ["one-and-the-same", "one-and-the-same", "credentials-swapped"],
  ])("reports the id %s and the secret %s as %s", (id, secret, code) =>
    expect(check(id, secret)).toMatchObject([{ level: "error", code }]),
  )

  it("does not include the values in its report", () =>
    expect(JSON.stringify(check("my-client-id ", "my-client-secret "))).not.toMatch(/my-client-id|my-client-secret/))

  it("accepts unusual values", () =>
    expect(check("my0client.example", "x~!yourself-8ad7")).toMatchObject([{ level: "ok" }]))

  it.each([
    ["GitHub", GitHub(), "Ov23liAbCdEfGhIjKlMn", "0123456789abcdef0123456789abcdef01234567"],
    ["Google", Google(), "1234567890-abc.apps.googleusercontent.com", "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"],
  ])("reports the id and the secret of %s as swapped if they are", (_, provider, id, secret) => {
    expect(check(id, secret, provider)).toMatchObject([{ level: "ok" }])
    expect(check(secret, id, provider)).toMatchObject([{ level: "error", code: "credentials-swapped" }])
  })
})
