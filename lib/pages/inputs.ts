import type { CredentialInput } from "../provider-kit/provider.js"
import type { CredentialInputs, InputProps } from "./props.js"

/** Attributes with their own props, and `style`, which the pages' Content-Security-Policy forbids. */
const RESERVED = new Set(["label", "type", "placeholder", "name", "id", "style"])
/** Attributes whose values "true" and "false" are strings. */
const BOOLEAN_STRINGS = /^(?:aria-|data-|spellcheck$)/
const ATTRIBUTE_NAME = /^[a-z][a-z-]*$/
const USER_NAMES = new Set(["username", "email", "login", "user", "identifier"])
/** One-time codes of an authenticator app or a message. */
const CODE_NAMES = new Set(["otp", "totp", "code", "otpcode", "totpcode", "onetimecode", "mfacode", "2facode"])
/** `newPassword`, `password_confirmation`: fields of a form that also signs up users. */
const NEW_PASSWORD = /new|confirm|repeat/
/** Input types that a password manager fills in. */
const TEXT_TYPES = new Set(["text", "email", "tel", "url", "search"])

type Attribute = readonly [name: string, value: string | true]

const toText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined

/** Converts React's `autoComplete`, `maxLength` or `readOnly` to HTML. */
const toHtmlName = (name: string): string => (name === "className" ? "class" : name.toLowerCase())

function toAttribute([given, value]: [string, unknown]): Attribute | undefined {
  const name = toHtmlName(given)
  if (RESERVED.has(name) || name.startsWith("on") || !ATTRIBUTE_NAME.test(name)) return undefined
  if (typeof value !== "boolean") {
    const text = toText(value)
    return text === undefined ? undefined : [name, text]
  }
  if (BOOLEAN_STRINGS.test(name)) return [name, String(value)]
  return value ? [name, true] : undefined
}

/** Guesses the `autocomplete` value for password managers. */
function guessAutocomplete(name: string, input: string): string | undefined {
  const normalized = name.toLowerCase().replace(/[-_]/g, "")
  if (input !== "password" && !TEXT_TYPES.has(input) && input !== "number") return undefined
  if (CODE_NAMES.has(normalized)) return "one-time-code"
  if (input === "password") return NEW_PASSWORD.test(normalized) ? "new-password" : "current-password"
  return input === "email" || (input !== "number" && USER_NAMES.has(normalized)) ? "username" : undefined
}

function inputAttributes(name: string, type: string, input: CredentialInput): Attribute[] {
  const attributes = new Map<string, string | true>()
  const autocomplete = guessAutocomplete(name, type)
  if (autocomplete) attributes.set("autocomplete", autocomplete)
  for (const [key, value] of Object.entries(input)
    .map(toAttribute)
    .filter((found) => found !== undefined)) {
    attributes.set(key, value)
  }
  return [...attributes]
}

/**
 * The fields of a credentials form, from the provider's `credentials`. `values` are the values to show again after a
 * failure, by field name.
 *
 * @example
 * inputProps("credentials", { pin: { label: "PIN", type: "password", inputMode: "numeric", maxLength: 6 } })
 */
export function inputProps(
  providerId: string,
  credentials: CredentialInputs,
  values: Readonly<Record<string, string>> = {},
): InputProps[] {
  // A conditional field can be `undefined` or false.
  const given = Object.entries(credentials).filter(([, input]) => input)
  return given.map(([name, input]) => {
    const type = toText(input.type)?.toLowerCase() ?? "text"
    return {
      // Spaces are not allowed in an id.
      id: `input-${name}-for-${providerId}-provider`.replace(/\s/g, "+"),
      name,
      label: toText(input.label) ?? name,
      type,
      placeholder: toText(input.placeholder) ?? "",
      attributes: inputAttributes(name, type, Object.hasOwn(values, name) ? { ...input, value: values[name] } : input),
    }
  })
}
