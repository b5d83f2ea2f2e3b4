import { domainToASCII, domainToUnicode } from "node:url"
import { AuthError, asError, EmailSignInError } from "../../errors.js"

/** RFC 5321 §4.5.3.1: what a mail server must take, and need not take more than. */
const MAX_ADDRESS_LENGTH = 254
const MAX_LOCAL_LENGTH = 64
/** Looked at before anything is worked out: normalising a megabyte takes its time. */
const MAX_INPUT_LENGTH = 1_000

/** A dot-atom (RFC 5322 §3.2.3), letters and digits of every script included (RFC 6531): no quotes, comments, lists. */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
/** Letters, digits and hyphens. Looked at before the URL parser is asked, which reads escapes and drops what it can't see. */
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u
/** What RFC 2047 §5 forbids here, and some mail programs decode all the same: to another address, or to two. */
const ENCODED_WORD = /=\?.*\?=/
/** What nobody sees: two addresses would look like one. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u
/** A label of a host name (RFC 1123 §2.1). */
const LABEL = /^(?!-)[a-z\d-]{1,63}(?<!-)$/
/** What ends in a number is an address of IPv4, and was written as one. */
const IPV4 = /\.\d+$/

const refusal = (reason: string): EmailSignInError => new EmailSignInError(`the address ${reason}`)

/** As it stays when it is folded once more: lower case may leave what NFKC puts together. */
const fold = (text: string): string => text.normalize("NFKC").toLowerCase().normalize("NFKC").trim()

/** Does an A-label stand for letters beyond ASCII (RFC 5890 §2.3.2.1)? Versions of Node.js differ in what else passes. */
const isReadable = (label: string): boolean => !label.startsWith("xn--") || /\P{ASCII}/u.test(domainToUnicode(label))

const isHostName = (host: string): boolean =>
  !IPV4.test(host) && host.split(".").every((label) => LABEL.test(label) && isReadable(label))

/**
 * One e-mail address in the one form under which its owner is known: NFKC, lower case, the domain as A-label.
 *
 * Only what every mail program reads as this one address passes: a list, a quoted name or a comment would be delivered
 * to somebody else than the user who is looked up (CVE-2022-35924).
 *
 * @throws EmailSignInError when it is not one
 * @example
 * normalizeAddress(" Ada@Bücher.Example ") // "ada@xn--bcher-kva.example"
 */
export function normalizeAddress(input: unknown): string {
  if (typeof input !== "string" || input.trim() === "") throw refusal("is missing")
  if (input.length > MAX_INPUT_LENGTH) throw refusal(`has ${input.length} characters`)
  const folded = fold(input)
  const [local = "", domain = "", ...rest] = folded.split("@")
  if (rest.length > 0 || !LOCAL.test(local) || !DOMAIN.test(domain)) throw refusal("is no single address")
  if (ENCODED_WORD.test(local)) throw refusal("has an encoded word before the @")
  if (INVISIBLE.test(folded)) throw refusal("has characters that can't be seen")
  const host = domainToASCII(domain)
  if (!isHostName(host)) throw refusal("has no valid domain")
  const address = `${local}@${host}`
  if (Buffer.byteLength(local) > MAX_LOCAL_LENGTH || Buffer.byteLength(address) > MAX_ADDRESS_LENGTH)
    throw refusal(`is longer than ${MAX_LOCAL_LENGTH} characters before the @, or ${MAX_ADDRESS_LENGTH} in all`)
  return address
}

/** What no identifier may hold, whoever normalised it: it would begin another header, or not be seen. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Does a text hold what no identifier may? Some stores can't even look for it: PostgreSQL knows no NUL. */
export const isUnsafe = (text: string): boolean => UNSAFE.test(text)

/**
 * The identifier that a link is sent to: by the application's own function, or as an e-mail address.
 *
 * @throws EmailSignInError when it can't be one
 */
export function toIdentifier(input: unknown, normalize: ((identifier: string) => string) | undefined): string {
  if (!normalize) return normalizeAddress(input)
  if (typeof input !== "string" || input === "") throw refusal("is missing")
  if (input.length > MAX_INPUT_LENGTH) throw refusal(`has ${input.length} characters`)
  const identifier = ownIdentifier(input, normalize)
  if (typeof identifier !== "string" || identifier === "" || isUnsafe(identifier))
    throw refusal("that normalizeIdentifier gave is empty, or has characters that can't be seen")
  return identifier
}

/** Throwing is how such a function refuses, the documented one of Auth.js when there is no "@". */
function ownIdentifier(input: string, normalize: (identifier: string) => unknown): unknown {
  try {
    return normalize(input)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new EmailSignInError("normalizeIdentifier refused the address", { err: asError(error) })
  }
}
