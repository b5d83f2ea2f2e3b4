/**
 * Builds the props of a page from a call.
 *
 * @module
 */

import type { Account, ProviderType } from "../base/types.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { AuthCall } from "../http/call.js"
import type { OAuthProviderButtonStyles } from "../provider-kit/provider.js"
import { isTrustedHost } from "../security/trusted-host.js"
import { inputProps } from "./inputs.js"
import { errorMessage, signInMessage, signInSubject } from "./messages.js"
import { type PasskeyFacts, type PasskeysContext, passkeysProps } from "./passkeys-props.js"
import type {
  AccountsRemovedProps,
  AssetProps,
  BaseProps,
  ConfirmProps,
  ContinueProps,
  CredentialInputs,
  DeveloperProps,
  ErrorProps,
  FormValues,
  PasskeysProps,
  ProviderProps,
  SignInProps,
  SignOutProps,
  VerifyRequestProps,
} from "./props.js"
import type { Pages } from "./render.js"
import type { Language, Languages } from "./texts.js"

/** The members of a provider that pages show. */
export interface PageProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly style?: OAuthProviderButtonStyles | undefined
  /** The form fields on the sign-in page. */
  readonly inputs?: CredentialInputs
  /** With passkeys: the settings that the sign-in form needs. */
  readonly ceremony?: {
    /** True if a form field offers passkeys as autofill. */
    readonly hasAutofill: boolean
    /** True if all passkeys are discoverable credentials, so that the browser needs no list of ids. */
    readonly isDiscoverable: boolean
  }
}

/** The part of the runtime that pages need. */
export interface PageRuntime {
  readonly config: ResolvedConfig
  readonly pages: Pages
  /** The languages of the pages and the emails. */
  readonly languages: Languages
  readonly providers: ReadonlyMap<
    string,
    { readonly method: { readonly start?: unknown }; readonly provider: PageProvider }
  >
}

/** The parts of a request and of the configuration that a page depends on. */
export type PageContext = Pick<AuthCall, "origin" | "basePath" | "cspNonce"> & {
  /** The request headers, which select the language. */
  readonly headers: Pick<Headers, "get">
  /** The log reference of the failure shown on the page. */
  readonly reference?: string | undefined
  readonly developer?: DeveloperProps | undefined
}

const pickLanguage = ({ headers }: Pick<PageContext, "headers">, { languages }: PageRuntime): Language =>
  languages.for(headers.get("accept-language"))

/** Builds the props of every page. `page` is the prefix of its text keys. */
function baseProps(page: string, context: PageContext, runtime: PageRuntime): BaseProps {
  const { config, pages } = runtime
  const language = pickLanguage(context, runtime)
  const assets = pages.assetLinks(context.basePath)
  // An untrusted host must not appear in a page, so only paths are used.
  const { origin } = isTrustedHost(context.origin, config) ? context : { origin: "" }
  return {
    ...language,
    title: language.t(`${page}.title`),
    colorScheme: config.theme.colorScheme ?? "auto",
    logo: config.theme.logo || undefined,
    homeUrl: origin || "/",
    host: origin && new URL(origin).host,
    signInUrl: `${origin}${context.basePath}/signin`,
    styles: assets.styles,
    icon: assets.icon,
    scripts: [],
    nonce: context.cspNonce,
    developer: context.developer,
  }
}

type Entry = Parameters<Parameters<PageRuntime["providers"]["forEach"]>[0]>[0]

/** A call to the sign-in page, with the data of a previous failure. */
type SignInCall = AuthCall &
  Pick<PageContext, "reference" | "developer"> & { readonly formValues?: FormValues | undefined }

/** A form posts to `/signin/ID`, which starts a flow, or to `/callback/ID` if the method has only one step. */
function providerProps({ method, provider }: Entry, call: SignInCall, { pages }: PageRuntime): ProviderProps {
  const { id, name, type, inputs, style, ceremony } = provider
  return {
    id,
    name,
    type,
    action: `${call.base}/${method.start ? "signin" : "callback"}/${id}`,
    ...(ceremony && { ...ceremony, optionsUrl: `${call.base}/webauthn-options/${id}` }),
    inputs: inputProps(id, inputs ?? {}, call.formValues?.provider === id ? call.formValues.values : {}),
    logo: style?.logo,
    icon: pages.iconFor(id),
    initial: [...name][0]?.toUpperCase() ?? "",
  }
}

/** The scripts of a page with a passkey form. */
function passkeyScripts(call: AuthCall, { pages }: PageRuntime): AssetProps[] {
  const { passkeys } = pages.assetLinks(call.basePath)
  return passkeys ? [passkeys] : []
}

export function signInProps(call: SignInCall, runtime: PageRuntime): SignInProps {
  const { email = call.formValues?.values["email"] ?? "", error } = call.query
  const providers = [...runtime.providers.values()].map((entry) => providerProps(entry, call, runtime))
  const commonProps = baseProps("signin", call, runtime)
  return {
    ...commonProps,
    scripts: providers.some(({ optionsUrl }) => optionsUrl !== undefined) ? passkeyScripts(call, runtime) : [],
    providers,
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    email,
    error: signInMessage(error, commonProps.t),
    errorSubject: signInSubject(error),
    reference: call.reference,
  }
}

export function signOutProps(call: AuthCall, runtime: PageRuntime): SignOutProps {
  return {
    ...baseProps("signout", call, runtime),
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    action: `${call.base}/signout`,
  }
}

/** The props and status of the error page for a code. An unknown code is never shown. */
export function errorProps(
  code: string | undefined,
  context: PageContext,
  runtime: PageRuntime,
): { readonly props: ErrorProps; readonly status: number } {
  const commonProps = baseProps("error", context, runtime)
  const { status, ...texts } = errorMessage(code, commonProps.t)
  return { status, props: { ...commonProps, ...texts, reference: context.reference } }
}

export const confirmProps = (
  call: AuthCall,
  link: Pick<ConfirmProps, "token" | "email" | "account">,
  runtime: PageRuntime,
): ConfirmProps => ({
  ...baseProps("confirm", call, runtime),
  csrfToken: call.csrfToken,
  callbackUrl: call.callbackUrl,
  action: `${call.base}/callback/${call.providerId}`,
  ...link,
})

export const accountsRemovedProps = (
  call: AuthCall,
  { removed, continueUrl }: { readonly removed: readonly Pick<Account, "provider">[]; readonly continueUrl: string },
  runtime: PageRuntime,
): AccountsRemovedProps => ({
  ...baseProps("accountsRemoved", call, runtime),
  names: [...new Set(removed.map(({ provider }) => runtime.providers.get(provider)?.provider.name ?? provider))],
  continueUrl,
})

export function continueProps(call: AuthCall, location: string, runtime: PageRuntime): ContinueProps {
  const { host, protocol } = new URL(location)
  return {
    ...baseProps("continue", call, runtime),
    continueUrl: location,
    refresh: `0;url=${location}`,
    destination: host || protocol,
  }
}

/** The page with the current user's passkeys. */
export const passkeysPageProps = (
  call: AuthCall,
  { passkeys, forms }: { readonly passkeys: readonly PasskeyFacts[]; readonly forms: PasskeysContext },
  runtime: PageRuntime,
): PasskeysProps => ({
  ...passkeysProps(baseProps("passkeys", call, runtime), passkeys, forms),
  scripts: passkeyScripts(call, runtime),
})

export const verifyRequestProps = (call: AuthCall, runtime: PageRuntime): VerifyRequestProps =>
  baseProps("verifyRequest", call, runtime)
