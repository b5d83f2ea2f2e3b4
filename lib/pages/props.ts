/**
 * The props of each page. A view receives only these props, and neither the configuration nor the request.
 *
 * @module
 */
import type { ProviderType } from "../base/types.js"
import type { CredentialInput } from "../provider-kit/provider.js"
import type { Language } from "./texts.js"
import type { Webmail } from "./webmail.js"

/** A static file below the base path, which a page loads. */
export interface AssetProps {
  /** The path of the file, which contains the hash of its content. */
  readonly href: string
  /** The complete hash, for the attribute `integrity`. */
  readonly integrity: string
}

/** The props that every page has, including its language and texts. */
export interface BaseProps extends Language {
  /** The text of `<title>`. */
  readonly title: string
  readonly colorScheme: "auto" | "light" | "dark"
  /** The URL of the logo, or undefined. */
  readonly logo: string | undefined
  /** The URL of the site's home page; "/" if the request's host is not trusted. */
  readonly homeUrl: string
  /** The site's host; "" if the request's host is not trusted. */
  readonly host: string
  /** `theme.siteName`, or else the host. */
  readonly siteName: string
  /** The URL of the sign-in page. */
  readonly signInUrl: string
  readonly styles: AssetProps
  /** The favicon. If a page has none, browsers request `/favicon.ico`. */
  readonly icon: AssetProps
  /** The page's scripts; most pages have none. */
  readonly scripts: readonly AssetProps[]
  /** The attribute `nonce` of styles and scripts; undefined unless the application sets a nonce. */
  readonly nonce: string | undefined
  /** The explanation of a failure for developers; always undefined in production. */
  readonly developer?: (DeveloperProps & { readonly styles: AssetProps }) | undefined
}

/** One block of the description of a fix. Exactly one member is set. */
export interface FixProps {
  /** A block of code. */
  readonly code?: string
  /** A list. In the parts of each item, every second part is code. */
  readonly items?: readonly (readonly string[])[]
  /** A paragraph. Every second part is code. */
  readonly parts?: readonly string[]
}

/** The explanation of a failure for developers. */
export interface DeveloperProps {
  readonly code: string
  readonly title: string
  /** The text that explains the cause. Every second part is code. */
  readonly cause: readonly string[]
  /** The members of the log record, with secrets masked. */
  readonly facts: readonly { readonly name: string; readonly text: string }[]
  readonly fix: readonly FixProps[]
  /** The path of the page in the documentation. */
  readonly docs: string
}

/**
 * What a provider's form contains: a field for an email address, the provider's own fields, a button for a passkey, or
 * only a button that redirects to the provider.
 */
export type SignInForm = "email" | "fields" | "passkey" | "redirect"

/** A provider on the sign-in page. */
export interface ProviderProps {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly form: SignInForm
  /** The action URL of the provider's form. */
  readonly action: string
  /** The fields of a credentials form, in order. */
  readonly inputs: readonly InputProps[]
  /** The URL of the logo that the application has set for the provider, or undefined. */
  readonly logo: string | undefined
  /** The path of the provider's icon for `include`, such as "icons/github.svg", or undefined. */
  readonly icon: string | undefined
  /** The first letter of the name, which is shown if there is neither a logo nor an icon. */
  readonly initial: string
  /** Selects the text of the button: "Continue with GitHub", or "Sign in with GitHub", which some vendors require. */
  readonly label: "continue" | "sign-in"
  /** For passkeys: the URL of the options for the WebAuthn ceremony. */
  readonly optionsUrl?: string
  /** For passkeys: true if the browser can offer them as autofill of a field. */
  readonly hasAutofill?: boolean
  /** For passkeys: false if users must enter an identifier first. */
  readonly isDiscoverable?: boolean
}

/** One `<input>` with its label. */
export interface InputProps {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly type: string
  readonly placeholder: string
  /** Additional attributes: name and value. True stands for an attribute without a value. */
  readonly attributes: readonly (readonly [name: string, value: string | true])[]
}

