/**
 * Builds the props of a page from a call.
 *
 * @module
 */

import type { ProviderType, User } from "../base/types.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { AuthCall } from "../http/call.js"
import type { OAuthProviderButtonStyles } from "../provider-kit/provider.js"
import { pageUrl } from "../security/redirects.js"
import { isTrustedHost } from "../security/trusted-host.js"
import { inputProps } from "./inputs.js"
import { formatUnits } from "./locale.js"
import { confirmationMessage, errorMessage, parseCodeError, signInMessage, signInSubject } from "./messages.js"
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
  ReauthenticateProps,
  RecoveryCodesProps,
  SecondFactorProps,
  SecondFactorSettingsProps,
  SecondFactorSetupProps,
  SessionsProps,
  SignedInProps,
  SignInForm,
  SignInProps,
  SignOutProps,
  VerifyRequestProps,
} from "./props.js"
import type { Pages } from "./render.js"
import { type SessionFacts, type SessionsContext, sessionsProps } from "./sessions-props.js"
import { arrangeMethods } from "./sign-in-blocks.js"
import type { Language, Languages } from "./texts.js"
import { findWebmail } from "./webmail.js"

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
    {
      readonly method: { readonly start?: unknown; readonly needs: { readonly form: SignInForm } }
      readonly provider: PageProvider
    }
  >
}

/** The parts of a request and of the configuration that a page depends on. */
export type PageContext = Pick<AuthCall, "origin" | "basePath" | "cspNonce"> & {
  /** The request headers, which select the language. */
  readonly headers: Pick<Headers, "get">
  /** The log reference of the failure shown on the page. */
  readonly reference?: string | undefined
  /** The return URL. */
  readonly callbackUrl?: string | undefined
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
  const host = origin && new URL(origin).host
  return {
    ...language,
    title: language.t(`${page}.title`),
    colorScheme: config.theme.colorScheme ?? "auto",
    logo: config.theme.logo || undefined,
    homeUrl: origin || "/",
    host,
    siteName: config.theme.siteName ?? host,
    signInUrl: `${origin}${context.basePath}/signin`,
    styles: assets.styles,
    icon: assets.icon,
    scripts: [],
    nonce: context.cspNonce,
    developer: context.developer && { ...context.developer, styles: assets.developerStyles },
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
    form: method.needs.form,
    action: `${call.base}/${method.start ? "signin" : "callback"}/${id}`,
    ...(ceremony && { ...ceremony, optionsUrl: `${call.base}/webauthn-options/${id}` }),
    inputs: inputProps(id, inputs ?? {}, call.formValues?.provider === id ? call.formValues.values : {}),
    logo: style?.logo,
    icon: pages.iconFor(id),
    initial: [...name][0]?.toUpperCase() ?? "",
    label: style?.label === "sign-in" ? "sign-in" : "continue",
  }
}

/** The scripts of a page with a passkey form. */
function passkeyScripts(call: AuthCall, { pages }: PageRuntime): AssetProps[] {
  const { passkeys } = pages.assetLinks(call.basePath)
  return passkeys ? [passkeys] : []
}

/** The id of the provider last used in this browser. The cookie is not signed, so other values are ignored. */
function readLastUsed({ cookies, cookieSet }: AuthCall, { config, providers }: PageRuntime): string | undefined {
  const id = cookies[cookieSet.lastUsed.name]
  return config.theme.lastUsed !== false && providers.size > 1 && id !== undefined && providers.has(id) ? id : undefined
}

/** The URL of a page of the application, with the return URL unless that is the front page. */
const ownPageUrl = (page: string | undefined, { origin, callbackUrl }: AuthCall): string | undefined =>
  page && pageUrl(page, origin, { callbackUrl: callbackUrl === origin ? undefined : callbackUrl })

