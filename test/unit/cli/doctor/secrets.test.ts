import { randomBytes } from "node:crypto"
import { weaknessOf } from "../../../../lib/cli/doctor/secrets.js"

describe("a secret that is long enough", () => {
  it.each([
    ["secretsecretsecretsecretsecretsecret", "it repeats itself"],
    ["0123456789012345678901234567890123456789", "it repeats itself"],
    ["abcdefghijklmnopqrstuvwxyz0123456789", "its characters follow each other"],
    ["axxaxaaxxxaxaaxaxaxxaxxxaxaaxxaxxaxax", "it has few different characters"],
    ["change-me-change-me-please-please-me", "it reads like an example"],
    ["your-secret-of-thirty-two-characters", "it reads like an example"],
    ["this is an Example of a secret, dear", "it reads like an example"],
  ])("%s can be guessed: %s", (secret, why) => expect(weaknessOf(secret)).toBe(why))

  it("is taken for random when it is, in every spelling that people use", () => {
    const made = Array.from({ length: 300 }, () => randomBytes(32))
    const spelled = made.flatMap((bytes) => [
      bytes.toString("base64"),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ])
    const short = made.map((bytes) => bytes.toString("hex").slice(0, 32))
    expect([...spelled, ...short].filter((secret) => weaknessOf(secret) !== undefined)).toEqual([])
  })
})
