/**
 * Finds the form fields that identify an account, by their names. Rate limits count attempts for this account, and the
 * form shows these fields again after a failure. An unusual field name may not be recognised, so the limits per client
 * and per site count every failed attempt.
 *
 * @module
 */
import type { CredentialInput } from "../../provider-kit/provider.js"

type Fields = Readonly<Record<string, unknown>>
type Inputs = Readonly<Record<string, CredentialInput>>

/** Matches normalised names of fields that identify an account. */
const IDENTIFIER_FIELD =
  /user|e?mail|login|account|identifier|phone|handle|nick|screenname|^(?:id|uid|upn|sub|name|alias|tel)$|^(?:mobile|member|customer|employee|card)/
/** Matches names of fields with secrets. If they identified an account, each guess would be counted separately. */
const SECRET_FIELD = /pass|pwd|secret|token|otp|captcha|(?:pin|code)$/
/** Matches names of fields with few values. If they identified an account, users would lock each other out. */
const SHARED_VALUE_FIELD = /(?:type|kind|agent|method|country|locale|lang|language|timezone)$/

const MAX_ACCOUNTS = 5
const MAX_NAME_LENGTH = 200
/** The account name for objects, for texts that are too long, and for too many names. All of them share one count. */
const UNUSABLE_NAME = ""

const normalizeFieldName = (field: string): string => field.replace(/[^a-z\d]/gi, "").toLowerCase()

const isIdentifier = (field: string): boolean =>
  IDENTIFIER_FIELD.test(field) && !SECRET_FIELD.test(field) && !SHARED_VALUE_FIELD.test(field)

export const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "")

/** Converts a field's value to an account name. */
function toAccountName(value: unknown): string {
  const text = isScalar(value) ? String(value) : UNUSABLE_NAME
  return text.length > MAX_NAME_LENGTH ? UNUSABLE_NAME : foldText(text)
}

/** Removes differences that many databases ignore: capitals, accents, white space and invisible characters. */
export const foldText = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Z}\p{C}]/gu, "")
    .toLowerCase()

/**
 * Returns the names of the fields that identify an account. If the provider declares fields and no declared name is
 * recognised, returns all declared fields except those for secrets.
 */
export function findIdentifierFields(body: Fields, inputs: Inputs): string[] {
  const declared = Object.keys(inputs).filter((field) => inputs[field]?.type !== "password")
  const hasDeclaredFields = Object.keys(inputs).length > 0
  const fields = hasDeclaredFields ? declared : Object.keys(body)
  const recognized = fields.filter((field) => isIdentifier(normalizeFieldName(field)))
  if (recognized.length > 0 || !hasDeclaredFields) return recognized
  return declared.filter((field) => !SECRET_FIELD.test(normalizeFieldName(field)))
}

/** Types of fields whose text is visible while it is typed. */
const VISIBLE_TYPES = new Set(["text", "email", "tel", "url", "search", "number"])
/** Matches the `autocomplete` values of fields with secrets. */
const SECRET_AUTOCOMPLETE = /password|one-time-code/i
/** The maximum length of an email address (RFC 5321 §4.5.3.1). */
const MAX_SHOWN_LENGTH = 254
const MAX_SHOWN_VALUES = 3

function isShownAgain(field: string, inputs: Inputs): boolean {
  const { type = "text", autocomplete = "" } = inputs[field] ?? {}
  if (!VISIBLE_TYPES.has(String(type).toLowerCase()) || SECRET_AUTOCOMPLETE.test(String(autocomplete))) return false
  // If no field is declared as a password, a field with an unrecognised name may contain one, and is not shown.
  const hasPassword = Object.values(inputs).some((input) => input?.type === "password")
  return hasPassword || isIdentifier(normalizeFieldName(field))
}

/** Returns the values that a failed form shows again: those that identify an account, without secrets. */
export function identifyingValues(body: Fields, inputs: Inputs): Record<string, string> {
  const values = findIdentifierFields(body, inputs)
    .filter((field) => isShownAgain(field, inputs))
    .map((field) => [field, body[field]] as const)
    .filter((entry): entry is readonly [string, string] => typeof entry[1] === "string" && entry[1] !== "")
  return Object.fromEntries(values.filter(([, value]) => value.length <= MAX_SHOWN_LENGTH).slice(0, MAX_SHOWN_VALUES))
}

/**
 * Returns the names of the accounts that an attempt may be for. Attempts with more than 5 names share one count,
 * because a client that adds fields could otherwise choose which of the names are counted.
 */
export function accountNames(body: Fields, inputs: Inputs): string[] {
  const values = findIdentifierFields(body, inputs).map((field) => body[field])
  const names = [...new Set(values.filter((value) => !isEmpty(value)).map(toAccountName))]
  return names.length > MAX_ACCOUNTS ? [UNUSABLE_NAME] : names
}
