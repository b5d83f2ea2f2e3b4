/** The codes of the second factor: how they are created, parsed, stored and used. */
import { createRecoveryCodes, removeUsedCode } from "../../../lib/second-factor/recovery-codes.js"
import { createQrCode, createSecret, findTimeStep, parseTotp } from "../../../lib/second-factor/totp.js"
import { parseTypedCode, randomCodeCharacters } from "../../../lib/security/typed-code.js"
import { codeAt } from "../../support/second-factor.js"

/** The SHA-1 secret of RFC 6238 appendix B, "12345678901234567890" as Base32. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

describe("a TOTP code", () => {
  // Appendix B has eight digits, of which an app shows the last six.
  it.each([
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ])("at %i s is the one of RFC 6238 appendix B", (seconds, code) => {
    expect(findTimeStep(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  it("is valid one step before and after its own step, and findTimeStep returns its own step", () => {
    const now = 1_800_000_000_000
    const step = now / 30_000
    const steps = [-2, -1, 0, 1, 2].map((offset) =>
      findTimeStep(RFC_SECRET, codeAt(RFC_SECRET, now + offset * 30_000), now),
    )
    expect(steps).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  it.each([
    ["123456", "123456"],
    [" 123 456 ", "123456"],
    ["１２３４５６", "123456"],
    ["12345", undefined],
    ["1234567", undefined],
    ["12345a", undefined],
    ["1".repeat(1_000_000), undefined],
    ["", undefined],
  ])("is parsed from what users type: %j", (typed, expected) => {
    expect(parseTotp(typed)).toBe(expected)
  })
})

describe("a secret", () => {
  it("has 160 random bits as Base32", () => {
    const secrets = Array.from({ length: 100 }, createSecret)
    expect(secrets.every((secret) => /^[A-Z2-7]{32}$/.test(secret))).toBe(true)
    expect(new Set(secrets).size).toBe(100)
  })

  it("is shown as a QR code with the light border that scanners need", () => {
    const { size, path } = createQrCode({ issuer: "Example", label: "ada@example.com", secret: RFC_SECRET })
    const cells = [...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => [Number(x), Number(y)])
    expect(cells.length).toBeGreaterThan(300)
    expect(cells.flat().every((at) => at >= 4 && at < size - 4)).toBe(true)
  })
})

describe("recovery codes", () => {
  it("are ten codes of ten characters, of which only slow hashes are stored", async () => {
    const { codes, stored } = await createRecoveryCodes()
    expect([codes.length, new Set(codes).size, stored.hashes.length]).toEqual([10, 10, 10])
    expect(codes.every((code) => /^[CDFHJKMNPRTVWXY3479]{5}-[CDFHJKMNPRTVWXY3479]{5}$/.test(code))).toBe(true)
    const text = JSON.stringify(stored)
    expect(codes.filter((code) => text.includes(code) || text.includes(code.replace("-", "")))).toEqual([])
    const [first] = codes
    const started = process.cpuUsage()
    expect((await removeUsedCode(first ?? "", stored))?.hashes).toHaveLength(9)
    // Guessing 42 bits must stay expensive: a fast hash takes microseconds.
    expect(process.cpuUsage(started).user).toBeGreaterThan(5_000)
  })

  it("can each be used once, in any spelling", async () => {
    const { codes, stored } = await createRecoveryCodes()
    const [first = "", second = ""] = codes
    const afterFirst = await removeUsedCode(` ${first.toLowerCase().replace("-", " ")} `, stored)
    expect(await removeUsedCode(first, afterFirst ?? stored)).toBeUndefined()
    expect((await removeUsedCode(second, afterFirst ?? stored))?.hashes).toHaveLength(8)
    expect([await removeUsedCode("CCCCC-CCCCC", stored), await removeUsedCode("", stored)]).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe("typed characters", () => {
  it("are uniformly distributed", () => {
    const text = randomCodeCharacters(19_000)
    const counts = [...new Set(text)].map((one) => text.split(one).length - 1)
    expect([counts.length, Math.min(...counts) > 800, Math.max(...counts) < 1_200]).toEqual([19, true, true])
  })

  it("of another length or alphabet are refused", () => {
    expect([parseTypedCode("CDFH", 5), parseTypedCode("CDFHA", 5), parseTypedCode("cd-fh j", 5)]).toEqual([
      undefined,
      undefined,
      "CDFHJ",
    ])
  })
})
