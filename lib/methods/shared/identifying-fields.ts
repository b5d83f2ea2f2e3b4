/**
 * Determines from the names of the form fields which account an attempt is for. An account may remain unrecognised, so
 * the limits per client and per site count every failed attempt.
 *
 * @module
 */
import type { CredentialInput } from "../../provider-kit/provider.js"

type Fields = Readonly<Record<string, unknown>>
type Inputs = Readonly<Record<string, CredentialInput>>

/** Normalised names of fields that identify an account. */
const IDENTIFIER =
  /user|e?mail|login|account|identifier|phone|handle|nick|screenname|^(?:id|uid|upn|sub|name|alias|tel)$|^(?:mobile|member|customer|employee|card)/
/** Names of fields with secrets. Their values differ per guess, so each attempt would have a count of its own. */
const SECRET = /pass|pwd|secret|token|otp|captcha|(?:pin|code)$/
/** Names of fields whose value many users share. Those users would lock each other out. */
const COMMON = /(?:type|kind|agent|method|country|locale|lang|language|timezone)$/

const MAX_NAMES = 5
const MAX_NAME_LENGTH = 200
/** Values that are not names share one count. */
const NOT_A_NAME = ""

const lettersAndDigits = (field: string): string => field.replace(/[^a-z\d]/gi, "").toLowerCase()

const isIdentifier = (field: string): boolean => IDENTIFIER.test(field) && !SECRET.test(field) && !COMMON.test(field)

export const isText = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "")

/** One spelling for capitals, accents, white space and invisible characters, which many databases ignore. */
function normalize(value: unknown): string {
  const text = isText(value) ? String(value) : NOT_A_NAME
  return text.length > MAX_NAME_LENGTH ? NOT_A_NAME : foldText(text)
}

/** The same text for names that differ in capitals, accents, white space or invisible characters only. */
export const foldText = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Z}\p{C}]/gu, "")
    .toLowerCase()

/** Returns the fields that identify an account. If no declared name is recognised, these are all non-secret fields. */
function identifierFields(body: Fields, inputs: Inputs): string[] {
  const declared = Object.keys(inputs).filter((field) => inputs[field]?.type !== "password")
  const isDeclared = Object.keys(inputs).length > 0
  const fields = isDeclared ? declared : Object.keys(body)
  const found = fields.filter((field) => isIdentifier(lettersAndDigits(field)))
  if (found.length > 0 || !isDeclared) return found
  return declared.filter((field) => !SECRET.test(lettersAndDigits(field)))
}

/** Types of fields whose text is visible while it is typed. */
const VISIBLE = new Set(["text", "email", "tel", "url", "search", "number"])
/** Values of `autocomplete` of secrets. */
const SECRET_AUTOCOMPLETE = /password|one-time-code/i
/** As long as an email address can be (RFC 5321 §4.5.3.1). */
const MAX_SHOWN_LENGTH = 254
const MAX_SHOWN = 3

function isShownAgain(field: string, inputs: Inputs): boolean {
  const { type = "text", autocomplete = "" } = inputs[field] ?? {}
  if (!VISIBLE.has(String(type).toLowerCase()) || SECRET_AUTOCOMPLETE.test(String(autocomplete))) return false
  // Without a declared password, a field with an unknown name may be one.
  const hasPassword = Object.values(inputs).some((input) => input?.type === "password")
  return hasPassword || isIdentifier(lettersAndDigits(field))
}

/** Returns the values that a failed form shows again: those that identify an account, without secrets. */
export function identifyingValues(body: Fields, inputs: Inputs): Record<string, string> {
  const values = identifierFields(body, inputs)
    .filter((field) => isShownAgain(field, inputs))
    .map((field) => [field, body[field]] as const)
    .filter((entry): entry is readonly [string, string] => typeof entry[1] === "string" && entry[1] !== "")
  return Object.fromEntries(values.filter(([, value]) => value.length <= MAX_SHOWN_LENGTH).slice(0, MAX_SHOWN))
}

/** Returns the accounts for which an attempt may be. The number is limited, because clients can add fields. */
export function accountNames(body: Fields, inputs: Inputs): string[] {
  const values = identifierFields(body, inputs).map((field) => body[field])
  return [
    ...new Set(
      values
        .filter((value) => !isEmpty(value))
        .slice(0, MAX_NAMES)
        .map(normalize),
    ),
  ]
}
