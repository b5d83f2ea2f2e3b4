/**
 * Arranges the sign-in methods on the sign-in page: one form for email addresses and passwords, then passkeys, then the
 * other providers.
 *
 * @module
 */
import type { InputProps, ProviderProps, SignInBlock, SignInFormBlock } from "./props.js"
import type { Language } from "./texts.js"

/** More providers than these are folded. */
const MAX_SHOWN = 5

/** What the arrangement depends on besides the providers. */
export interface Arrangement {
  readonly layout: "form-first" | "providers-first"
  /** The id of the provider last used in this browser. */
  readonly lastUsed: string | undefined
  /** The address that the user entered before, or "". */
  readonly email: string
  readonly t: Language["t"]
}

const isTick = ({ type }: InputProps): boolean => type === "checkbox" || type === "radio"

const findAttribute = ({ attributes }: InputProps, name: string): string | undefined => {
  const value = attributes.find(([other]) => other === name)?.[1]
  return typeof value === "string" ? value : undefined
}

/** Replaces attributes, and adds those that are missing. */
function withAttributes(input: InputProps, changes: Readonly<Record<string, string | true>>): InputProps {
  return { ...input, attributes: [...new Map([...input.attributes, ...Object.entries(changes)])] }
}

const isIdentifier = (input: InputProps): boolean =>
  ["username", "email"].some((token) => findAttribute(input, "autocomplete")?.split(" ").includes(token))

/** The first visible field of a credentials form if it asks for an email address or a user name. */
function findIdentifier({ inputs }: ProviderProps): InputProps | undefined {
  const first = inputs.find(({ type }) => type !== "hidden")
  return first && !isTick(first) && isIdentifier(first) ? first : undefined
}

/** The field of a form that only sends an email. */
const emailInput = ({ id }: ProviderProps, { t, email }: Arrangement): InputProps => ({
  id: `input-email-for-${id}-provider`,
  name: "email",
  label: t("signin.email.label"),
  type: "email",
  placeholder: t("signin.email.placeholder"),
  attributes: [
    ["value", email],
    ["required", true],
    ["autocomplete", "email"],
  ],
})

/** The field that serves the password and the email link. */
function sharedInput(input: InputProps, { t, email }: Arrangement): InputProps {
  const shared = {
    value: findAttribute(input, "value") || email,
    required: true,
    autocomplete: findAttribute(input, "autocomplete") ?? "username",
  } as const
  const { type: inputType } = input
  if (inputType === "email")
    return withAttributes({ ...input, placeholder: input.placeholder || t("signin.email.placeholder") }, shared)
  const label = t("signin.identifier.label")
  return withAttributes({ ...input, label }, { ...shared, inputmode: "email", spellcheck: "false" })
}

const emailForm = (email: ProviderProps, arrangement: Arrangement): SignInFormBlock => ({
  type: "form",
  email,
  credentials: undefined,
  inputs: [emailInput(email, arrangement)],
  emailField: "email",
})

const credentialsForm = (credentials: ProviderProps): SignInFormBlock => ({
  type: "form",
  email: undefined,
  credentials,
  inputs: credentials.inputs,
  emailField: "",
})

/** The form whose first field serves both providers. */
const sharedForm = (
  { email, credentials, identifier }: { email: ProviderProps; credentials: ProviderProps; identifier: InputProps },
  arrangement: Arrangement,
): SignInFormBlock => ({
  type: "form",
  email,
  credentials,
  inputs: credentials.inputs.map((input) => {
    if (input === identifier) return sharedInput(input, arrangement)
    // The browser asks for the password if Enter is pressed in the first field.
    return input.type === "password" ? withAttributes(input, { required: true }) : input
  }),
  emailField: identifier.name,
})

/** Credentials that can share their first field with the email link. No other field may have the name "email". */
const isShareable = (provider: ProviderProps): boolean => {
  const identifier = findIdentifier(provider)
  return (
    provider.form === "fields" &&
    identifier !== undefined &&
    provider.inputs.every((input) => input === identifier || input.name !== "email")
  )
}

const isForm = ({ form }: ProviderProps): boolean => form === "email" || form === "fields"

/** Creates the forms. The first email provider and the first suitable credentials provider share one. */
function createForms(providers: readonly ProviderProps[], arrangement: Arrangement): SignInFormBlock[] {
  const email = providers.find(({ form }) => form === "email")
  const credentials = email && providers.find(isShareable)
  const identifier = credentials && findIdentifier(credentials)
  const isShared = (provider: ProviderProps) => provider === email || provider === credentials
  const shared = email && credentials && identifier && sharedForm({ email, credentials, identifier }, arrangement)
  const forms = providers.filter(isForm).flatMap((provider) => {
    if (shared && isShared(provider)) return provider === providers.find(isShared) ? [shared] : []
    return [provider.form === "email" ? emailForm(provider, arrangement) : credentialsForm(provider)]
  })
  const { lastUsed } = arrangement
  return moveToFront(forms, ({ email, credentials }) =>
    [email, credentials].some((method) => method !== undefined && method.id === lastUsed),
  )
}

const moveToFront = <T>(list: readonly T[], isFirst: (entry: T) => boolean): T[] => [
  ...list.filter(isFirst),
  ...list.filter((entry) => !isFirst(entry)),
]

/**
 * Returns the blocks of the page in order. The block with the method last used comes first. Otherwise the forms and the
 * passkeys come first, or with the layout "providers-first" the providers. The order of the configuration decides ties.
 */
export function arrangeMethods(providers: readonly ProviderProps[], arrangement: Arrangement): SignInBlock[] {
  const { lastUsed, layout } = arrangement
  const isLast = ({ id }: ProviderProps) => id === lastUsed
  const forms = createForms(providers, arrangement)
  const passkeys = providers.filter(({ form }) => form === "passkey")
  const others = moveToFront(
    providers.filter((provider) => provider.form === "redirect"),
    isLast,
  )
  const passkeyBlocks: SignInBlock[] = passkeys.map((provider) => ({ type: "webauthn", provider }))
  const own = passkeys.some(isLast) ? [...passkeyBlocks, ...forms] : [...forms, ...passkeyBlocks]
  const rest: SignInBlock[] =
    others.length > 0 ? [{ type: "providers", shown: others.slice(0, MAX_SHOWN), folded: others.slice(MAX_SHOWN) }] : []
  const wasOwn = providers.some((provider) => isLast(provider) && !others.includes(provider))
  const startsWithProviders = others.some(isLast) || (layout === "providers-first" && !wasOwn)
  return startsWithProviders ? [...rest, ...own] : [...own, ...rest]
}