/** The values that a failed sign-in form shows again. */
export interface FormValues {
  /** The id of the form's provider. */
  readonly provider: string
  /** The values by field name. Contains only fields that identify the user, and no secrets. */
  readonly values: Readonly<Record<string, string>>
  /** True if the user had chosen to stay signed in. */
  readonly remember: boolean
}

/** A form with the field for an email address, the fields of a credentials provider, or both. */
export interface SignInFormBlock {
  readonly type: "form"
  /** The provider whose button sends an email; undefined if the form has no such button. */
  readonly email: ProviderProps | undefined
  /** The provider whose button submits all fields, such as a password; undefined if the form has no such button. */
  readonly credentials: ProviderProps | undefined
  /** The fields of the form, in order. */
  readonly inputs: readonly InputProps[]
  /** The name of the field that contains the email address; "" without `email`. */
  readonly emailField: string
}

/** A part of the sign-in page: a form, the button for passkeys, or the buttons of the other providers. */
export type SignInBlock =
  | SignInFormBlock
  | { readonly type: "webauthn"; readonly provider: ProviderProps }
  | {
      readonly type: "providers"
      /** The providers whose buttons are visible at once. */
      readonly visible: readonly ProviderProps[]
      /** The providers whose buttons are in the collapsed part below "Other ways to sign in". */
      readonly collapsed: readonly ProviderProps[]
    }

