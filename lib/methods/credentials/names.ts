/**
 * Whose account an attempt is for, as far as the fields of its form tell.
 *
 * @module
 */
import type { CredentialInput } from "../../providers/provider.js"

type Fields = Readonly<Record<string, unknown>>
type Inputs = Readonly<Record<string, CredentialInput>>

/** What is a part of the name of a field that says whose account it is. */
const TELLING = /user|e-?mail|login|account|identifier|phone|handle/i
/** The same as the whole name. As a part it would be in that of what many have in common: `remember`, `tenant_id`. */
const TELLING_WHOLE = [
  /^(?:id|uid|upn|sub|name|(?:nick|full|screen|display)name|nick|alias|mail|mailaddress)$/,
  /^(?:member|membership|customer|patient|student|employee|personnel|card|badge)(?:id|no|nr|num|number|name)?$/,
  /^(?:mobile|cell|tel)(?:no|nr|num|number)?$/,
]
/** What the name of a guess has in it. Counted as an account, each guess would be the first one at somebody else's. */
const GUESS = /pass|pwd|secret|token|otp|captcha|(?:pin|code)$/
/** What people at one address may have in common. */
const COMMON = /(?:type|kind|agent|method|country|locale|lang|language|timezone)$/
/** What forms have besides: the protocol's own fields, and those of clients of Auth.js. */
const PROTOCOL = /^(?:csrftoken|csrf|callbackurl|json|redirect|redirectto|submit|action|method)$/
/** What a box says that is ticked or not. */
const FLAG = /^(?:on|off|true|false|yes|no|[01])?$/i

/** In place of a name that is not known. */
export const NOBODY = ""
/** More names than that are nobody's: then all attempts of an address count together. */
const MAX_NAMES = 5
/** A longer one is nobody's as well. */
const MAX_NAME_LENGTH = 1_000
/** What databases may overlook when they compare: accents, white space, what nobody sees, and signs beyond ASCII. */
const OVERLOOKED = /[\p{M}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]|(?!\p{ASCII})[\p{P}\p{S}\p{Lm}]/gu
/** Two letters that are one character beyond ASCII: æ, œ and the like. */
const PAIRS = "aa ae ao au av ay db dz ll ls lz oe oo qp ss th ts tz vy zw"
/** What a character beyond ASCII may be to them: nothing, a digit, a letter, or two. */
const PLAIN = ["", ..."0123456789abcdefghijklmnopqrstuvwxyz", ...PAIRS.split(" ")]

/** A field's name without what joins its words. */
const joined = (field: string): string => field.replace(/[^a-z\d]/gi, "").toLowerCase()

function isTelling(field: string): boolean {
  const whole = joined(field)
  if (GUESS.test(whole) || COMMON.test(whole)) return false
  return TELLING.test(field) || TELLING_WHOLE.some((pattern) => pattern.test(whole))
}

/** Can it be a name? */
export const isText = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "")

/** By the primary weights of Unicode's collation, which English has as they are: in MySQL ø is o, and १ is 1. */
function plain(text: string): string {
  const beyondAscii = new Set(text.match(/\P{ASCII}/gu))
  if (beyondAscii.size === 0) return text
  const { compare } = new Intl.Collator("en", { sensitivity: "base" })
  const found = [...beyondAscii].map((one) => [one, PLAIN.find((other) => compare(one, other) === 0)] as const)
  const plainOf = new Map(found)
  return text.replace(/\P{ASCII}/gu, (one) => plainOf.get(one) ?? one)
}

/**
 * One spelling for counting: a name that some database takes for another one must not be counted apart. What an
 * application would make of a list or an object is not known here.
 */
function spelling(value: unknown): string {
  const text = isText(value) ? String(value) : NOBODY
  if (text.length > MAX_NAME_LENGTH) return NOBODY
  return plain(text.normalize("NFKD")).replace(OVERLOOKED, "").toUpperCase().toLowerCase()
}

const isDeclared = (inputs: Inputs): boolean => Object.keys(inputs).length > 0

/**
 * Whose account is tried: what stands in the fields that are known by their names. Any other field may hold the guess
 * itself, or be varied at will, and then each attempt would count as the first. Which of several the application reads
 * is not known here, and a client may add some of its own: all of them count.
 */
export function namesOf(body: Fields, inputs: Inputs): string[] {
  const fields = Object.keys(isDeclared(inputs) ? inputs : body)
  const telling = fields.filter((field) => isTelling(field) && inputs[field]?.type !== "password")
  if (telling.length > MAX_NAMES) return [NOBODY]
  const names = telling.map((field) => body[field]).filter((value) => !isEmpty(value))
  return names.length > 0 ? [...new Set(names.map(spelling))] : [NOBODY]
}

/**
 * The fields of an undeclared form of which one may say whose account it is, and is not known to. They can't be counted:
 * what people at one address have in common, a tenant for instance, looks no other, and they would lock each other out.
 */
export function unclearFields(body: Fields, inputs: Inputs): string[] {
  if (isDeclared(inputs)) return []
  const fields = Object.keys(body).filter((field) => !PROTOCOL.test(joined(field)) && !COMMON.test(joined(field)))
  if (!fields.some(isTelling)) return fields
  return fields.filter((field) => !isTelling(field) && !GUESS.test(joined(field)) && !isFlag(body[field]))
}

const isFlag = (value: unknown): boolean => isEmpty(value) || (isText(value) && FLAG.test(String(value)))
