import { createCode, formatCode, parseCode } from "../../../../lib/methods/email/code.js"
import { fc } from "../../../support/properties.js"

const LETTERS = [..."CDFHJKMNPRTVWXY3479"]
const letter = fc.constantFrom(...LETTERS)
const code = fc.array(letter, { minLength: 8, maxLength: 8 }).map((letters) => letters.join(""))
/** Separators that users, keyboards and email programs insert between and around the characters. */
const gap = fc.constantFrom("", " ", "-", " - ", "\t", "\u00A0", "‐", "–", "\u200B", "\u00AD", "\n")

describe("createCode", () => {
  it("draws each of the 19 characters with the same probability in each of the 8 places", () => {
    const codes = Array.from({ length: 19_000 }, createCode)
    for (let place = 0; place < 8; place++) {
      const counts = LETTERS.map((one) => codes.filter((text) => text[place] === one).length)
      expect(counts.reduce((sum, count) => sum + count)).toBe(codes.length)
      // About eight standard deviations from 1,000.
      for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(250)
    }
  })
})

describe("parseCode", () => {
  it("reads a code with any case, spaces and hyphens", () => {
    fc.assert(
      fc.property(code, fc.array(gap, { minLength: 9, maxLength: 9 }), fc.boolean(), (text, gaps, isLower) => {
        const typed = gaps.map((between, index) => between + (text[index] ?? "")).join("")
        expect(parseCode(isLower ? typed.toLowerCase() : typed)).toBe(text)
      }),
    )
  })

  it("reads a code in the format of the email", () => {
    fc.assert(
      fc.property(code, (text) => {
        expect(formatCode(text)).toMatch(/^\w{4}-\w{4}$/)
        expect(parseCode(formatCode(text))).toBe(text)
      }),
    )
  })

  it("returns a code or undefined for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 120 }), (text) => {
        const parsed = parseCode(text)
        expect(parsed === undefined || /^[CDFHJKMNPRTVWXY3479]{8}$/.test(parsed)).toBe(true)
      }),
    )
  })

  it("rejects other characters and lengths", () => {
    for (const text of ["", "CDFHJKM", "CDFHJKMNP", "ADFHJKMN", "0DFHJKMN", "CDFH.JKMN", "x".repeat(1_000_000)])
      expect(parseCode(text)).toBeUndefined()
  })
})
