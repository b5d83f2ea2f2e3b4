import { domainToASCII, domainToUnicode } from "node:url"
import { AuthError, asError, EmailSignInError } from "../../errors/errors.js"

/** RFC 5321 §4.5.3.1: mail servers need not accept longer addresses. */
const MAX_ADDRESS_LENGTH = 254
const MAX_LOCAL_LENGTH = 64
/** The maximum length of the input, checked first because normalising very long text is slow. */
const MAX_INPUT_LENGTH = 1_000

/**
 * A dot-atom (RFC 5322 §3.2.3) with letters and digits of every script (RFC 6531), without quotes, comments or lists.
 */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
/**
 * Labels of letters, digits and hyphens. Checked before `domainToASCII`, which would decode escapes and drop invisible
 * characters.
 */
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u
/** An encoded word. RFC 2047 §5 forbids it in an address, but some mail programs decode it to one or more addresses. */
const ENCODED_WORD = /=\?.*\?=/
/** Matches invisible characters, with which two different addresses could look the same. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u
/** A label of a host name (RFC 1123 §2.1). */
const LABEL = /^(?!-)[a-z\d-]{1,63}(?<!-)$/
/** A host that ends in a number is an IPv4 address. */
const IPV4 = /\.\d+$/

const addressError = (reason: string): EmailSignInError => new EmailSignInError(`the address ${reason}`)

/** Converts text to NFKC and lower case. NFKC runs twice, because lower-casing may produce text that is not in NFKC. */
const fold = (text: string): string => text.normalize("NFKC").toLowerCase().normalize("NFKC").trim()

/** False for an A-label that decodes to ASCII only (RFC 5890 §2.3.2.1). Not all versions of Node.js reject it. */
const isValidLabel = (label: string): boolean => !label.startsWith("xn--") || /\P{ASCII}/u.test(domainToUnicode(label))

const isHostName = (host: string): boolean =>
  !IPV4.test(host) && host.split(".").every((label) => LABEL.test(label) && isValidLabel(label))

/**
 * Reads the address in a posted form. In a form that also has a password, `emailField` contains the name of the field
 * with the address.
 */
export const readAddress = (body: Readonly<Record<string, unknown>>): unknown =>
  body["email"] ?? (typeof body["emailField"] === "string" ? body[body["emailField"]] : undefined)

/**
 * Normalises an email address: NFKC, lower case, the domain as A-label.
 *
 * Rejects text that mail programs may interpret in different ways. An email to a list, a quoted name or a comment could
 * reach another mailbox than that of the user whom the adapter finds (CVE-2022-35924).
 *
 * @throws EmailSignInError if the input is not a single valid address
 * @example
 * normalizeAddress(" Ada@Bücher.Example ") // "ada@xn--bcher-kva.example"
 */
export function normalizeAddress(input: unknown): string {
  if (typeof input !== "string" || input.trim() === "") throw addressError("is missing")
  if (input.length > MAX_INPUT_LENGTH)
    throw addressError(`has ${input.length} characters, more than ${MAX_INPUT_LENGTH}`)
  const folded = fold(input)
  const [local = "", domain = "", ...others] = folded.split("@")
  if (others.length > 0 || !LOCAL_PART.test(local) || !DOMAIN.test(domain))
    throw addressError("is not a single address")
  if (ENCODED_WORD.test(local)) throw addressError("has an encoded word before the @")
  if (INVISIBLE.test(folded)) throw addressError("has invisible characters")
  const host = domainToASCII(domain)
  if (!isHostName(host)) throw addressError("has no valid domain")
  const address = `${local}@${host}`
  if (Buffer.byteLength(local) > MAX_LOCAL_LENGTH || Buffer.byteLength(address) > MAX_ADDRESS_LENGTH)
    throw addressError(`is longer than ${MAX_LOCAL_LENGTH} characters before the @, or ${MAX_ADDRESS_LENGTH} in all`)
  return address
}

/** Characters that are invisible, or that could start another mail header. Identifiers with them are rejected. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** True if an identifier contains unsafe characters. Some databases reject queries with them, for example with NUL. */
export const hasUnsafeCharacters = (text: string): boolean => UNSAFE.test(text)

/**
 * Converts the submitted address to the identifier to which a link is sent, with the option `normalizeIdentifier` if it
 * is set.
 *
 * @throws EmailSignInError if the address or the identifier is invalid
 */
export function toIdentifier(input: unknown, normalize: ((identifier: string) => string) | undefined): string {
  if (!normalize) return normalizeAddress(input)
  if (typeof input !== "string" || input === "") throw addressError("is missing")
  if (input.length > MAX_INPUT_LENGTH)
    throw addressError(`has ${input.length} characters, more than ${MAX_INPUT_LENGTH}`)
  const identifier = applyNormalizer(input, normalize)
  if (typeof identifier !== "string" || identifier === "" || hasUnsafeCharacters(identifier))
    throw addressError("that normalizeIdentifier returned is not a string, is empty, or has invisible characters")
  return identifier
}

/** Calls `normalizeIdentifier`, which may throw to reject an address, as in the documentation of Auth.js. */
function applyNormalizer(input: string, normalize: (identifier: string) => unknown): unknown {
  try {
    return normalize(input)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new EmailSignInError("normalizeIdentifier refused the address", { err: asError(error) })
  }
}
