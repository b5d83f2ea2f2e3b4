/**
 * What each page may see. A view gets its own props and nothing else: no configuration, no secret, no query text.
 *
 * @module
 */
import type { CredentialInput, ProviderType } from "../providers/provider.js"
import type { Language } from "./texts.js"

/** A file that a page loads from below the base path. */
export interface AssetProps {
  /** Its path, which holds the hash of its text. */
  readonly href: string
  /** The same hash as the `integrity` of its element. */
  readonly integrity: string
}

/** What every page has, its language with the texts among it. */
export interface FrameProps extends Language {
  /** The `<title>`. */
  readonly title: string
  readonly colorScheme: "auto" | "light" | "dark"
  /** Address of the logo, or undefined. */
  readonly logo: string | undefined
  /** Address of the site's front page. */
  readonly homeUrl: string
  /** The host, as people know the site; "" where the request's host is not trusted. */
  readonly host: string
  /** Address of the sign-in page. */
  readonly signInUrl: string
  readonly styles: AssetProps
  /** What browsers show beside the title; without one they ask for `/favicon.ico`. */
  readonly icon: AssetProps
  /** The page's scripts; most pages have none. */
  readonly scripts: readonly AssetProps[]
  /** The `nonce` of both, where the application has one, or undefined. */
  readonly nonce: string | undefined
  /** What a developer is told of the failure; undefined where nobody is, and always in production. */
  readonly developer?: DeveloperProps | undefined
}

/** A part of what is to be done: code, a list, or a paragraph. Of each text every second part is code. */
export interface RemedyProps {
  readonly code?: string
  readonly items?: readonly (readonly string[])[]
  readonly parts?: readonly string[]
}

/** What a developer is told of a failure. */
export interface DeveloperProps {
  readonly code: string
  readonly title: string
  /** Every second part is code. */
  readonly cause: readonly string[]
  /** What the log says, secrets masked. */
  readonly seen: readonly { readonly name: string; readonly text: string }[]
  readonly remedy: readonly RemedyProps[]
  /** Where more stands. */
  readonly see: string
}

/** A provider on the sign-in page. */
export interface ProviderProps {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  /** Where its form is posted to. */
  readonly action: string
  /** Fields of a credentials form, in order. */
  readonly inputs: readonly InputProps[]
  /** A logo that the application gave, or undefined. */
  readonly logo: string | undefined
  /** The drawing in `views/icons/` that is the provider's, as `include` takes it, or undefined. */
  readonly icon: string | undefined
  /** The first letter of the name, shown where there is neither logo nor icon. */
  readonly initial: string
  /** Of passkeys: where the options of a ceremony come from. */
  readonly optionsUrl?: string
  /** Of passkeys: may the browser offer them in fields? */
  readonly hasAutofill?: boolean
  /** Of passkeys: false where people have to say who they are before theirs are found. */
  readonly isDiscoverable?: boolean
}

/** One `<input>`: label and attributes, all text. */
export interface InputProps {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly type: string
  readonly placeholder: string
  /** Further attributes, name and value; a value of true stands for a bare attribute. */
  readonly attributes: readonly (readonly [name: string, value: string | true])[]
}

/** What a sign-in form that failed shows again. */
export interface FormValues {
  /** The id of the form's provider. */
  readonly provider: string
  /** By the names of the fields: those that identify the user, and no secret. */
  readonly values: Readonly<Record<string, string>>
}

export interface SignInProps extends FrameProps {
  readonly providers: readonly ProviderProps[]
  readonly csrfToken: string
  /** Where the person goes afterwards; "" leaves it to the cookie. */
  readonly callbackUrl: string
  /** An address that was typed before, or "". */
  readonly email: string
  /** A sentence about what went wrong, or undefined. */
  readonly error: string | undefined
  /** The type of the providers whose fields the sentence is about, or undefined when it is about none. */
  readonly errorSubject: "credentials" | "email" | undefined
  /** Under which the failure stands in the log: "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
}

export interface SignOutProps extends FrameProps {
  readonly csrfToken: string
  /** Where the person goes afterwards; "" leaves it to the cookie. */
  readonly callbackUrl: string
  /** Where the form is posted to. */
  readonly action: string
}

export interface ErrorProps extends FrameProps {
  readonly heading: string
  readonly message: string
  /** Whether a link to the sign-in page helps. */
  readonly offersSignIn: boolean
  /** Under which the failure stands in the log: "K7QF-3M2X", or undefined. */
  readonly reference: string | undefined
}

