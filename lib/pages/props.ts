/**
 * The props of each page. A view receives only its own props: no configuration, no secret, no query text.
 *
 * @module
 */
import type { ProviderType } from "../base/types.js"
import type { CredentialInput } from "../provider-kit/provider.js"
import type { Language } from "./texts.js"
import type { Webmail } from "./webmail.js"

/** A file below the base path that a page loads. */
export interface AssetProps {
  /** Its path, which contains the hash of its content. */
  readonly href: string
  /** The same hash for the `integrity` attribute. */
  readonly integrity: string
}

/** The props of every page, including its language and texts. */
export interface BaseProps extends Language {
  /** The `<title>`. */
  readonly title: string
  readonly colorScheme: "auto" | "light" | "dark"
  /** The URL of the logo, or undefined. */
  readonly logo: string | undefined
  /** The URL of the site's home page. */
  readonly homeUrl: string
  /** The site's host; "" if the request's host is not trusted. */
  readonly host: string
  /** The site's name if the theme has one, otherwise the host. */
  readonly siteName: string
  /** The URL of the sign-in page. */
  readonly signInUrl: string
  readonly styles: AssetProps
  /** The favicon. Without one, browsers request `/favicon.ico`. */
  readonly icon: AssetProps
  /** The page's scripts; most pages have none. */
  readonly scripts: readonly AssetProps[]
  /** The `nonce` of styles and scripts if the application sets one, or undefined. */
  readonly nonce: string | undefined
  /** The explanation for developers; always undefined in production. */
  readonly developer?: (DeveloperProps & { readonly styles: AssetProps }) | undefined
}

/** A block of the fix: code, a list, or a paragraph. In a text, every second part is code. */
export interface FixProps {
  readonly code?: string
  readonly items?: readonly (readonly string[])[]
  readonly parts?: readonly string[]
}

/** The explanation of a failure for developers. */
export interface DeveloperProps {
  readonly code: string
  readonly title: string
  /** Every second part is code. */
  readonly cause: readonly string[]
  /** The log text, with secrets masked. */
  readonly facts: readonly { readonly name: string; readonly text: string }[]
  readonly fix: readonly FixProps[]
  /** The path of the documentation. */
  readonly docs: string
}

/** What a provider's form has: an email address, its own fields, a passkey, or only a button that leads to its site. */
export type SignInForm = "email" | "fields" | "passkey" | "redirect"

/** A provider on the sign-in page. */
export interface ProviderProps {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly form: SignInForm
  /** The action URL of its form. */
  readonly action: string
  /** The fields of a credentials form, in order. */
  readonly inputs: readonly InputProps[]
  /** The application's logo for it, or undefined. */
  readonly logo: string | undefined
  /** The name of the provider's icon in `views/icons/` for `include`, or undefined. */
  readonly icon: string | undefined
  /** The first letter of the name, shown if there is neither logo nor icon. */
  readonly initial: string
  /** The text of the button: "Continue with" the provider, or "Sign in with" it, as some brand rules require. */
  readonly label: "continue" | "sign-in"
  /** For passkeys: the URL of the ceremony options. */
  readonly optionsUrl?: string
  /** For passkeys: whether the browser can offer them by autofill. */
  readonly hasAutofill?: boolean
  /** For passkeys: false if users must enter an identifier first. */
  readonly isDiscoverable?: boolean
}

/** One `<input>`: its label and attributes as strings. */
export interface InputProps {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly type: string
  readonly placeholder: string
  /** Additional attributes, name and value. The value true is an attribute without value. */
  readonly attributes: readonly (readonly [name: string, value: string | true])[]
}

/** The values that a failed sign-in form shows again. */
export interface FormValues {
  /** The id of the form's provider. */
  readonly provider: string
  /** By field name: only fields that identify the user, no secrets. */
  readonly values: Readonly<Record<string, string>>
  /** True if the user had chosen to stay signed in. */
  readonly remember: boolean
}

/** A form with an email address or a user name, and its submit buttons. */
export interface SignInFormBlock {
  readonly type: "form"
  /** The provider of the button that sends an email. */
  readonly email: ProviderProps | undefined
  /** The provider of the button that submits the other fields, such as a password. */
  readonly credentials: ProviderProps | undefined
  /** All fields, in order. */
  readonly inputs: readonly InputProps[]
  /** The name of the field that contains the email address; "" without `email`. */
  readonly emailField: string
}

/** A part of the sign-in page. */
export type SignInBlock =
  | SignInFormBlock
  | { readonly type: "webauthn"; readonly provider: ProviderProps }
  | {
      readonly type: "providers"
      readonly shown: readonly ProviderProps[]
      /** The providers below "Other ways to sign in". */
      readonly folded: readonly ProviderProps[]
    }

