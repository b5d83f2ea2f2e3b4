import { EmailSignInError } from "../../../../lib/errors/errors.js"
import { normalizeAddress, toIdentifier } from "../../../../lib/methods/email/address.js"

const repeat = (count: number, text = "a") => text.repeat(count)

/** Returns the normalized address, or the message of its error. */
function addressOrMessage(input: unknown): string {
  try {
    return normalizeAddress(input)
  } catch (error) {
    if (error instanceof EmailSignInError) return error.message
    throw error
  }
}

describe("normalizeAddress with an invalid address", () => {
  it.each([
    [undefined, "is missing"],
    ["", "is missing"],
    [" \t", "is missing"],
    [repeat(1_001), "has 1001 characters, more than 1000"],
    ["ada", "is not a single address"],
    ["ada@", "is not a single address"],
    ["@example.com", "is not a single address"],
    ["a@b@example.com", "is not a single address"],
    ["a b@example.com", "is not a single address"],
    ["a@b.example, c@d.example", "is not a single address"],
    ["a@exam%70le.com", "is not a single address"],
    ["a@b..example", "is not a single address"],
    ["=?utf-8?q?a?=@example.com", "has an encoded word before the @"],
    ["a\u3164b@example.com", "has invisible characters"],
    ["a\ufe0f@example.com", "has invisible characters"],
    ["ada@192.0.2.1", "has no valid domain"],
    ["ada@192.0.2.10", "has no valid domain"],
    ["ada@7", "has no valid domain"],
    ["ada@-", "has no valid domain"],
    ["ada@example-.com", "has no valid domain"],
    ["ada@xn--a.example", "has no valid domain"],
    ["ada@-example.com", "has no valid domain"],
    ["ada@example.-com", "has no valid domain"],
    ["ada@example.com-", "has no valid domain"],
    [`ada@${repeat(64)}.com`, "has no valid domain"],
    [`ada@com.${repeat(64)}`, "has no valid domain"],
    [`${repeat(65)}@example.com`, "is longer than 64 characters before the @, or 254 in all"],
    [`a@${repeat(4, `${repeat(62)}.`)}com`, "is longer than 64 characters before the @, or 254 in all"],
  ])("reports that %j %s", (input, reason) => {
    expect(addressOrMessage(input)).toBe(`the address ${reason}`)
  })
})

describe("normalizeAddress at the limits", () => {
  it.each([
    ["1000 characters including white space", `${repeat(989, " ")}a@b.example`, "a@b.example"],
    ["a label of 63 characters", `a@${repeat(63)}.com`, `a@${repeat(63)}.com`],
    ["labels of one letter", "a@b.c.d", "a@b.c.d"],
    ["labels of two letters", "a@ab.cd", "a@ab.cd"],
    ["hyphens within a label", "a@b--c.x-y.de", "a@b--c.x-y.de"],
    ["digits in a domain that is not an IPv4 address", "a@1.2.3.4a", "a@1.2.3.4a"],
    ["a digit at the end of the last label", "a@b.c1", "a@b.c1"],
    ["a label of digits that is not the last", "a@42.example", "a@42.example"],
    ["64 bytes before the @", `${repeat(32, "é")}@example.com`, `${repeat(32, "é")}@example.com`],
    ["an equals sign and a question mark that do not begin an encoded word", "a=?b@example.com", "a=?b@example.com"],
    ["a last label of 63 characters", `a@b.${repeat(63)}`, `a@b.${repeat(63)}`],
    ["a number among the labels", "a@b.10.de", "a@b.10.de"],
    ["digits in the local part and in the domain", "a1.b2@c3.d4", "a1.b2@c3.d4"],
    ["combining marks in scripts that need them", "अनुच्छेद@उदाहरण.example", "अनुच्छेद@xn--p1b6ci4b4b3a.example"],
    ["combining marks after a dot", "a.नु@b.उदाहरण", "a.नु@b.xn--p1b6ci4b4b3a"],
    ["an A-label prefix that is not at the start of the label", "a@axn--b.example", "a@axn--b.example"],
    ["A-labels and other labels together", "a@xn--bcher-kva.b.xn--4rr70v", "a@xn--bcher-kva.b.xn--4rr70v"],
    ["capitals that become longer in lower case", "İ@example.com", "i̇@example.com"],
  ])("accepts %s", (_name, input, address) => {
    expect(addressOrMessage(input)).toBe(address)
  })

  it.each(["xn--bcher-kva.xn--a.example", "shop.xn--a.example", "xn--a"])(
    "rejects a domain with an invalid A-label: %s",
    (domain) => {
      expect(addressOrMessage(`a@${domain}`)).toBe("the address has no valid domain")
    },
  )
})

describe("toIdentifier with the application's normalizeIdentifier", () => {
  const identifierOrError = (input: unknown, normalize: (text: string) => string) => {
    try {
      return toIdentifier(input, normalize)
    } catch (error) {
      return error
    }
  }
  const identity = (text: string) => text

  it.each([
    [undefined, "is missing"],
    ["", "is missing"],
    [42, "is missing"],
    [repeat(1_001), "has 1001 characters, more than 1000"],
  ])("reports that %j %s", (input, reason) => {
    expect(identifierOrError(input, identity)).toEqual(new EmailSignInError(`the address ${reason}`))
  })

  it("accepts 1000 characters and surrounding white space", () => {
    expect(identifierOrError(repeat(1_000), identity)).toBe(repeat(1_000))
    expect(identifierOrError(" ", identity)).toBe(" ")
  })

  it.each(["", "a\u200bb", "a\u0007", "\u2028", "\u2029", "\ud800", 42 as unknown as string])(
    "names normalizeIdentifier in the error if it returns %j",
    (given) => {
      expect(identifierOrError("text", () => given)).toEqual(
        new EmailSignInError(
          "the address that normalizeIdentifier returned is not a string, is empty, or has invisible characters",
        ),
      )
    },
  )

  it("reports that normalizeIdentifier threw, with its error as the cause", () => {
    const own = () => {
      throw new TypeError("not ours")
    }
    expect(identifierOrError("text", own)).toMatchObject({
      type: "EmailSignInError",
      message: "normalizeIdentifier refused the address",
      cause: { err: { message: "not ours" } },
    })
  })
})

it("toIdentifier without normalizeIdentifier normalizes the text as an address", () => {
  expect(toIdentifier(" Ada@Example.com ", undefined)).toBe("ada@example.com")
  expect(() => toIdentifier("ada", undefined)).toThrow("the address is not a single address")
})
