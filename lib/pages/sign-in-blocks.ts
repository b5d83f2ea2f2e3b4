/**
 * Arranges the sign-in methods on the sign-in page. By default, the forms for email addresses and passwords come first,
 * then passkeys, then the other providers.
 *
 * @module
 */
import type { InputProps, ProviderProps, SignInBlock, SignInFormBlock } from "./props.js"
import type { Language } from "./texts.js"

/** The number of provider buttons that are visible. Further buttons are collapsed below "Other ways to sign in". */
const MAX_VISIBLE = 5

/** The options of `arrangeMethods`. */
export interface ArrangeOptions {
  readonly layout: "form-first" | "providers-first"
  /** The id of the provider last used in this browser. */
  readonly lastUsed: string | undefined
  /** The email address that the user entered before, or "". */
  readonly email: string
  readonly t: Language["t"]
}

const isCheckboxOrRadio = ({ type }: InputProps): boolean => type === "checkbox" || type === "radio"

const findAttribute = ({ attributes }: InputProps, name: string): string | undefined => {
  const value = attributes.find(([attribute]) => attribute === name)?.[1]
  return typeof value === "string" ? value : undefined
}

/** Returns a copy of an input in which these attributes are added or replaced. */
function withAttributes(input: InputProps, changes: Readonly<Record<string, string | true>>): InputProps {
  return { ...input, attributes: [...new Map([...input.attributes, ...Object.entries(changes)])] }
}

const isIdentifier = (input: InputProps): boolean =>
  ["username", "email"].some((token) => findAttribute(input, "autocomplete")?.split(" ").includes(token))

/**
 * Returns the first visible field of a credentials form if it is a field for an email address or a user name; otherwise
 * undefined.
 */
function findIdentifier({ inputs }: ProviderProps): InputProps | undefined {
  const first = inputs.find(({ type }) => type !== "hidden")
  return first && !isCheckboxOrRadio(first) && isIdentifier(first) ? first : undefined
}

/** Creates the field for the email address in a form whose only button sends an email. */
const emailInput = ({ id }: ProviderProps, { t, email }: ArrangeOptions): InputProps => ({
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

/** Returns a copy of a credentials form's identifier field, changed so that the email button can use its value too. */
function sharedInput(input: InputProps, { t, email }: ArrangeOptions): InputProps {
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

const emailForm = (email: ProviderProps, options: ArrangeOptions): SignInFormBlock => ({
  type: "form",
  email,
  credentials: undefined,
  inputs: [emailInput(email, options)],
  emailField: "email",
})

const credentialsForm = (credentials: ProviderProps): SignInFormBlock => ({
  type: "form",
  email: undefined,
  credentials,
  inputs: credentials.inputs,
  emailField: "",
})

/** Creates a form with two buttons, for a password and for an email. Both buttons use the identifier field. */
const sharedForm = (
  { email, credentials, identifier }: { email: ProviderProps; credentials: ProviderProps; identifier: InputProps },
  options: ArrangeOptions,
): SignInFormBlock => ({
  type: "form",
  email,
  credentials,
  inputs: credentials.inputs.map((input) => {
    if (input === identifier) return sharedInput(input, options)
    // Makes the password required. Otherwise the browser would submit the form without a password if the user presses
    // Enter in the first field.
    return input.type === "password" ? withAttributes(input, { required: true }) : input
  }),
  emailField: identifier.name,
})

/**
 * True if a credentials form can share its identifier field with the email button. No other field may have the name
 * "email": if the form contains a field of this name, the email provider reads the address from it, even if the
 * identifier field has another name.
 */
const isShareable = (provider: ProviderProps): boolean => {
  const identifier = findIdentifier(provider)
  return (
    provider.form === "fields" &&
    identifier !== undefined &&
    provider.inputs.every((input) => input === identifier || input.name !== "email")
  )
}

const isForm = ({ form }: ProviderProps): boolean => form === "email" || form === "fields"

/**
 * Creates the forms. The first email provider and the first shareable credentials provider share one form. The form of
 * the last used method comes first.
 */
function createForms(providers: readonly ProviderProps[], options: ArrangeOptions): SignInFormBlock[] {
  const email = providers.find(({ form }) => form === "email")
  const credentials = email && providers.find(isShareable)
  const identifier = credentials && findIdentifier(credentials)
  const isShared = (provider: ProviderProps) => provider === email || provider === credentials
  const shared = email && credentials && identifier && sharedForm({ email, credentials, identifier }, options)
  const forms = providers.filter(isForm).flatMap((provider) => {
    if (shared && isShared(provider)) return provider === providers.find(isShared) ? [shared] : []
    return [provider.form === "email" ? emailForm(provider, options) : credentialsForm(provider)]
  })
  const { lastUsed } = options
  return moveToFront(forms, ({ email, credentials }) =>
    [email, credentials].some((method) => method !== undefined && method.id === lastUsed),
  )
}

const moveToFront = <T>(list: readonly T[], isFirst: (entry: T) => boolean): T[] => [
  ...list.filter(isFirst),
  ...list.filter((entry) => !isFirst(entry)),
]

/**
 * Returns the blocks of the page in order. The block with the last used method comes first. If no method was used in
 * this browser, the forms come first, then the passkeys, then the other providers; with the layout "providers-first",
 * the other providers come first. Apart from the last used method, each group has the order of the configuration.
 */
export function arrangeMethods(providers: readonly ProviderProps[], options: ArrangeOptions): SignInBlock[] {
  const { lastUsed, layout } = options
  const isLastUsed = ({ id }: ProviderProps) => id === lastUsed
  const forms = createForms(providers, options)
  const passkeys = providers.filter(({ form }) => form === "passkey")
  const redirectProviders = moveToFront(
    providers.filter((provider) => provider.form === "redirect"),
    isLastUsed,
  )
  const passkeyBlocks: SignInBlock[] = passkeys.map((provider) => ({ type: "webauthn", provider }))
  const onSiteBlocks = passkeys.some(isLastUsed) ? [...passkeyBlocks, ...forms] : [...forms, ...passkeyBlocks]
  const visible = redirectProviders.slice(0, MAX_VISIBLE)
  const collapsed = redirectProviders.slice(MAX_VISIBLE)
  const providerBlocks: SignInBlock[] = redirectProviders.length > 0 ? [{ type: "providers", visible, collapsed }] : []
  const isLastUsedOnSite = providers.some((provider) => isLastUsed(provider) && !redirectProviders.includes(provider))
  const startsWithProviders = redirectProviders.some(isLastUsed) || (layout === "providers-first" && !isLastUsedOnSite)
  return startsWithProviders ? [...providerBlocks, ...onSiteBlocks] : [...onSiteBlocks, ...providerBlocks]
}
