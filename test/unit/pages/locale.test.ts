import {
  canonicalTag,
  createNegotiation,
  formatUnits,
  listFallbacks,
  parseAcceptLanguage,
  textDirection,
} from "../../../lib/pages/locale.js"
import { fc } from "../../support/properties.js"
import { shortestDuration } from "../../support/shortest-duration.js"

const OFFERED = "ar de en es fr hi it ja ko nl pl pt tr zh".split(" ")
const negotiate = createNegotiation(OFFERED)

describe("createNegotiation", () => {
  it.each<[string | null | undefined, string | undefined]>([
    ["de", "de"],
    ["DE", "de"],
    ["de-AT", "de"],
    ["de-Latn-DE-1996", "de"],
    ["de-AT-u-co-phonebk", "de"],
    ["en-GB,en;q=0.9", "en"],
    ["fr;q=0.5, de;q=0.9", "de"],
    ["de;q=0.5, fr;q=0.5", "de"],
    ["fr ; q=0.5 ,\tit", "it"],
    ["sv, da;q=0.9, nl;q=0.1", "nl"],
    ["de;q=0, fr;q=0.1", "fr"],
    ["de;q=0", undefined],
    ["sv, de;q=0.0", undefined],
    ["de;q=0.000, fr", "fr"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
    ["zh-Hans", "zh"],
    ["zh-Hans-SG", "zh"],
    ["zh-SG", "zh"],
    // "zh" is in the simplified script, and zh-TW is in the traditional one, so English is preferred.
    ["zh-TW,en;q=0.8,zh;q=0.7", "en"],
    ["zh-Hant", undefined],
    // The browser lists plain "zh" as well.
    ["zh-TW,zh;q=0.9,en;q=0.8", "zh"],
    ["pt-BR", "pt"],
    ["pt-PT,pt;q=0.9,en;q=0.8", "pt"],
    ["ar-EG", "ar"],
    ["hi-IN,hi;q=0.9", "hi"],
    ["hi-Latn", undefined],
    ["*", undefined],
    ["*, de;q=0.1", "de"],
    ["sv", undefined],
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("for the header %j chooses the language %j", (header, expected) => expect(negotiate(header)).toBe(expected))

  it.each<[readonly string[], string, string | undefined]>([
    [["en", "pt-BR"], "pt-PT", "pt-BR"],
    [["en", "pt", "pt-BR"], "pt-BR", "pt-BR"],
    [["en", "pt", "pt-BR"], "pt-PT", "pt"],
    [["en", "zh-Hant"], "zh-TW", "zh-Hant"],
    [["en", "zh-TW"], "zh-HK", "zh-TW"],
    [["en", "zh-TW"], "zh-CN", undefined],
    [["sr-Latn"], "sr", undefined],
    [["sr-Latn"], "sr-Latn-RS", "sr-Latn"],
    [["zh-hant"], "ZH-HANT-TW", "zh-hant"],
    [["de", "fr"], "en", undefined],
    [[], "en", undefined],
  ])("from the languages %j, for the header %s, chooses %s", (offered, header, expected) =>
    expect(createNegotiation(offered)(header)).toBe(expected),
  )
})

describe("parseAcceptLanguage", () => {
  it.each([
    ["de;q=1.5", []],
    ["de;q=2", []],
    ["de;q=-1", []],
    ["de;q=", []],
    ["de;q=0.1234", []],
    ["de;q=NaN, fr", ["fr"]],
    ["de;level=1, fr", ["fr"]],
    ["de_DE, fr", ["fr"]],
    [",,;, ,fr,", ["fr"]],
    ["a, de--AT, -de, de-, abcdefghi, fr", ["fr"]],
    ["<script>, ../../etc/passwd, __proto__, constructor", []],
    ["dé, fr", ["fr"]],
  ])("reads the malformed %j as %j", (header, expected) => expect(parseAcceptLanguage(header)).toEqual(expected))

  it("reads a long header up to a limit in linear time", async () => {
    expect(parseAcceptLanguage("sv,".repeat(5_000)).length).toBeLessThan(50)
    expect(negotiate(`${"sv,".repeat(5_000)}de`)).toBeUndefined()
    expect(parseAcceptLanguage(`de-${"a1-".repeat(100_000)}`)).toEqual([])
    const headers = ["de-a", "a;q=0.", " ;", "\t", "de ; ", "abcdefgh-", ","].map((part) => part.repeat(200_000))
    expect(await shortestDuration(() => headers.map((header) => negotiate(header)))).toBeLessThan(500)
  })

  it("createNegotiation returns only offered languages, and never throws (property)", () => {
    const piece = fc.constantFrom("de", "zh", "-", "TW", ",", ";q=", "0.5", "*", " ", "x", "u-co", "\0", "é", "1")
    const header = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    )
    fc.assert(
      fc.property(header, (text) => {
        expect([...OFFERED, undefined]).toContain(negotiate(text))
      }),
    )
  })
})

it.each([
  ["pt-br", "pt-BR"],
  ["ZH-hans-cn", "zh-Hans-CN"],
  ["iw", "he"],
  ["de-u-nu-arab", "de"],
  ["pt_BR", undefined],
  ["", undefined],
  ["x", undefined],
  ["../en", undefined],
])("canonicalTag(%j) is %j", (given, expected) => expect(canonicalTag(given)).toBe(expected))

it.each([
  ["de-AT", ["de-AT", "de"]],
  ["zh-Hans-CN", ["zh-Hans-CN", "zh-Hans", "zh"]],
  ["zh-TW", ["zh-TW"]],
  ["zh-Hant-HK", ["zh-Hant-HK", "zh-Hant"]],
  ["de", ["de"]],
])("listFallbacks(%j) is %j", (tag, expected) => expect(listFallbacks(tag)).toEqual(expected))

it.each([
  ["ar", "rtl"],
  ["ar-EG", "rtl"],
  ["he", "rtl"],
  ["fa", "rtl"],
  ["ur", "rtl"],
  ["ckb", "rtl"],
  ["yi", "rtl"],
  ["dv", "rtl"],
  ["az-Arab", "rtl"],
  ["ff-Adlm", "rtl"],
  ["men-Mend", "rtl"],
  ["mid", "rtl"],
  ["nqo", "rtl"],
  ["rhg", "rtl"],
  ["smp", "rtl"],
  ["syr", "rtl"],
  ["ur-Aran", "rtl"],
  ["ar-Latn", "ltr"],
  ["ku", "ltr"],
  ["en", "ltr"],
  ["ja", "ltr"],
])("textDirection(%j) is %j", (tag, direction) => expect(textDirection(tag)).toBe(direction))

describe("formatUnits", () => {
  it.each([
    ["en", "1 day", "30 days"],
    ["de", "1 Tag", "30 Tage"],
    ["pl", "1 dzień", "30 dni"],
    ["ar", "يوم", "30 يومًا"],
  ])("uses the plural of the language: %s", (lang, one, many) => {
    expect([formatUnits(1, "day", lang), formatUnits(30, "day", lang)]).toEqual([one, many])
  })
})
