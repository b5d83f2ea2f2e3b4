import { domainToASCII } from "node:url"
import { createTransport } from "nodemailer"
import addressparser from "nodemailer/lib/addressparser"
import { EmailSignInError } from "../../lib/errors/errors.js"
import { normalizeAddress } from "../../lib/methods/email/address.js"
import Nodemailer from "../../lib/providers/nodemailer.js"
import { sendWith } from "../contracts/support/mail.js"
import { fc, PROPERTY_RUNS } from "../support/properties.js"

/**
 * Nodemailer keeps a non-ASCII domain beside a non-ASCII local part (RFC 6531 §3.2), so the domain is converted here.
 */
const withAsciiDomain = (address: string): string => {
  const [local, domain = "", ...rest] = address.split("@")
  return [local, domainToASCII(domain), ...rest].join("@")
}

/** Returns the normalized address, or undefined if it is rejected. */
function accepted(input: unknown): string | undefined {
  try {
    return normalizeAddress(input)
  } catch (error) {
    if (error instanceof EmailSignInError) return undefined
    throw error
  }
}

/** Plain characters, and characters about which address parsers disagree. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(..."abcxyz019.-_+") },
  { weight: 2, arbitrary: fc.constantFrom(..."@@.<>(),:;\\\"' \t\r\n[]%=?!{}|/`~^&*$#") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...["\uff20", "\ufe6b", "\uff0c", "\uff02", "\u00ad", "\u200b", "\u3164", "\ufdfa", "\u0130", "\u1e9e", "\u0345"],
      ...["\u212a", "\uff0e", "\u3002", "\ufe52", "\u2100", "\u0301", "\u0308", "\u1100", "\u1161", "\ud800", "\ufeff"],
      ...["ß", "é", "ǆ", "ﬁ", "用", "א", "ا", "٣", "🙂", "\u{1d400}", "\u{e0001}", "xn--", "=?utf-8?q?=40?="],
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
)
const text = (maxLength: number) => fc.array(piece, { minLength: 1, maxLength }).map((pieces) => pieces.join(""))
const anyAddress = fc.oneof(
  text(24),
  fc.tuple(text(10), text(12)).map(([local, domain]) => `${local}@${domain}`),
  fc.tuple(text(6), fc.domain()).map(([local, domain]) => `${local}@${domain}`),
  fc.emailAddress(),
  fc.string({ unit: "binary", maxLength: 40 }),
)

describe("normalizeAddress with random text", () => {
  const holdsForAll = (predicate: (input: string) => void) => fc.assert(fc.property(anyAddress, predicate))

  it("ADV-08: gives the same address for every Unicode normalization form (property)", () => {
    holdsForAll((input) => {
      const address = accepted(input)
      for (const form of ["NFC", "NFKC", "NFKD"])
        expect([form, accepted(input.normalize(form))]).toEqual([form, address])
    })
  })

  it("is idempotent (property)", () => {
    holdsForAll((input) => {
      const address = accepted(input)
      if (address !== undefined) expect(accepted(address)).toBe(address)
    })
  })

  it("ACC-07: ignores case (property)", () => {
    holdsForAll((input) => {
      // Some letters change when they are converted to upper case and back.
      if (input.toLowerCase() === input.toUpperCase().toLowerCase())
        expect(accepted(input.toUpperCase())).toBe(accepted(input))
    })
  })

  it("ADV-06, ADV-07, EML-09: returns only addresses that addressparser reads as exactly this one (property)", () => {
    let count = 0
    holdsForAll((input) => {
      const address = accepted(input)
      if (address === undefined) return
      count++
      for (const flatten of [false, true]) expect(addressparser(address, { flatten })).toEqual([{ address, name: "" }])
    })
    expect(count).toBeGreaterThan(PROPERTY_RUNS / 20)
  })

  it("EML-08, EML-10: returns one @, no control or invisible character, and at most 254 bytes (property)", () => {
    holdsForAll((input) => {
      const address = accepted(input)
      if (address === undefined) return
      expect(address).not.toMatch(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u)
      expect(address).toMatch(/^[^@"<>(),:;\\[\]]{1,64}@[a-z0-9.-]+$/u)
      expect(Buffer.byteLength(address)).toBeLessThanOrEqual(254)
    })
  })

  it("ADV-06, ADV-07: returns the address to which Nodemailer delivers the email (property)", async () => {
    const envelopes: string[] = []
    const mailer = createTransport({ streamTransport: true, buffer: true })
    const transport = {
      async sendMail(mail: object) {
        const info = await mailer.sendMail(mail)
        envelopes.push(...info.envelope.to.map(withAsciiDomain))
        return info
      },
    }
    const provider = Nodemailer({ server: transport, from: "us@app.test" })
    const anyReadable = anyAddress.map(accepted).filter((address) => address !== undefined)
    await fc.assert(
      fc.asyncProperty(anyReadable, async (identifier) => {
        await sendWith(provider, { identifier })
        expect(envelopes.splice(0)).toEqual([identifier])
      }),
    )
  })
})