export function signInProps(call: SignInCall, runtime: PageRuntime): SignInProps {
  const { email = call.formValues?.values["email"] ?? "", error } = call.query
  const { config } = runtime
  const isConnecting = call.query["connect"] !== undefined
  const providers = [...runtime.providers.values()].map((entry) => providerProps(entry, call, runtime))
  // Other methods sign in as their own user instead of connecting an account.
  const shown = isConnecting ? providers.filter(({ form }) => form === "redirect") : providers
  const commonProps = baseProps("signin", call, runtime)
  const lastUsed = isConnecting ? undefined : readLastUsed(call, runtime)
  const { layout = "form-first" } = config.theme
  return {
    ...commonProps,
    scripts: shown.some(({ optionsUrl }) => optionsUrl !== undefined) ? passkeyScripts(call, runtime) : [],
    providers: shown,
    blocks: arrangeMethods(shown, { layout, lastUsed, email, t: commonProps.t }),
    lastUsed,
    isConnecting,
    passkeysUrl: isConnecting && shown.length < providers.length ? passkeysUrl(call, runtime) : undefined,
    signUpUrl: isConnecting ? undefined : ownPageUrl(config.pages.signUp, call),
    forgotPasswordUrl: ownPageUrl(config.pages.forgotPassword, call),
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    email,
    remember: config.session.remember === "ask" ? call.formValues?.remember === true : undefined,
    error: signInMessage(error, commonProps.t),
    errorSubject: signInSubject(error),
    reference: call.reference,
  }
}

/** The URL of the page with the user's passkeys; undefined without a passkey provider. */
const passkeysUrl = ({ base }: AuthCall, { providers }: PageRuntime): string | undefined =>
  [...providers.values()].some(({ method }) => method.needs.form === "passkey") ? `${base}/passkeys` : undefined

/** The URL of the sign-in page, with the return URL. */
const signInUrl = ({ base, origin, callbackUrl }: AuthCall, params: Readonly<Record<string, string>> = {}): string =>
  pageUrl(`${base}/signin`, origin, { ...params, callbackUrl: callbackUrl === origin ? undefined : callbackUrl })

/** Longer pictures would make the page slow. */
const MAX_IMAGE_LENGTH = 100_000