/** The sign-in page. */
export interface SignInProps extends BaseProps {
  readonly providers: readonly ProviderProps[]
  /** The sign-in methods as the page shows them, in order. */
  readonly blocks: readonly SignInBlock[]
  /** The id of the provider last used in this browser, or undefined. */
  readonly lastUsed: string | undefined
  /** True if the current user connects another account instead of signing in. */
  readonly isConnecting: boolean
  /** While an account is connected: the URL of the page on which the user can add a passkey, or undefined. */
  readonly passkeysUrl: string | undefined
  /** The application's page for new users, or undefined. */
  readonly signUpUrl: string | undefined
  /** The application's page for a forgotten password, or undefined. */
  readonly forgotPasswordUrl: string | undefined
  readonly csrfToken: string
  /** The return URL. If it is "", the return URL in the browser's cookie is used. */
  readonly callbackUrl: string
  /** The email address that the user entered before, or "". */
  readonly email: string
  /** True if the checkbox "Stay signed in" is checked; undefined unless `session.remember` is "ask". */
  readonly remember: boolean | undefined
  /** The error message, or undefined. */
  readonly error: string | undefined
  /** The type of the provider whose form fields caused the error, or undefined. */
  readonly errorSubject: "credentials" | "email" | undefined
  /** The log reference of the failure, such as "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
}

/** The page that replaces the sign-in page for a signed-in user. */
export interface SignedInProps extends BaseProps {
  /** The user's name or email address, or "". */
  readonly account: string
  /** The user's email address, or "". */
  readonly email: string
  /** The URL of the user's picture; undefined if there is none, or if the Content-Security-Policy forbids it. */
  readonly image: string | undefined
  /** The first letter of `account`, which is shown if there is no picture. */
  readonly initial: string
  /** The return URL. */
  readonly continueUrl: string
  /** The URL of the page on which the user can connect another account; undefined if no account can be connected. */
  readonly connectUrl: string | undefined
  /** The action URL of the form that signs out, so that another user can sign in. */
  readonly switchAction: string
  readonly csrfToken: string
  /** The return URL of this form: the sign-in page. */
  readonly callbackUrl: string
}

/** Asks the user to confirm the sign-out. */
export interface SignOutProps extends BaseProps {
  readonly csrfToken: string
  /** The return URL. If it is "", the return URL in the browser's cookie is used. */
  readonly callbackUrl: string
  /** The action URL of the form. */
  readonly action: string
}

/** The error page. */
export interface ErrorProps extends BaseProps {
  readonly heading: string
  readonly message: string
  /** True if the page has a link to `signInUrl`. */
  readonly offersSignIn: boolean
  /** True if this link leads to the reauthentication page instead of the sign-in page. */
  readonly linksToReauthentication: boolean
  /** Selects the text of a link to the sign-in page: true for "Try again", false for "Sign in". */
  readonly isRetry: boolean
  /** The log reference of the failure, such as "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
}

/**
 * The page "Check your email". In a browser that has not requested the email, the members about the request are empty.
 */
export interface VerifyRequestProps extends BaseProps {
  /** The address to which this browser requested an email, or "". */
  readonly email: string
  /** The webmail site of the address, if its domain is known. */
  readonly webmail: Webmail | undefined
  /** The action URL of the form that requests another email. */
  readonly resendAction: string
  /** The action URL of the form for the code; "" if no code can be entered. */
  readonly codeAction: string
  readonly csrfToken: string
  /** The return URL, a form field. */
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in. A form field. */
  readonly remember: boolean
  /** True if the current user re-authenticates. A form field. */
  readonly isReauthentication: boolean
  /** True if the page hides the button for another email for 30 seconds. */
  readonly isResendDelayed: boolean
  /** The message about a wrong or expired code, or undefined. */
  readonly error: string | undefined
}

/** The reauthentication page, on which the current user proves their identity again. */
export interface ReauthenticateProps extends BaseProps {
  /** The providers with which the user can re-authenticate. */
  readonly providers: readonly ProviderProps[]
  /** The user's email address or name, or "". */
  readonly account: string
  /** The address to which a provider of type "email" sends its email, or "". The user can't change it. */
  readonly email: string
  readonly csrfToken: string
  /** The return URL. */
  readonly callbackUrl: string
  /**
   * The required authentication as a query string. The forms send it in the field `required`, so that the page has it
   * again after a failure.
   */
  readonly requiredQuery: string
  /** The error message, or undefined. */
  readonly error: string | undefined
  /** The log reference of the failure, such as "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
  /** The URL of the page for the second factor; undefined if a second factor can't meet the requirement. */
  readonly secondFactorUrl: string | undefined
  /** The URL of the sign-out page. */
  readonly signOutUrl: string
}

/** Asks for confirmation if an email link is opened in a browser that did not request the email. */
export interface ConfirmProps extends BaseProps {
  readonly csrfToken: string
  /** The return URL. If it is "", the return URL in the browser's cookie is used. */
  readonly callbackUrl: string
  /** The action URL of the form. */
  readonly action: string
  /** The link's token. A form field. */
  readonly token: string
  /** The address in the link, which is unverified, because a link can be altered. A form field. */
  readonly email: string
  /** The address for display; "" if the address is invalid. */
  readonly account: string
  /** True if the user has chosen to stay signed in. A form field. */
  readonly remember: boolean
  /** True if the current user re-authenticates. A form field. */
  readonly isReauthentication: boolean
}

/** Shows the sign-in methods that were removed when the user's email address was verified for the first time. */
export interface AccountsRemovedProps extends BaseProps {
  /** The names of the providers whose accounts were removed, without duplicates. */
  readonly names: readonly string[]
  /** The URL of the link to continue. */
  readonly continueUrl: string
}

/** Redirects to another origin after a form was submitted. */
export interface ContinueProps extends BaseProps {
  /** The target of the link. */
  readonly continueUrl: string
  /** The content of the element `<meta http-equiv="refresh">` in the layout: `0;url=https://…`. */
  readonly refresh: string
  /** The target's host, or its scheme if it has no host. */
  readonly destination: string
}

/** A passkey on the page with the user's passkeys. */
export interface PasskeyProps {
  /** An element id. */
  readonly id: string
  readonly credentialID: string
  /** The name that the user sees; "" if the passkey has no name. */
  readonly name: string
  /** Undefined if the adapter does not store the date. */
  readonly createdAt: Date | undefined
  /** When the passkey was last used. Undefined without a store, and if the passkey was never used. */
  readonly lastUsedAt: Date | undefined
  /** The time since `lastUsedAt` as text, such as "2 days ago". */
  readonly lastUsed: string | undefined
  /** True if the passkey is synced to the user's devices. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** True if the passkey is the user's only sign-in method. */
  readonly isLastMethod: boolean
}

/** The page with the user's passkeys. */
export interface PasskeysProps extends BaseProps {
  readonly passkeys: readonly PasskeyProps[]
  /** The action URL of the forms that rename and remove a passkey. */
  readonly action: string
  /** The action URL of the form that adds a passkey. */
  readonly addAction: string
  /** The URL of the options for the WebAuthn ceremony that creates a passkey. */
  readonly optionsUrl: string
  readonly csrfToken: string
  /** The return URL after a passkey was added: this page. */
  readonly callbackUrl: string
  /** The URL of the page with the user's sessions; undefined if the configuration has no such page. */
  readonly sessionsUrl: string | undefined
  /** The maximum length of a passkey's name, in characters. */
  readonly maxNameLength: number
}

/** A session on the page with the user's sessions. */
export interface SessionProps {
  /** An element id. */
  readonly id: string
  readonly sessionId: string
  /** True if this is the session of this browser. */
  readonly isCurrent: boolean
  /** For example "Firefox"; undefined if it is unknown. */
  readonly browser: string | undefined
  /** For example "Windows"; undefined if it is unknown. */
  readonly platform: string | undefined
  /** The client's IP address or network, if it is recorded. */
  readonly address: string | undefined
  /** The name of the provider; undefined if it is unknown. */
  readonly provider: string | undefined
  readonly lastSeenAt: Date
  /** The time since `lastSeenAt` as text in the page's language: "5 minutes ago". */
  readonly lastSeen: string
}

/** A trusted browser, in which the user is not asked for the second factor. */
export interface TrustedDeviceProps {
  /** An element id. */
  readonly id: string
  readonly deviceId: string
  readonly browser: string | undefined
  readonly platform: string | undefined
  readonly createdAt: Date
}

/** The page with the user's sessions. */
export interface SessionsProps extends BaseProps {
  /** The user's sessions. The session of this browser comes first, then the other sessions, the last used first. */
  readonly sessions: readonly SessionProps[]
  /** True if there are sessions in other browsers. */
  readonly hasOthers: boolean
  /** The trusted browsers, newest first. */
  readonly trustedDevices: readonly TrustedDeviceProps[]
  /** The action URL of the forms. */
  readonly action: string
  readonly csrfToken: string
}

/** The page that asks for the second factor. */
export interface SecondFactorProps extends BaseProps {
  /** True if the user has set up an authenticator app. */
  readonly hasApp: boolean
  /** True if the user may enter a recovery code. */
  readonly hasRecovery: boolean
  /** The action URL of the form for a passkey; undefined if the user has no passkey. */
  readonly passkeyAction: string | undefined
  /** The URL of the options for the WebAuthn ceremony. */
  readonly optionsUrl: string
  /** The action URL of the forms for codes. */
  readonly action: string
  readonly csrfToken: string
  /** The return URL of a reauthentication; "" in a sign-in. A form field. */
  readonly callbackUrl: string
  /** How long this browser will be trusted, as text such as "30 days"; undefined if the page does not offer this. */
  readonly trustDuration: string | undefined
  /** True if the current user re-authenticates. A form field. */
  readonly isReauthentication: boolean
  /** The error message, or undefined. */
  readonly error: string | undefined
  /** True if the error message is about the recovery code. */
  readonly isRecoveryRefused: boolean
  /** The URL of the link that cancels the sign-in; undefined for a reauthentication. */
  readonly cancelUrl: string | undefined
}

/** Shows the QR code for an authenticator app, and asks for its first code. */
export interface SecondFactorSetupProps extends BaseProps {
  /** The QR code as SVG: the size of its `viewBox`, and the path of its dark modules. */
  readonly qrCode: { readonly size: number; readonly path: string }
  /** The secret in Base32, for users who type it into the app. */
  readonly secret: string
  /** The encrypted secret. A form field. */
  readonly setup: string
  readonly action: string
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: string | undefined
  /** True if the user has to set up the app to complete a sign-in. */
  readonly isSignIn: boolean
  /** The URL of the link that cancels the sign-in, or that returns to the settings. */
  readonly cancelUrl: string
}

/** Shows new recovery codes. They are never shown again. */
export interface RecoveryCodesProps extends BaseProps {
  readonly codes: readonly string[]
  /** A `data:` URL of a text file with the codes. */
  readonly downloadUrl: string
  readonly continueUrl: string
}

/** The settings of the current user's second factor. */
export interface SecondFactorSettingsProps extends BaseProps {
  /** True if the user has set up an authenticator app. */
  readonly isEnrolled: boolean
  /** The number of unused recovery codes. */
  readonly codesLeft: number
  /** True if `secondFactor.methods` includes "recovery". */
  readonly hasRecovery: boolean
  /** True if the user has a second factor and the application does not require it. */
  readonly canRemove: boolean
  readonly action: string
  readonly csrfToken: string
  /** The URL of the page on which the user sets up an app. */
  readonly setupUrl: string
  /** The URL of the page with the user's passkeys; undefined if the configuration has no such page. */
  readonly passkeysUrl: string | undefined
}

/** The props of each page, by the name of its view. */
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

/** The name of a page's view. */
export type PageName = keyof PageProps

/** The props of `layout.ejs`: the page's props, and the name of the view to include. */
export type LayoutProps = PageProps[PageName] & { readonly view: PageName }

/**
 * The props of a view in `methods/`, which renders one part of the sign-in page.
 *
 * @public Used by templates, without an import.
 */
export interface MethodProps extends SignInProps {
  /** The part to render. */
  readonly block: SignInBlock
  /** The provider of the part; undefined if the part is a form or the list of providers. */
  readonly provider: ProviderProps | undefined
  /** True if a field of this part gets the focus. */
  readonly autofocus: boolean
  /** True if the page's error is about the fields of this part, and is shown next to them. */
  readonly isRefused: boolean
  /** True if the button of this part is the primary button of the page. */
  readonly isPrimary: boolean
  /** True if the browser can offer passkeys in the fields of this part. */
  readonly offersPasskeys: boolean
}

/** The provider's option `credentials`: the definitions of form fields by name. See {@link CredentialInput}. */
export type CredentialInputs = Readonly<Record<string, CredentialInput>>

/**
 * The props of the templates for the email with a sign-in link. The recipient's address is not included, because it is
 * untrusted input: any visitor can enter any address.
 */
export interface SignInMailProps extends Language {
  /** The sign-in link. */
  readonly url: string
  /** The site's host. */
  readonly host: string
  /**
   * The host for display. It has a zero-width space before each dot, because email clients convert host names to links.
   */
  readonly hostText: string
  /** `theme.siteName`, or else the host. */
  readonly siteName: string
  /** The site's name for display, with a zero-width space before each dot. */
  readonly siteNameText: string
  /** When the link expires. */
  readonly expires: Date
  /** The lifetime of the link in seconds. */
  readonly maxAgeSeconds: number
  /** The lifetime of the link as text in the email's language: "24 hours". */
  readonly maxAgeText: string
  /** The code that the user can enter instead of opening the link, such as "CDFH-J479"; undefined if there is none. */
  readonly code: string | undefined
  /** The lifetime of the code as text: "10 minutes". */
  readonly codeMaxAgeText: string
  readonly colorScheme: BaseProps["colorScheme"]
  /** The CSS colour of the button. */
  readonly brandColor: string
  /** The CSS colour of the button's text. */
  readonly buttonText: string
}

/**
 * The props of each email by its name. The templates are `views/mail/<name>.subject.ejs`, `.text.ejs` and `.html.ejs`.
 */
export interface MailProps {
  "sign-in": SignInMailProps
}
