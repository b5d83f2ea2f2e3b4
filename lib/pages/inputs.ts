import type { CredentialInput } from "../providers/provider.js"
import type { CredentialInputs, InputProps } from "./props.js"

/** Props of their own, and `style`, which the pages' Content-Security-Policy forbids. */
const RESERVED = new Set(["label", "type", "placeholder", "name", "id", "style"])
/** Attributes whose "true" and "false" are text. */
const SAYS_TRUE_OR_FALSE = /^(?:aria-|data-|spellcheck$)/
const ATTRIBUTE_NAME = /^[a-z][a-z-]*$/
const USER_NAMES = new Set(["username", "email", "login", "user", "identifier"])
/** Codes of an app or a message, which are good for one sign-in. */
const CODE_NAMES = new Set(["otp", "totp", "code", "otpcode", "totpcode", "onetimecode", "mfacode", "2facode"])
/** `newPassword`, `password_confirmation`: of a form that makes an account as well. */
const NEW_PASSWORD = /new|confirm|repeat/
/** Types that a password manager fills in. */
const TEXT_TYPES = new Set(["text", "email", "tel", "url", "search"])

type Attribute = readonly [name: string, value: string | true]

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined

/** React's `autoComplete`, `maxLength` or `readOnly`, as HTML writes it. */
const toHtmlName = (name: string): string => (name === "className" ? "class" : name.toLowerCase())

function toAttribute([given, value]: [string, unknown]): Attribute | undefined {
  const name = toHtmlName(given)
  if (RESERVED.has(name) || name.startsWith("on") || !ATTRIBUTE_NAME.test(name)) return undefined
  if (typeof value !== "boolean") {
    const text = textOf(value)
    return text === undefined ? undefined : [name, text]
  }
  if (SAYS_TRUE_OR_FALSE.test(name)) return [name, String(value)]
  return value ? [name, true] : undefined
}

/** What tells a password manager which field this is. */
function autocompleteOf(name: string, type: string): string | undefined {
  const plain = name.toLowerCase().replace(/[-_]/g, "")
  if (type !== "password" && !TEXT_TYPES.has(type) && type !== "number") return undefined
  if (CODE_NAMES.has(plain)) return "one-time-code"
  if (type === "password") return NEW_PASSWORD.test(plain) ? "new-password" : "current-password"
  return type === "email" || (type !== "number" && USER_NAMES.has(plain)) ? "username" : undefined
}

function attributesOf(name: string, type: string, input: CredentialInput): Attribute[] {
  const attributes = new Map<string, string | true>()
  const autocomplete = autocompleteOf(name, type)
  if (autocomplete) attributes.set("autocomplete", autocomplete)
  for (const [key, value] of Object.entries(input)
    .map(toAttribute)
    .filter((found) => found !== undefined)) {
    attributes.set(key, value)
  }
  return [...attributes]
}

/**
 * The fields of a credentials form, from the provider's `credentials`. `values` are those that a form which failed
 * shows again, by the names of the fields.
 *
 * @example
 * inputProps("credentials", { pin: { label: "PIN", type: "password", inputMode: "numeric", maxLength: 6 } })
 */
export function inputProps(
  providerId: string,
  credentials: CredentialInputs,
  values: Readonly<Record<string, string>> = {},
): InputProps[] {
  // A condition leaves `undefined` or false where there is no field.
  const given = Object.entries(credentials).filter(([, input]) => input)
  return given.map(([name, input]) => {
    const type = textOf(input.type)?.toLowerCase() ?? "text"
    return {
      // An id has no spaces.
      id: `input-${name}-for-${providerId}-provider`.replace(/\s/g, "+"),
      name,
      label: textOf(input.label) ?? name,
      type,
      placeholder: textOf(input.placeholder) ?? "",
      attributes: attributesOf(name, type, Object.hasOwn(values, name) ? { ...input, value: values[name] } : input),
    }
  })
}
