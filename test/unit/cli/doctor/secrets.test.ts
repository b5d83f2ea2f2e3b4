import { randomBytes } from "node:crypto"
import { findWeakness } from "../../../../lib/cli/doctor/secrets.js"

describe("findWeakness", () => {
  it.each([
    ["secretsecretsecretsecretsecretsecret", "it repeats itself"],
    ["0123456789012345678901234567890123456789", "it repeats itself"],
    ["abcdefghijklmnopqrstuvwxyz0123456789", "its characters are in sequence"],
    ["axxaxaaxxxaxaaxaxaxxaxxxaxaaxxaxxaxax", "it has few different characters"],
    ["change-me-change-me-please-please-me", "it looks like an example"],
    ["your-secret-of-thirty-two-characters", "it looks like an example"],
    ["this is an Example of a secret, dear", "it looks like an example"],
  ])("finds that %s can be guessed because %s", (secret, why) => expect(findWeakness(secret)).toBe(why))

  it("accepts random secrets as base64, base64url and hex", () => {
    const made = Array.from({ length: 300 }, () => randomBytes(32))
    const spelled = made.flatMap((bytes) => [
      bytes.toString("base64"),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ])
    const short = made.map((bytes) => bytes.toString("hex").slice(0, 32))
    expect([...spelled, ...short].filter((secret) => findWeakness(secret) !== undefined)).toEqual([])
  })
})