export interface SignInProps extends BaseProps {
  readonly providers: readonly ProviderProps[]
  /** The sign-in methods as the page shows them, in order. */
  readonly blocks: readonly SignInBlock[]
  /** The id of the provider last used in this browser, or undefined. */
  readonly lastUsed: string | undefined
  /** True if the current user connects another provider. */
  readonly isConnecting: boolean
  /** The URL of the page with the user's passkeys if the user can add one, or undefined. */
  readonly passkeysUrl: string | undefined
  /** The application's page for new users, or undefined. */
  readonly signUpUrl: string | undefined
  /** The application's page for a forgotten password, or undefined. */
  readonly forgotPasswordUrl: string | undefined
  readonly csrfToken: string
  /** The return URL; "" uses the cookie. */
  readonly callbackUrl: string
  /** The email address that the user entered before, or "". */
  readonly email: string
  /** Whether the checkbox "Stay signed in" is checked; undefined unless `session.remember` is "ask". */
  readonly remember: boolean | undefined
  /** The error message, or undefined. */
  readonly error: string | undefined
  /** The provider type to whose fields the message refers, or undefined. */
  readonly errorSubject: "credentials" | "email" | undefined
  /** The log reference of the failure, such as "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
}

/** The sign-in page of a user who is signed in. */
export interface SignedInProps extends BaseProps {
  /** The user's name or email address, or "". */
  readonly account: string
  /** The user's email address, or "". */
  readonly email: string
  /** The URL of the user's picture if the page may load it, or undefined. */
  readonly image: string | undefined
  /** The first letter of the account, shown without a picture. */
  readonly initial: string
  /** The return URL. */
  readonly continueUrl: string
  /** The URL of the page that connects another provider; undefined if there is nothing to connect. */
  readonly connectUrl: string | undefined
  /** The action URL of the form that ends the session. */
  readonly switchAction: string
  readonly csrfToken: string
  /** The sign-in page, the return URL of that form. */
  readonly callbackUrl: string
}

export interface SignOutProps extends BaseProps {
  readonly csrfToken: string
  /** The return URL; "" uses the cookie. */
  readonly callbackUrl: string
  /** The action URL of the form. */
  readonly action: string
}

export interface ErrorProps extends BaseProps {
  readonly heading: string
  readonly message: string
  /** Whether a link to the sign-in page helps. */
  readonly offersSignIn: boolean
  /** Whether that link leads to the page on which the current user confirms who they are. */
  readonly isConfirmation: boolean
  /** Whether that link repeats a sign-in that failed. */
  readonly isRetry: boolean
  /** The log reference of the failure, such as "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
}

/** Shown after an email was requested. In other browsers, all texts are empty. */
export interface VerifyRequestProps extends BaseProps {
  /** The address to which the browser requested an email, or "". */
  readonly email: string
  /** The site on which the user reads the email, if the domain of the address is known. */
  readonly webmail: Webmail | undefined
  /** The action URL of the form that requests another email. */
  readonly resendAction: string
  /** The action URL of the form for the code; "" if no code can be entered. */
  readonly codeAction: string
  readonly csrfToken: string
  /** The return URL, a form field. */
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in, a form field. */
  readonly remember: boolean
  /** True if the current user proves again who they are, a form field. */
  readonly isReauthentication: boolean
  /** True if another email can be requested only after up to 30 seconds. */
  readonly isResendDelayed: boolean
  /** The message about a refused code, or undefined. */
  readonly error: string | undefined
}

/** Asks the current user to prove again who they are. */
export interface ReauthenticateProps extends BaseProps {
  /** The providers with which the user can do that. The email address is fixed. */
  readonly providers: readonly ProviderProps[]
  /** The user's email address or name, or "". */
  readonly account: string
  /** The user's email address for a provider of type "email", or "". */
  readonly email: string
  readonly csrfToken: string
  /** The return URL. */
  readonly callbackUrl: string
  /** What the page requires, as a query, for the form field `required`: a failed attempt leads back with it. */
  readonly requiredQuery: string
  /** The error message, or undefined. */
  readonly error: string | undefined
  /** The log reference of the failure, such as "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
  /** The URL of the page that asks for the second factor; undefined if that does not help. */
  readonly secondFactorUrl: string | undefined
  /** The URL of the sign-out page. */
  readonly signOutUrl: string
}

/** Asks for confirmation if an email link is opened in a browser that did not request it. */
export interface ConfirmProps extends BaseProps {
  readonly csrfToken: string
  /** The return URL; "" uses the cookie. */
  readonly callbackUrl: string
  /** The action URL of the form. */
  readonly action: string
  /** The link's token, a form field. */
  readonly token: string
  /** The address in the link, a form field. It is unverified, because the link can be altered. */
  readonly email: string
  /** The address for display if it is valid, otherwise "". */
  readonly account: string
  /** True if the user has chosen to stay signed in, a form field. */
  readonly remember: boolean
  /** True if the current user proves again who they are, a form field. */
  readonly isReauthentication: boolean
}

/** Shows the sign-in methods that were removed when the address was first verified. */
export interface AccountsRemovedProps extends BaseProps {
  /** The distinct provider names. */
  readonly names: readonly string[]
  /** The next URL. */
  readonly continueUrl: string
}

/** Redirects to another origin after a posted form. */
export interface ContinueProps extends BaseProps {
  /** The target of the link. */
  readonly continueUrl: string
  /** The content of the layout's meta refresh: `0;url=https://…`. */
  readonly refresh: string
  /** The target's host, or its scheme if it has no host. */
  readonly destination: string
}

/** A passkey on the page with the user's passkeys. */
export interface PasskeyProps {
  /** An element id. */
  readonly id: string
  readonly credentialID: string
  /** "" if it has no name. */
  readonly name: string
  /** Undefined if the adapter does not store it. */
  readonly createdAt: Date | undefined
  /** Undefined without a store, and if the passkey was never used. */
  readonly lastUsedAt: Date | undefined
  /** The same as text, such as "2 days ago". */
  readonly lastUsed: string | undefined
  /** Whether it is synced to all devices of the user. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** True if it is the user's only sign-in method. */
  readonly isLastMethod: boolean
}

export interface PasskeysProps extends BaseProps {
  readonly passkeys: readonly PasskeyProps[]
  /** The action URL for renaming and removal. */
  readonly action: string
  /** The action URL for a new passkey. */
  readonly addAction: string
  /** The URL of the options for a new passkey. */
  readonly optionsUrl: string
  readonly csrfToken: string
  /** This page, the return URL after a registration. */
  readonly callbackUrl: string
  /** The URL of the page with the user's sessions; undefined without it. */
  readonly sessionsUrl: string | undefined
  readonly maxNameLength: number
}

/** A session on the page with the user's sessions. */
export interface SessionProps {
  /** An element id. */
  readonly id: string
  readonly sessionId: string
  /** Whether it is the session of this browser. */
  readonly isCurrent: boolean
  /** For example "Firefox"; undefined if it is unknown. */
  readonly browser: string | undefined
  /** For example "Windows"; undefined if it is unknown. */
  readonly platform: string | undefined
  /** The client's address or network, if it is recorded. */
  readonly address: string | undefined
  /** The name of the provider; undefined if it is unknown. */
  readonly provider: string | undefined
  readonly lastSeenAt: Date
  /** The time since then in the page's language: "5 minutes ago". */
  readonly lastSeen: string
}

/** A browser that does not ask for the second factor. */
export interface TrustedDeviceProps {
  /** An element id. */
  readonly id: string
  readonly deviceId: string
  readonly browser: string | undefined
  readonly platform: string | undefined
  readonly createdAt: Date
}

export interface SessionsProps extends BaseProps {
  /** This browser's session first, then last used first. */
  readonly sessions: readonly SessionProps[]
  /** Whether there are sessions in other browsers. */
  readonly hasOthers: boolean
  /** The browsers that do not ask for the second factor, newest first. */
  readonly trustedDevices: readonly TrustedDeviceProps[]
  /** The action URL of the forms. */
  readonly action: string
  readonly csrfToken: string
}

/** Asks for the second factor. */
export interface SecondFactorProps extends BaseProps {
  /** Whether the user has an authenticator app. */
  readonly hasApp: boolean
  /** Whether the user may enter a recovery code. */
  readonly hasRecovery: boolean
  /** The action URL of the form for a passkey; undefined if the user has none. */
  readonly passkeyAction: string | undefined
  /** The URL of the options for that passkey. */
  readonly optionsUrl: string
  /** The action URL of the forms for codes. */
  readonly action: string
  readonly csrfToken: string
  /** The return URL, a form field. */
  readonly callbackUrl: string
  /** How long the browser can be trusted, as text such as "30 days"; undefined if that is not offered. */
  readonly trustDuration: string | undefined
  /** True if the current user proves again who they are, a form field. */
  readonly isReauthentication: boolean
  /** The error message, or undefined. */
  readonly error: string | undefined
  /** True if the message is about the recovery code. */
  readonly isRecoveryRefused: boolean
  /** The link that ends the sign-in; undefined if there is none. */
  readonly cancelUrl: string | undefined
}

/** Shows the QR code for an authenticator app, and asks for its first code. */
export interface SecondFactorSetupProps extends BaseProps {
  /** The QR code: the size of its `viewBox`, and the path of its dark modules. */
  readonly qrCode: { readonly size: number; readonly path: string }
  /** The secret for typing, as Base32. */
  readonly secret: string
  /** The sealed secret, a form field. */
  readonly setup: string
  readonly action: string
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: string | undefined
  /** True if a sign-in waits for it. */
  readonly isSignIn: boolean
  /** The link that ends the sign-in, or leads back to the settings. */
  readonly cancelUrl: string
}

/** Shows the recovery codes, once. */
export interface RecoveryCodesProps extends BaseProps {
  readonly codes: readonly string[]
  /** A `data:` URL of a text file with the codes. */
  readonly downloadUrl: string
  readonly continueUrl: string
}

/** The settings of the current user's second factor. */
export interface SecondFactorSettingsProps extends BaseProps {
  /** Whether the user has set up an authenticator app. */
  readonly isEnrolled: boolean
  /** How many recovery codes are left. */
  readonly codesLeft: number
  readonly hasRecovery: boolean
  /** False if the application requires a second factor. */
  readonly canRemove: boolean
  readonly action: string
  readonly csrfToken: string
  /** The URL of the page that sets an app up. */
  readonly setupUrl: string
  /** The URL of the page with the user's passkeys; undefined without it. */
  readonly passkeysUrl: string | undefined
}

/** The pages by the name of their view. */
export interface PageProps {
  "second-factor": SecondFactorProps
  "second-factor-setup": SecondFactorSetupProps
  "second-factor-settings": SecondFactorSettingsProps
  "recovery-codes": RecoveryCodesProps
  signin: SignInProps
  "signed-in": SignedInProps
  signout: SignOutProps
  error: ErrorProps
  "verify-request": VerifyRequestProps
  confirm: ConfirmProps
  passkeys: PasskeysProps
  reauthenticate: ReauthenticateProps
  sessions: SessionsProps
  "accounts-removed": AccountsRemovedProps
  continue: ContinueProps
}

export type PageName = keyof PageProps

/** The props of `layout.ejs`: the page's props and the view to include. */
export type LayoutProps = PageProps[PageName] & { readonly view: PageName }

/**
 * The props of a partial in `methods/`: the sign-in page's props and a part of the page.
 *
 * @public Used by templates, without an import.
 */
export interface MethodProps extends SignInProps {
  readonly block: SignInBlock
  /** Undefined for a form and for the group of the providers. */
  readonly provider: ProviderProps | undefined
  /** Whether one of its fields gets the focus. */
  readonly autofocus: boolean
  /** Whether the page's error refers to its fields and is shown next to them. */
  readonly isRefused: boolean
  /** Whether it is the primary provider. */
  readonly isPrimary: boolean
  /** Whether the browser can offer passkeys in its fields. */
  readonly offersPasskeys: boolean
}

/** The definition of a form field in `credentials`: see {@link CredentialInput}. */
export type CredentialInputs = Readonly<Record<string, CredentialInput>>

/**
 * The props of the templates of an email with a sign-in link. The recipient's address is not included, because any
 * visitor can enter one.
 */
export interface SignInMailProps extends Language {
  /** The link. */
  readonly url: string
  /** The site's host. */
  readonly host: string
  /**
   * The host for display, with a zero-width space before each dot, because email clients turn a bare host into a link.
   */
  readonly hostText: string
  /** The site's name if the theme has one, otherwise the host. */
  readonly siteName: string
  /** The site's name for display, with a zero-width space before each dot. */
  readonly siteNameText: string
  /** When the link expires. */
  readonly expires: Date
  /** The lifetime of the link in seconds. */
  readonly maxAgeSeconds: number
  /** The lifetime as text in the email's language: "24 hours". */
  readonly maxAgeText: string
  /** The code that works instead of the link, such as "CDFH-J479"; undefined without one. */
  readonly code: string | undefined
  /** The lifetime of the code as text: "10 minutes". */
  readonly codeMaxAgeText: string
  readonly colorScheme: BaseProps["colorScheme"]
  /** The CSS colour of the button. */
  readonly brandColor: string
  /** The CSS colour of the button's text. */
  readonly buttonText: string
}

/** The emails by template name: `views/mail/<name>.subject.ejs`, `.text.ejs` and `.html.ejs`. */
export interface MailProps {
  "sign-in": SignInMailProps
}
