import { EmailSignInError } from "../../../../lib/errors/errors.js"
import { normalizeAddress, readAddress, toIdentifier } from "../../../../lib/methods/email/address.js"
import { shortestDuration } from "../../../support/shortest-duration.js"

/** Returns the normalized address, or undefined if it is rejected. */
function accepted(input: unknown): string | undefined {
  try {
    return normalizeAddress(input)
  } catch (error) {
    if (error instanceof EmailSignInError) return undefined
    throw error
  }
}

const repeat = (count: number, text = "a") => text.repeat(count)

describe("normalizeAddress", () => {
  it.each([
    ["Foo@Example.com", "foo@example.com"],
    [" foo@example.com\t", "foo@example.com"],
    ["\u3000foo@example.com\u00a0", "foo@example.com"],
    ["first.last+tag@sub.example.co.uk", "first.last+tag@sub.example.co.uk"],
    ["o'brien=x@example.com", "o'brien=x@example.com"],
    ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
    ["ada@localhost", "ada@localhost"],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@BÜCHER.example", "ada@xn--bcher-kva.example"],
    ["ada@bu\u0308cher.example", "ada@xn--bcher-kva.example"],
    ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
    ["ａｄａ@ｅｘａｍｐｌｅ.com", "ada@example.com"],
    ["ada@ex\ufb01.com", "ada@exfi.com"],
    ["jose\u0301@example.com", "jos\u00e9@example.com"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v"],
    ["ada@1.2.3.com", "ada@1.2.3.com"],
    [`${repeat(64)}@example.com`, `${repeat(64)}@example.com`],
  ])("19.5, ACC-07: normalizes %j to %j", (input, address) => {
    expect(normalizeAddress(input)).toBe(address)
  })

  it.each([
    undefined,
    null,
    "",
    "   ",
    42,
    {},
    ["ada@example.com"],
    { toString: () => "ada@example.com" },
    "ada",
    "@example.com",
    "ada@",
    "ada@@example.com",
    "ada@example@evil.test",
    "ada..b@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "ada@example..com",
    "ada@.example.com",
    "ada@example.com.",
    "ada@-example.com",
    "ada@example-.com",
    "ada@exa_mple.com",
    "ada@192.0.2.1",
    "ada@0x7f.1",
    "ada@[192.0.2.1]",
    "ada@xn--a.example",
    "ada@xn--a-.example",
    "ada@xn--.example",
    "a b@example.com",
    "ada@exam ple.com",
    "ada@exam%70le.com",
  ])("rejects %j, which is not an address", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each([
    "a@b.c, <a href=//evil>x</a>",
    "a@evil.test,victim@app.test",
    "x,victim@app.test",
    "victim@app.test,",
    "foo@example.com,evil.com",
    "a@evil.test;app.test",
    "a@evil.test app.test",
    "a@evil.test>app.test",
    "<v@app.test",
    "<v@app.test>",
    "V <v@app.test>",
    "(c)v@app.test",
    "v@app.test(c)",
    "g:v@app.test",
    "g:v@app.test;",
    "a\\@evil.test@app.test",
  ])("ADV-05, ADV-06, EML-09: rejects %j, which is not a single address", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each([
    '"e@evil.test"@app.test',
    "%22e@evil.test%22@app.test",
    "\uff02e@evil.test\uff02@app.test",
    '"ada"@app.test',
    "'e@evil.test'@app.test",
  ])("ADV-07: rejects %j, which has a quoted local part", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each(["a@evil.test\uff20app.test", "a@evil.test\ufe6bapp.test", "a\uff20evil.test", "a@evil.test\u2100"])(
    "ADV-08: checks %j in its normalized form",
    (input) => {
      expect(accepted(input)).toBe(accepted(input.normalize("NFKC")))
      if (input.includes("@")) expect(accepted(input)).toBeUndefined()
    },
  )

  it.each([
    "a@b.test\r\nX-Injected: 1",
    "a@b.test\nfoo",
    "a\u0000@b.test",
    "a\u001b[31m@b.test",
    "a@b.test\u007f",
    "a\u0085b@b.test",
    "a\u2028b@b.test",
    "a\ud800@b.test",
  ])("EML-08: rejects %j, which has a control character", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each([
    "a\u00adb@x.test",
    "a\u200bb@x.test",
    "a\u200db@x.test",
    "a\u3164@x.test",
    "a\ufe0f@x.test",
    "a@x\u00ad.test",
  ])("rejects %j, which has an invisible character", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each(["=?utf-8?q?victim=40app.test=3E?=@evil.test", "=?x?q?a?=@app.test", "a=?utf-8?b?YQ==?=b@app.test"])(
    "EML-09: rejects %j, which some email programs decode (RFC 2047 §5)",
    (input) => {
      expect(accepted(input)).toBeUndefined()
    },
  )

  it.each([
    ["65 characters before the @", `${repeat(65)}@example.com`],
    ["65 bytes before the @", `${repeat(33, "é")}@example.com`],
    ["255 characters in total", `a@${repeat(50)}.${repeat(50)}.${repeat(50)}.${repeat(50)}.${repeat(49)}`],
    ["64 characters in one label", `a@${repeat(64)}.com`],
    ["20,000 characters before the @", `${repeat(20_000)}@example.com`],
    ["20,000 characters after the @", `a@${repeat(20_000)}.com`],
    ["1,001 characters including white space", `${repeat(990, " ")}a@b.example`],
  ])("EML-10: rejects an address with %s", (_, input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it("EML-10: accepts an address of 254 characters", () => {
    const longest = `a@${repeat(50)}.${repeat(50)}.${repeat(50)}.${repeat(50)}.${repeat(48)}`
    expect([longest.length, accepted(longest)]).toEqual([254, longest])
  })

  it.each([
    ["letters", `${repeat(500_000)}@${repeat(500_000)}`],
    ["dots", `a@${repeat(250_000, "a.")}`],
    ["characters that expand", repeat(250_000, "\ufdfa")],
    ["at signs", repeat(500_000, "@")],
    ["dots within the length limit", `${repeat(490, "a.")}@x.test`],
    ["hyphens within the length limit", `a@${repeat(490, "a-")}`],
    ["characters within the length limit that expand", `${repeat(990, "\ufdfa")}@x.test`],
    ["combining marks within the length limit", `a${repeat(980, "\u0301")}@x.test`],
  ])("EML-10: rejects a long address in less than 5 ms: %s", async (_, input) => {
    expect(accepted(input)).toBeUndefined()
    expect(await shortestDuration(() => accepted(input), 10)).toBeLessThan(5)
  })

  it("does not repeat the input in its error", () => {
    for (const input of ["secret words", "a@b@c", `${repeat(70)}@example.com`, "a\u200b@x.test", "a@-", repeat(2_000)])
      try {
        normalizeAddress(input)
        throw new Error("the address was accepted")
      } catch (error) {
        expect(error).toBeInstanceOf(EmailSignInError)
        expect(String(error)).not.toContain(input)
      }
  })
})

describe("toIdentifier with the application's normalizeIdentifier", () => {
  it("returns what normalizeIdentifier returns", () => {
    expect(toIdentifier("ADA", (name) => `${name.toLowerCase()}@example.com`)).toBe("ada@example.com")
    expect(toIdentifier("Ada L.", (name) => name)).toBe("Ada L.")
  })

  it.each([undefined, "", 42, {}, ["a"], repeat(1_001)])("rejects %j without calling normalizeIdentifier", (input) => {
    const calls: unknown[] = []
    expect(() => toIdentifier(input, (text) => String(calls.push(text)))).toThrow(EmailSignInError)
    expect(calls).toEqual([])
  })

  it.each(["", "a\r\nBcc: b@x.test", "a\u0000", "a\u200bb", "a\u2028", "\u2029", "a\ud800", 42, undefined, null])(
    "EML-08: rejects %j as the result of normalizeIdentifier",
    (result) => {
      expect(() => toIdentifier("text", () => result as string)).toThrow(EmailSignInError)
    },
  )

  it("keeps the error that normalizeIdentifier throws as the cause", () => {
    const thrown = new TypeError("this is no address of ours")
    const refused = () =>
      toIdentifier("text", () => {
        throw thrown
      })
    expect(refused).toThrow(EmailSignInError)
    try {
      refused()
    } catch (error) {
      expect(Object(error).cause.err).toBe(thrown)
    }
  })

  it("rethrows an EmailSignInError that normalizeIdentifier throws", () => {
    const thrown = new EmailSignInError("addresses of example.com alone")
    expect(() =>
      toIdentifier("text", () => {
        throw thrown
      }),
    ).toThrow(thrown)
  })
})

describe("readAddress", () => {
  it.each([
    ["the field email", { email: "ada@example.com" }, "ada@example.com"],
    ["the field that emailField names", { emailField: "user", user: "ada@example.com" }, "ada@example.com"],
    [
      "the field email if emailField is sent too",
      { email: "a@example.com", emailField: "user", user: "b@example.com" },
      "a@example.com",
    ],
    ["an empty email, which is then rejected", { email: "", emailField: "user", user: "b@example.com" }, ""],
    ["nothing for an emailField that is not text", { emailField: ["user"], user: "ada@example.com" }, undefined],
    ["nothing without either field", { user: "ada@example.com" }, undefined],
  ])("returns %s", (_name, body, address) => {
    expect(readAddress(body)).toBe(address)
  })
})
