import { checkPasted } from "../../../../lib/cli/doctor/clients.js"
import { createMask } from "../../../../lib/cli/doctor/mask.js"
import { peerFinding } from "../../../../lib/cli/doctor/packages.js"
import { satisfies } from "../../../../lib/cli/doctor/version.js"
import GitHub from "../../../../lib/providers/github.js"
import Google from "../../../../lib/providers/google.js"

const pasted = (
  clientId: string,
  clientSecret: string,
  provider: Pick<ReturnType<typeof Google>, "credentialShapes"> = {},
) => checkPasted({ subject: "op", id: "op", clientId, clientSecret, shapes: provider.credentialShapes })

describe("an id and a secret as they were pasted", () => {
  it.each([
    ["an-id ", "a-secret", "credential-malformed"],
    ["an-id", '"a-secret"', "credential-malformed"],
    ["an-id", "your-client-secret", "credential-placeholder"],
    ["<client id>", "a-secret", "credential-placeholder"],
    ["xxxxx", "a-secret", "credential-placeholder"],
    ["one-and-the-same", "one-and-the-same", "credentials-swapped"],
  ])("%s and %s: %s", (id, secret, code) => expect(pasted(id, secret)).toMatchObject([{ level: "error", code }]))

  it("says nothing of them that is the value itself", () =>
    expect(JSON.stringify(pasted("the-id-of-it ", "the-secret-of-it "))).not.toMatch(/the-id-of-it|the-secret-of-it/))

  it("may be anything that a provider gives", () =>
    expect(pasted("my0client.example", "x~!yourself-8ad7")).toMatchObject([{ level: "ok" }]))

  it.each([
    ["GitHub", GitHub(), "Ov23liAbCdEfGhIjKlMn", "0123456789abcdef0123456789abcdef01234567"],
    ["Google", Google(), "1234567890-abc.apps.googleusercontent.com", "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"],
  ])("of %s are noticed in each other's place", (_, provider, id, secret) => {
    expect(pasted(id, secret, provider)).toMatchObject([{ level: "ok" }])
    expect(pasted(secret, id, provider)).toMatchObject([{ level: "error", code: "credentials-swapped" }])
  })
})

describe("a package's version", () => {
  it.each([
    ["8.0.3", "^8.0.0 || ^10.0.0", true],
    ["9.1.0", "^8.0.0 || ^10.0.0", false],
    ["10.6.0", "^8.0.0 || ^10.0.0", true],
    ["4.17.3", "^4.18.0 || ^5.0.0", false],
    ["0.28.18", "^0.28.0", true],
    ["0.29.0", "^0.28.0", false],
    ["12.11.1", ">=11.0.0", true],
    ["10.9.9", ">=11.0.0", false],
    ["20.18.1", ">=20.19", false],
    ["22.0.0", ">=20.19", true],
    ["5.0.0-beta.1", "^5.0.0", true],
  ])("%s fits %s: %s", (version, range, expected) => expect(satisfies(version, range)).toBe(expected))

  it("is told with the line to write", () => {
    const peer = { by: "passkeys" }
    expect(peerFinding("a", "^2.0.0", peer, "1.0.0")).toMatchObject([
      {
        level: "error",
        code: "package-outdated",
        seen: "1.0.0, and ^2.0.0 is wanted",
        write: 'npm install "a@^2.0.0"',
      },
    ])
    expect(peerFinding("a", "^2.0.0", peer, undefined)).toMatchObject([{ code: "package-missing" }])
    expect(peerFinding("a", "^2.0.0", { ...peer, isAlternative: true }, undefined)).toEqual([])
  })
})

describe("what leaves for the terminal", () => {
  const mask = createMask([
    ["AUTH_SECRET", "s3cret-of-the-site"],
    ["DATABASE_URL", "postgres://app:pass%2Fword@db.example.com/app"],
    ["clientSecret", ["first-of-two", "second-of-two"]],
    ["server", { host: "mail.example.com", auth: { user: "me", pass: "p4ssword" } }],
    ["PATH", "/usr/bin"],
  ])

  it("has no secret in it, and still says where things are", () => {
    const told = mask(
      "s3cret-of-the-site first-of-two second-of-two p4ssword pass%2Fword pass/word db.example.com mail.example.com /usr/bin",
    )
    expect(told).toBe("*** *** *** *** *** *** db.example.com mail.example.com /usr/bin")
  })
})
