import { EmailSignInError } from "../../../../lib/errors.js"
import { normalizeAddress, toIdentifier } from "../../../../lib/methods/email/address.js"

/** The identifier, or undefined when it is refused. */
function accepted(input: unknown): string | undefined {
  try {
    return normalizeAddress(input)
  } catch (error) {
    if (error instanceof EmailSignInError) return undefined
    throw error
  }
}

const of = (count: number, text = "a") => text.repeat(count)

describe("an address in its one form", () => {
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
    [`${of(64)}@example.com`, `${of(64)}@example.com`],
  ])("19.5, ACC-07: %j is %j", (input, address) => {
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
  ])("%j is none", (input) => {
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
  ])("ADV-05, ADV-06, EML-09: %j is no single address", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each([
    '"e@evil.test"@app.test',
    "%22e@evil.test%22@app.test",
    "\uff02e@evil.test\uff02@app.test",
    '"ada"@app.test',
    "'e@evil.test'@app.test",
  ])("ADV-07: %j has a quoted name", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each(["a@evil.test\uff20app.test", "a@evil.test\ufe6bapp.test", "a\uff20evil.test", "a@evil.test\u2100"])(
    "ADV-08: %j is looked at as it will be used",
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
  ])("EML-08: %j has a control character", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each([
    "a\u00adb@x.test",
    "a\u200bb@x.test",
    "a\u200db@x.test",
    "a\u3164@x.test",
    "a\ufe0f@x.test",
    "a@x\u00ad.test",
  ])("%j has a character that nobody sees", (input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it.each(["=?utf-8?q?victim=40app.test=3E?=@evil.test", "=?x?q?a?=@app.test", "a=?utf-8?b?YQ==?=b@app.test"])(
    "EML-09: %j is what some mail programs decode (RFC 2047 §5)",
    (input) => {
      expect(accepted(input)).toBeUndefined()
    },
  )

  it.each([
    ["65 before the @", `${of(65)}@example.com`],
    ["65 bytes before the @", `${of(33, "é")}@example.com`],
    ["255 in all", `a@${of(50)}.${of(50)}.${of(50)}.${of(50)}.${of(49)}`],
    ["64 in one label", `a@${of(64)}.com`],
    ["20 000", `${of(20_000)}@example.com`],
    ["20 000 after the @", `a@${of(20_000)}.com`],
    ["1 001", `${of(990, " ")}a@b.example`],
  ])("EML-10: %s characters are too many", (_, input) => {
    expect(accepted(input)).toBeUndefined()
  })

  it("EML-10: 254 characters are not too many", () => {
    const longest = `a@${of(50)}.${of(50)}.${of(50)}.${of(50)}.${of(48)}`
    expect([longest.length, accepted(longest)]).toEqual([254, longest])
  })

  it.each([
    ["plain", `${of(500_000)}@${of(500_000)}`],
    ["dots", `a@${of(250_000, "a.")}`],
    ["what grows", of(250_000, "\ufdfa")],
    ["signs", of(500_000, "@")],
    ["within the bound, dots", `${of(490, "a.")}@x.test`],
    ["within the bound, hyphens", `a@${of(490, "a-")}`],
    ["within the bound, what grows", `${of(990, "\ufdfa")}@x.test`],
    ["within the bound, marks", `a${of(980, "\u0301")}@x.test`],
  ])("EML-10: refusing a megabyte takes no time: %s", (_, input) => {
    const took = Array.from({ length: 10 }, () => {
      const startedAt = performance.now()
      expect(accepted(input)).toBeUndefined()
      return performance.now() - startedAt
    })
    // The quickest one: others wait for the machine.
    expect(Math.min(...took)).toBeLessThan(5)
  })

  it("says what is wrong without repeating what was typed", () => {
    for (const input of ["secret words", "a@b@c", `${of(70)}@example.com`, "a\u200b@x.test", "a@-", of(2_000)])
      try {
        normalizeAddress(input)
        throw new Error("it was taken")
      } catch (error) {
        expect(error).toBeInstanceOf(EmailSignInError)
        expect(String(error)).not.toContain(input)
      }
  })
})

describe("an identifier of the application's own", () => {
  it("is what its function makes of the text", () => {
    expect(toIdentifier("ADA", (name) => `${name.toLowerCase()}@example.com`)).toBe("ada@example.com")
    expect(toIdentifier("Ada L.", (name) => name)).toBe("Ada L.")
  })

  it.each([undefined, "", 42, {}, ["a"], of(1_001)])("is not asked for %j", (input) => {
    const asked: unknown[] = []
    expect(() => toIdentifier(input, (text) => String(asked.push(text)))).toThrow(EmailSignInError)
    expect(asked).toEqual([])
  })

  it.each(["", "a\r\nBcc: b@x.test", "a\u0000", "a\u200bb", "a\u2028", "\u2029", "a\ud800", 42, undefined, null])(
    "EML-08: may not be %j",
    (result) => {
      expect(() => toIdentifier("text", () => result as string)).toThrow(EmailSignInError)
    },
  )

  it("is refused with the function's own reason when that throws", () => {
    const own = new TypeError("this is no address of ours")
    const refused = () =>
      toIdentifier("text", () => {
        throw own
      })
    expect(refused).toThrow(EmailSignInError)
    try {
      refused()
    } catch (error) {
      expect(Object(error).cause.err).toBe(own)
    }
  })

  it("is refused as the function says when it throws an error of ours", () => {
    const own = new EmailSignInError("addresses of example.com alone")
    expect(() =>
      toIdentifier("text", () => {
        throw own
      }),
    ).toThrow(own)
  })
})
