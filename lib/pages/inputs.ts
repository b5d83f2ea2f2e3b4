import type { CredentialInput } from "../provider-kit/provider.js"
import type { CredentialInputs, InputProps } from "./props.js"

/** Attributes that `InputProps` contains separately, and `style`, which the pages' Content-Security-Policy forbids. */
const RESERVED = new Set(["label", "type", "placeholder", "name", "id", "style"])
/** Matches the attributes that have the text "true" or "false" as value. Other boolean attributes have no value. */
const BOOLEAN_STRINGS = /^(?:aria-|data-|spellcheck$)/
const ATTRIBUTE_NAME = /^[a-z][a-z-]*$/
/** Names of fields for a user name or an email address. */
const IDENTIFIER_NAMES = new Set(["username", "email", "login", "user", "identifier"])
/** Names of fields for a one-time code, which the user reads in an authenticator app or a message. */
const CODE_NAMES = new Set(["otp", "totp", "code", "otpcode", "totpcode", "onetimecode", "mfacode", "2facode"])
/** Matches names such as `newPassword` or `password_confirmation`, in a form that also signs up users. */
const NEW_PASSWORD = /new|confirm|repeat/
/** Input types in which a password manager can enter an identifier or a code. */
const TEXT_TYPES = new Set(["text", "email", "tel", "url", "search"])

type Attribute = readonly [name: string, value: string | true]

const toText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined

/** Converts React's attribute names, such as `autoComplete`, `maxLength` and `readOnly`, to those of HTML. */
const toHtmlName = (name: string): string => (name === "className" ? "class" : name.toLowerCase())

/** Converts a member of an input definition to an HTML attribute; undefined if it must not become an attribute. */
function toAttribute([memberName, value]: [string, unknown]): Attribute | undefined {
  const name = toHtmlName(memberName)
  if (RESERVED.has(name) || name.startsWith("on") || !ATTRIBUTE_NAME.test(name)) return undefined
  if (typeof value !== "boolean") {
    const text = toText(value)
    return text === undefined ? undefined : [name, text]
  }
  if (BOOLEAN_STRINGS.test(name)) return [name, String(value)]
  return value ? [name, true] : undefined
}

/** Guesses the `autocomplete` value of a field from its name and its input type; undefined if neither suggests one. */
function guessAutocomplete(name: string, inputType: string): string | undefined {
  const normalized = name.toLowerCase().replace(/[-_]/g, "")
  if (inputType !== "password" && !TEXT_TYPES.has(inputType) && inputType !== "number") return undefined
  if (CODE_NAMES.has(normalized)) return "one-time-code"
  if (inputType === "password") return NEW_PASSWORD.test(normalized) ? "new-password" : "current-password"
  return inputType === "email" || (inputType !== "number" && IDENTIFIER_NAMES.has(normalized)) ? "username" : undefined
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
 * Returns the props of the fields that a provider's option `credentials` defines. `values` contains, by field name, the
 * values that the form shows again after a failure.
 *
 * @example
 * inputProps("credentials", { pin: { label: "PIN", type: "password", inputMode: "numeric", maxLength: 6 } })
 */
export function inputProps(
  providerId: string,
  credentials: CredentialInputs,
  values: Readonly<Record<string, string>> = {},
): InputProps[] {
  // A definition can be false or undefined, as in `{ pin: hasPin && { … } }`. Such a field is left out.
  const definitions = Object.entries(credentials).filter(([, input]) => input)
  return definitions.map(([name, input]) => {
    const type = toText(input.type)?.toLowerCase() ?? "text"
    return {
      // An id must not contain spaces.
      id: `input-${name}-for-${providerId}-provider`.replace(/\s/g, "+"),
      name,
      label: toText(input.label) ?? name,
      type,
      placeholder: toText(input.placeholder) ?? "",
      attributes: inputAttributes(name, type, Object.hasOwn(values, name) ? { ...input, value: values[name] } : input),
    }
  })
}