export interface VerifyRequestProps extends FrameProps {}

/** Asks whoever opens a sign-in link elsewhere than where it was asked for. */
export interface ConfirmProps extends FrameProps {
  readonly csrfToken: string
  /** Where the person goes afterwards; "" leaves it to the cookie. */
  readonly callbackUrl: string
  /** Where the form is posted to. */
  readonly action: string
  /** The link's token, a field of the form. */
  readonly token: string
  /** The address that the link says it was sent to, a field of the form; anybody can write one into a link. */
  readonly email: string
  /** The same when it is an address, to be shown; else "". */
  readonly account: string
}

/** Shows a user, after the first proof of an address, which ways to sign in were removed. */
export interface AccountsRemovedProps extends FrameProps {
  /** The providers' names, each once. */
  readonly names: readonly string[]
  /** Where the user goes next. */
  readonly continueUrl: string
}

/** Continues at another origin by itself, after a form was posted. */
export interface ContinueProps extends FrameProps {
  /** Where it goes, by a link. */
  readonly continueUrl: string
  /** The refresh that the layout writes into the head: `0;url=https://…`. */
  readonly refresh: string
  /** Its host, or its scheme where it has none. */
  readonly destination: string
}

/** One of the passkeys on the page of a person's passkeys. */
export interface PasskeyProps {
  /** An id in the page. */
  readonly id: string
  readonly credentialID: string
  /** "" where it has none. */
  readonly name: string
  /** undefined where the store does not know. */
  readonly createdAt: Date | undefined
  /** Is it on all devices of its person? Else it is on one alone. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** Is it all that its person can sign in with? */
  readonly isLastMethod: boolean
}

export interface PasskeysProps extends FrameProps {
  readonly passkeys: readonly PasskeyProps[]
  /** Where a new name, or a removal, is posted to. */
  readonly action: string
  /** Where a new passkey is posted to. */
  readonly addAction: string
  /** Where the options of a new passkey come from. */
  readonly optionsUrl: string
  readonly csrfToken: string
  /** This page, where the person comes back to with a new passkey. */
  readonly callbackUrl: string
  readonly maxNameLength: number
}

/** The pages by the name of their view. */
export interface PageProps {
  signin: SignInProps
  signout: SignOutProps
  error: ErrorProps
  "verify-request": VerifyRequestProps
  confirm: ConfirmProps
  passkeys: PasskeysProps
  "accounts-removed": AccountsRemovedProps
  continue: ContinueProps
}

export type PageName = keyof PageProps

/** What `layout.ejs` sees: its page's props, and which view to put in its middle. */
export type LayoutProps = PageProps[PageName] & { readonly view: PageName }

/**
 * What a partial in `methods/` sees: the sign-in page's props and the one provider that it shows.
 *
 * @public Templates see it, and no import says so.
 */
export interface MethodProps extends SignInProps {
  readonly provider: ProviderProps
  /** Is the cursor to be in one of its fields? */
  readonly autofocus: boolean
  /** Is the page's error about its fields, and shown beside them? */
  readonly isRefused: boolean
  /** Is it the one that most people are to use? */
  readonly isPrimary: boolean
  /** May the browser offer passkeys in its fields? */
  readonly offersPasskeys: boolean
}

/** How a form's field is written into `credentials`: see {@link CredentialInput}. */
export type CredentialInputs = Readonly<Record<string, CredentialInput>>

/** What the templates of a mail see that brings a sign-in link. Never the address that it goes to: others chose that. */
export interface SignInMailProps extends Language {
  /** The link. */
  readonly url: string
  /** The site's host. */
  readonly host: string
  /** The host for people to read, with a zero-width space before each dot: mail programs make a link of a bare host. */
  readonly hostText: string
  /** Until when the link is good. */
  readonly expires: Date
  /** For how many seconds it is. */
  readonly maxAgeSeconds: number
  /** The same in words of the mail's language: "24 hours". */
  readonly maxAgeText: string
  readonly colorScheme: FrameProps["colorScheme"]
  /** CSS colour of the button. */
  readonly brandColor: string
  /** CSS colour of the text on the button. */
  readonly buttonText: string
}

/** The mails by the name of their templates: `views/mail/<name>.subject.ejs`, `.text.ejs` and `.html.ejs`. */
export interface MailProps {
  "sign-in": SignInMailProps
}
