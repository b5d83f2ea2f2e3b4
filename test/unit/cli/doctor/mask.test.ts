import { createMask } from "../../../../lib/cli/doctor/mask.js"

describe("createMask", () => {
  const mask = createMask([
    ["AUTH_SECRET", "s3cret-of-the-site"],
    ["DATABASE_URL", "postgres://app:pass%2Fword@db.example.com/app"],
    ["clientSecret", ["first-of-two", "second-of-two"]],
    ["server", { host: "mail.example.com", auth: { user: "me", pass: "p4ssword" } }],
    ["PATH", "/usr/bin"],
  ])

  it("masks secrets, and keeps host names and paths", () => {
    const masked = mask(
      "s3cret-of-the-site first-of-two second-of-two p4ssword pass%2Fword pass/word db.example.com mail.example.com /usr/bin",
    )
    expect(masked).toBe("*** *** *** *** *** *** db.example.com mail.example.com /usr/bin")
  })
})