/** The user's picture if the Content-Security-Policy allows it: a `data:` URL, or one of this site. */
function allowedImage(image: unknown, { origin }: AuthCall): string | undefined {
  if (typeof image !== "string" || image.length > MAX_IMAGE_LENGTH) return undefined
  if (/^data:image\//i.test(image)) return image
  return URL.canParse(image, origin) && new URL(image, origin).origin === origin
    ? new URL(image, origin).href
    : undefined
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "")

/** The sign-in page of a user who is signed in. */
export function signedInProps(call: AuthCall, user: User, runtime: PageRuntime): SignedInProps {
  const { adapter } = runtime.config
  const email = toText(user.email)
  const account = toText(user.name) || email
  const canConnect = [...runtime.providers.values()].some(({ method }) => method.needs.form === "redirect")
  const isSignInPage = call.callbackUrl.split(/[?#]/, 1)[0] === `${call.base}/signin`
  return {
    ...baseProps("signedIn", call, runtime),
    account,
    email,
    image: allowedImage(user.image, call),
    initial: [...account][0]?.toUpperCase() ?? "",
    continueUrl: isSignInPage ? call.origin : call.callbackUrl,
    connectUrl:
      adapter && (canConnect || passkeysUrl(call, runtime)) ? signInUrl(call, { connect: "true" }) : undefined,
    switchAction: `${call.base}/signout`,
    csrfToken: call.csrfToken,
    callbackUrl: signInUrl(call),
  }
}

/** What the page on which the current user confirms who they are depends on. */
export interface ReauthenticationFacts {
  readonly providers: readonly { readonly id: string; readonly params: Readonly<Record<string, string>> }[]
  readonly email: string | undefined
  readonly secondFactorUrl?: string | undefined
  readonly account: string
  readonly requiredQuery: string
}

export function reauthenticateProps(
  call: SignInCall,
  { providers, email = "", secondFactorUrl, account, requiredQuery }: ReauthenticationFacts,
  runtime: PageRuntime,
): ReauthenticateProps {
  const commonProps = baseProps("reauthenticate", call, runtime)
  const toProps = ({ id, params }: ReauthenticationFacts["providers"][number]): ProviderProps[] => {
    const entry = runtime.providers.get(id)
    if (!entry) return []
    const formValues = { provider: id, values: { email: account }, remember: false }
    const props = providerProps(entry, { ...call, formValues }, runtime)
    return [{ ...props, action: pageUrl(props.action, call.origin, params) }]
  }
  const shown = providers.flatMap(toProps)
  return {
    ...commonProps,
    scripts: shown.some(({ optionsUrl }) => optionsUrl !== undefined) ? passkeyScripts(call, runtime) : [],
    providers: shown,
    account,
    email,
    secondFactorUrl,
    requiredQuery,
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    error: confirmationMessage(call.query["error"], commonProps.t),
    reference: call.reference,
    signOutUrl: `${call.base}/signout`,
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
  // The return URL was resolved if the call has one. Otherwise the sign-in page reads it from its cookie.
  const { callbackUrl } = context
  const isElsewhere = commonProps.host !== "" && callbackUrl !== undefined && callbackUrl !== context.origin
  const signInUrl = isElsewhere
    ? pageUrl(commonProps.signInUrl, context.origin, { callbackUrl })
    : commonProps.signInUrl
  return { status, props: { ...commonProps, ...texts, signInUrl, reference: context.reference } }
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
  remember: call.remember,
  isReauthentication: call.isReauthentication,
  ...link,
})

/** The name of a provider, or the id of one that was removed from the configuration. */
const providerName = (id: string, { providers }: PageRuntime): string => providers.get(id)?.provider.name ?? id

export const accountsRemovedProps = (
  call: AuthCall,
  { providers, continueUrl }: { readonly providers: readonly string[]; readonly continueUrl: string },
  runtime: PageRuntime,
): AccountsRemovedProps => ({
  ...baseProps("accountsRemoved", call, runtime),
  names: [...new Set(providers.map((id) => providerName(id, runtime)))],
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
  { passkeys, ...context }: { readonly passkeys: readonly PasskeyFacts[] } & Pick<PasskeysContext, "forms" | "now">,
  runtime: PageRuntime,
): PasskeysProps => ({
  ...passkeysProps(baseProps("passkeys", call, runtime), passkeys, context),
  scripts: passkeyScripts(call, runtime),
})

/** The page with the current user's sessions. */
export const sessionsPageProps = (
  call: AuthCall,
  {
    sessions,
    ...facts
  }: { readonly sessions: readonly SessionFacts[] } & Pick<SessionsContext, "currentId" | "devices" | "now">,
  runtime: PageRuntime,
): SessionsProps =>
  sessionsProps(baseProps("sessions", call, runtime), sessions, {
    ...facts,
    providerName: (id) => providerName(id, runtime),
    action: `${call.base}/sessions`,
    csrfToken: call.csrfToken,
  })

/** A request for an email, as the browser that made it knows it. */
export interface EmailRequest {
  readonly provider: string
  readonly identifier: string
  readonly callbackUrl: string
  readonly remember: boolean
  readonly isReauthentication: boolean
  readonly code?: { readonly expires: number }
}

interface VerifyRequestFacts extends Pick<VerifyRequestProps, "isResendDelayed"> {
  readonly request: EmailRequest | undefined
  readonly now: number
}

/** The page "Check your email". The browser that requested the email also sees the address and the form for the code. */
export function verifyRequestProps(
  call: AuthCall,
  { request, isResendDelayed, now }: VerifyRequestFacts,
  runtime: PageRuntime,
): VerifyRequestProps {
  const commonProps = baseProps("verifyRequest", call, runtime)
  const { provider = "", identifier: email = "", callbackUrl = "", code } = { ...request }
  const isExpired = code !== undefined && code.expires < now
  const error = isExpired ? "EmailCodeExpired" : parseCodeError(call.query["error"])
  return {
    ...commonProps,
    email,
    webmail: findWebmail(email),
    resendAction: `${call.base}/signin/${provider}`,
    codeAction: code && error !== "EmailCodeExpired" ? `${call.base}/callback/${provider}` : "",
    csrfToken: call.csrfToken,
    callbackUrl,
    remember: request?.remember === true,
    isReauthentication: request?.isReauthentication === true,
    isResendDelayed,
    error: error && commonProps.t(`verifyRequest.error.${error}`),
  }
}

/** What the page that asks for the second factor depends on. */
export interface SecondFactorFacts extends Pick<SecondFactorProps, "hasApp" | "hasRecovery" | "isReauthentication"> {
  readonly hasPasskey: boolean
  /** For how many days the browser can be trusted; 0 if that is not offered. */
  readonly trustDays: number
  readonly passkeyProvider: string
}

export function secondFactorProps(
  call: AuthCall,
  { hasPasskey, passkeyProvider, trustDays, ...facts }: SecondFactorFacts,
  runtime: PageRuntime,
): SecondFactorProps {
  const commonProps = baseProps("secondFactor", call, runtime)
  const { error } = call.query
  const isRecoveryRefused = error === "SecondFactorRecoveryCode"
  return {
    ...commonProps,
    ...facts,
    scripts: hasPasskey ? passkeyScripts(call, runtime) : [],
    passkeyAction: hasPasskey ? `${call.base}/callback/${passkeyProvider}` : undefined,
    optionsUrl: `${call.base}/webauthn-options/${passkeyProvider}`,
    action: `${call.base}/second-factor`,
    csrfToken: call.csrfToken,
    callbackUrl: facts.isReauthentication ? call.callbackUrl : "",
    error: isRecoveryRefused || error === "SecondFactorCode" ? commonProps.t("secondFactor.error.code") : undefined,
    isRecoveryRefused,
    trustDuration: trustDays > 0 ? formatUnits(trustDays, "day", commonProps.lang) : undefined,
    cancelUrl: facts.isReauthentication ? undefined : `${call.base}/signin?cancel=1`,
  }
}

/** What the page that sets up an authenticator app depends on. */
export interface SecondFactorSetupFacts
  extends Pick<SecondFactorSetupProps, "qrCode" | "secret" | "setup" | "isSignIn"> {
  readonly hasError: boolean
}

export function secondFactorSetupProps(
  call: AuthCall,
  { hasError, ...facts }: SecondFactorSetupFacts,
  runtime: PageRuntime,
): SecondFactorSetupProps {
  const commonProps = baseProps("secondFactorSetup", call, runtime)
  return {
    ...commonProps,
    ...facts,
    action: `${call.base}/second-factor`,
    csrfToken: call.csrfToken,
    callbackUrl: facts.isSignIn ? "" : call.callbackUrl,
    error: hasError ? commonProps.t("secondFactorSetup.error") : undefined,
    cancelUrl: facts.isSignIn ? `${call.base}/signin?cancel=1` : `${call.base}/second-factor`,
  }
}

export function recoveryCodesProps(
  call: AuthCall,
  { codes, continueUrl }: { readonly codes: readonly string[]; readonly continueUrl: string },
  runtime: PageRuntime,
): RecoveryCodesProps {
  const commonProps = baseProps("recoveryCodes", call, runtime)
  const text = `${commonProps.host}\n\n${codes.join("\n")}\n`
  const downloadUrl = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`
  return { ...commonProps, codes, continueUrl, downloadUrl }
}

/** What the settings of the second factor depend on. */
export interface SecondFactorSettingsFacts extends Pick<SecondFactorSettingsProps, "hasRecovery" | "canRemove"> {
  /** Undefined without a second factor. */
  readonly codesLeft: number | undefined
  readonly hasPasskeys: boolean
}

export const secondFactorSettingsProps = (
  call: AuthCall,
  { codesLeft, hasPasskeys, ...facts }: SecondFactorSettingsFacts,
  runtime: PageRuntime,
): SecondFactorSettingsProps => ({
  ...baseProps("secondFactorSettings", call, runtime),
  ...facts,
  isEnrolled: codesLeft !== undefined,
  codesLeft: codesLeft ?? 0,
  action: `${call.base}/second-factor`,
  csrfToken: call.csrfToken,
  setupUrl: `${call.base}/second-factor?setup=true`,
  passkeysUrl: hasPasskeys ? `${call.base}/passkeys` : undefined,
})
