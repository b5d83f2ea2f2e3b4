import { EmailSignInError } from "../../../../lib/errors.js"
import { normalizeAddress, toIdentifier } from "../../../../lib/methods/email/address.js"

const of = (count: number, text = "a") => text.repeat(count)

/** The address, or why it is none. */
function addressOrWhy(input: unknown): string {
  try {
    return normalizeAddress(input)
  } catch (error) {
    if (error instanceof EmailSignInError) return error.message
    throw error
  }
}

describe("what the log says of an address that is refused", () => {
  it.each([
    [undefined, "is missing"],
    ["", "is missing"],
    [" \t", "is missing"],
    [of(1_001), "has 1001 characters"],
    ["ada", "is no single address"],
    ["ada@", "is no single address"],
    ["@example.com", "is no single address"],
    ["a@b@example.com", "is no single address"],
    ["a b@example.com", "is no single address"],
    ["a@b.example, c@d.example", "is no single address"],
    ["a@exam%70le.com", "is no single address"],
    ["a@b..example", "is no single address"],
    ["=?utf-8?q?a?=@example.com", "has an encoded word before the @"],
    ["a\u3164b@example.com", "has characters that can't be seen"],
    ["a\ufe0f@example.com", "has characters that can't be seen"],
    ["ada@192.0.2.1", "has no valid domain"],
    ["ada@192.0.2.10", "has no valid domain"],
    ["ada@7", "has no valid domain"],
    ["ada@-", "has no valid domain"],
    ["ada@example-.com", "has no valid domain"],
    ["ada@xn--a.example", "has no valid domain"],
    ["ada@-example.com", "has no valid domain"],
    ["ada@example.-com", "has no valid domain"],
    ["ada@example.com-", "has no valid domain"],
    [`ada@${of(64)}.com`, "has no valid domain"],
    [`ada@com.${of(64)}`, "has no valid domain"],
    [`${of(65)}@example.com`, "is longer than 64 characters before the @, or 254 in all"],
    [`a@${of(4, `${of(62)}.`)}com`, "is longer than 64 characters before the @, or 254 in all"],
  ])("%j %s", (input, reason) => {
    expect(addressOrWhy(input)).toBe(`the address ${reason}`)
  })
})

describe("the bounds of an address", () => {
  it.each([
    ["1000 characters to look at", `${of(989, " ")}a@b.example`, "a@b.example"],
    ["a label of 63", `a@${of(63)}.com`, `a@${of(63)}.com`],
    ["labels of one letter", "a@b.c.d", "a@b.c.d"],
    ["a label of two", "a@ab.cd", "a@ab.cd"],
    ["hyphens within a label", "a@b--c.x-y.de", "a@b--c.x-y.de"],
    ["digits in a name that is no IPv4 address", "a@1.2.3.4a", "a@1.2.3.4a"],
    ["a digit at the end of the last label", "a@b.c1", "a@b.c1"],
    ["a label of digits that is not the last", "a@42.example", "a@42.example"],
    ["64 bytes before the @", `${of(32, "é")}@example.com`, `${of(32, "é")}@example.com`],
    ["an equals sign and a question mark that begin no encoded word", "a=?b@example.com", "a=?b@example.com"],
    ["a last label of 63", `a@b.${of(63)}`, `a@b.${of(63)}`],
    ["a number among the labels", "a@b.10.de", "a@b.10.de"],
    ["digits on both sides", "a1.b2@c3.d4", "a1.b2@c3.d4"],
    ["marks of scripts that need them", "अनुच्छेद@उदाहरण.example", "अनुच्छेद@xn--p1b6ci4b4b3a.example"],
    ["such marks behind a dot", "a.नु@b.उदाहरण", "a.नु@b.xn--p1b6ci4b4b3a"],
    ["what begins like an A-label elsewhere", "a@axn--b.example", "a@axn--b.example"],
    ["A-labels beside others", "a@xn--bcher-kva.b.xn--4rr70v", "a@xn--bcher-kva.b.xn--4rr70v"],
    ["capitals that grow when they are made small", "İ@example.com", "i̇@example.com"],
  ])("hold %s", (_name, input, address) => {
    expect(addressOrWhy(input)).toBe(address)
  })

  it.each(["xn--bcher-kva.xn--a.example", "shop.xn--a.example", "xn--a"])(
    "refuse a domain with a label that stands for nothing, wherever it is: %s",
    (domain) => {
      expect(addressOrWhy(`a@${domain}`)).toBe("the address has no valid domain")
    },
  )
})

describe("what the log says of an identifier of the application's own", () => {
  const refused = (input: unknown, normalize: (text: string) => string) => {
    try {
      return toIdentifier(input, normalize)
    } catch (error) {
      return error
    }
  }
  const same = (text: string) => text

  it.each([
    [undefined, "is missing"],
    ["", "is missing"],
    [42, "is missing"],
    [of(1_001), "has 1001 characters"],
  ])("%j %s", (input, reason) => {
    expect(refused(input, same)).toEqual(new EmailSignInError(`the address ${reason}`))
  })

  it("may have 1000 characters, and blanks around them", () => {
    expect(refused(of(1_000), same)).toBe(of(1_000))
    expect(refused(" ", same)).toBe(" ")
  })

  it.each(["", "a\u200bb", "a\u0007", "\u2028", "\u2029", "\ud800", 42 as unknown as string])(
    "of %j it says whose it is",
    (given) => {
      expect(refused("text", () => given)).toEqual(
        new EmailSignInError(
          "the address that normalizeIdentifier gave is empty, or has characters that can't be seen",
        ),
      )
    },
  )

  it("of a function that throws it says so", () => {
    const own = () => {
      throw new TypeError("not ours")
    }
    expect(refused("text", own)).toMatchObject({
      type: "EmailSignInError",
      message: "normalizeIdentifier refused the address",
      cause: { err: { message: "not ours" } },
    })
  })
})

it("without a function of the application's own it is an address", () => {
  expect(toIdentifier(" Ada@Example.com ", undefined)).toBe("ada@example.com")
  expect(() => toIdentifier("ada", undefined)).toThrow("the address is no single address")
})
