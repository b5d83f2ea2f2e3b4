/**
 * Functions that build the props of each page from a call.
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
import { errorMessage, parseCodeError, reauthenticationMessage, signInErrorSubject, signInMessage } from "./messages.js"
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

/** The members of a provider that pages use. */
export interface PageProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly style?: OAuthProviderButtonStyles | undefined
  /** The form fields on the sign-in page. */
  readonly inputs?: CredentialInputs
  /** For passkeys: the settings of the sign-in form. */
  readonly ceremony?: {
    /** True if the browser offers passkeys as autofill of a form field. */
    readonly hasAutofill: boolean
    /** True if all passkeys are discoverable credentials, so that users need not enter an identifier first. */
    readonly isDiscoverable: boolean
  }
}

/** The members of the runtime that this module uses. */
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

/** The data of a request from which the props of every page are built. */
export type PageContext = Pick<AuthCall, "origin" | "basePath" | "cspNonce"> & {
  /** The request headers, which select the language. */
  readonly headers: Pick<Headers, "get">
  /** The log reference of the failure that the page reports. */
  readonly reference?: string | undefined
  /** The return URL. */
  readonly callbackUrl?: string | undefined
  /** The explanation of the failure for developers. */
  readonly developer?: DeveloperProps | undefined
}

const pickLanguage = ({ headers }: Pick<PageContext, "headers">, { languages }: PageRuntime): Language =>
  languages.for(headers.get("accept-language"))

/** Returns the props that every page has. `page` is the prefix of the page's text keys. */
function baseProps(page: string, context: PageContext, runtime: PageRuntime): BaseProps {
  const { config, pages } = runtime
  const language = pickLanguage(context, runtime)
  const assets = pages.assetLinks(context.basePath)
  // If the host is not trusted, the URLs built here are paths without an origin, so that the host is not in the page.
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

type ProviderEntry = Parameters<Parameters<PageRuntime["providers"]["forEach"]>[0]>[0]

/**
 * A call of the sign-in page or of the re-authentication page. If the page is shown because of a failure, the call also
 * has the data of the failure and the form's values.
 */
type SignInCall = AuthCall &
  Pick<PageContext, "reference" | "developer"> & {
    readonly formValues?: FormValues | undefined
    /** The id of the only provider that the page offers to the current user. */
    readonly onlyProvider?: string | undefined
  }

/**
 * Returns the props of a provider. The provider's form is posted to `/signin/ID` if its sign-in method has a first step
 * that starts a flow, or else directly to `/callback/ID`.
 */
function providerProps({ method, provider }: ProviderEntry, call: SignInCall, { pages }: PageRuntime): ProviderProps {
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
    icon: pages.findIconPath(id),
    initial: [...name][0]?.toUpperCase() ?? "",
    label: style?.label === "sign-in" ? "sign-in" : "continue",
  }
}

/** Returns the scripts of a page with a passkey form. */
function passkeyScripts(call: AuthCall, { pages }: PageRuntime): AssetProps[] {
  const { passkeys } = pages.assetLinks(call.basePath)
  return passkeys ? [passkeys] : []
}

/**
 * Returns the id of the provider last used in this browser. Undefined with `theme.lastUsed: false` or only one
 * provider. The cookie is not signed, so a value that is not the id of a provider is ignored.
 */
function readLastUsed({ cookies, cookieSet }: AuthCall, { config, providers }: PageRuntime): string | undefined {
  const id = cookies[cookieSet.lastUsed.name]
  return config.theme.lastUsed !== false && providers.size > 1 && id !== undefined && providers.has(id) ? id : undefined
}

/** Returns the URL of one of the application's pages. It contains the return URL, unless that is the home page. */
const applicationPageUrl = (page: string | undefined, { origin, callbackUrl }: AuthCall): string | undefined =>
  page && pageUrl(page, origin, { callbackUrl: callbackUrl === origin ? undefined : callbackUrl })

export function signInProps(call: SignInCall, runtime: PageRuntime): SignInProps {
  const { email = call.formValues?.values["email"] ?? "", error } = call.query
  const { config } = runtime
  const { onlyProvider } = call
  // Without an adapter, a sign-in with another provider replaces the session.
  const isConnecting = call.query["connect"] !== undefined || (onlyProvider !== undefined && Boolean(config.adapter))
  const providers = [...runtime.providers.values()]
    .map((entry) => providerProps(entry, call, runtime))
    .filter(({ id }) => onlyProvider === undefined || id === onlyProvider)
  // Only accounts of OAuth and OpenID Connect providers can be connected here. The form of another method, such as
  // email, could sign in a different user instead.
  const shownProviders = isConnecting ? providers.filter(({ form }) => form === "redirect") : providers
  const commonProps = baseProps("signin", call, runtime)
  const lastUsed = isConnecting ? undefined : readLastUsed(call, runtime)
  const { layout = "form-first" } = config.theme
  return {
    ...commonProps,
    scripts: shownProviders.some(({ optionsUrl }) => optionsUrl !== undefined) ? passkeyScripts(call, runtime) : [],
    providers: shownProviders,
    blocks: arrangeMethods(shownProviders, { layout, lastUsed, email, t: commonProps.t }),
    lastUsed,
    isConnecting,
    passkeysUrl: isConnecting && shownProviders.length < providers.length ? passkeysUrl(call, runtime) : undefined,
    signUpUrl: isConnecting ? undefined : applicationPageUrl(config.pages.signUp, call),
    forgotPasswordUrl: applicationPageUrl(config.pages.forgotPassword, call),
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    email,
    remember: config.session.remember === "ask" ? call.formValues?.remember === true : undefined,
    error: signInMessage(error, commonProps.t),
    errorSubject: signInErrorSubject(error),
    reference: call.reference,
  }
}

/** Returns the URL of the page with the user's passkeys; undefined without a passkey provider. */
const passkeysUrl = ({ base }: AuthCall, { providers }: PageRuntime): string | undefined =>
  [...providers.values()].some(({ method }) => method.needs.form === "passkey") ? `${base}/passkeys` : undefined

/** Returns the URL of the sign-in page, with the return URL unless that is the home page. */
const signInUrl = ({ base, origin, callbackUrl }: AuthCall, params: Readonly<Record<string, string>> = {}): string =>
  pageUrl(`${base}/signin`, origin, { ...params, callbackUrl: callbackUrl === origin ? undefined : callbackUrl })

/** The maximum length of a picture's URL, in characters. Longer `data:` URLs would make the page slow. */
const MAX_IMAGE_LENGTH = 100_000

/**
 * Returns the URL of the user's picture if the Content-Security-Policy allows it: a `data:` URL, or a URL of this site.
 */
function allowedImage(image: unknown, { origin }: AuthCall): string | undefined {
  if (typeof image !== "string" || image.length > MAX_IMAGE_LENGTH) return undefined
  if (/^data:image\//i.test(image)) return image
  return URL.canParse(image, origin) && new URL(image, origin).origin === origin
    ? new URL(image, origin).href
    : undefined
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the props of the page that replaces the sign-in page for a signed-in user. */
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

/** The data of the reauthentication page. */
export interface ReauthenticationFacts {
  /** The providers with which the user can re-authenticate, with the query parameters of their forms' URLs. */
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
  const shownProviders = providers.flatMap(toProps)
  return {
    ...commonProps,
    scripts: shownProviders.some(({ optionsUrl }) => optionsUrl !== undefined) ? passkeyScripts(call, runtime) : [],
    providers: shownProviders,
    account,
    email,
    secondFactorUrl,
    requiredQuery,
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    error: reauthenticationMessage(call.query["error"], commonProps.t),
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

/** Returns the props and the status of the error page. For an unknown code, the texts are general. */
export function errorProps(
  code: string | undefined,
  context: PageContext,
  runtime: PageRuntime,
): { readonly props: ErrorProps; readonly status: number } {
  const commonProps = baseProps("error", context, runtime)
  const { status, ...texts } = errorMessage(code, commonProps.t)
  // The link to the sign-in page contains the return URL, except if the return URL is the home page, or if the host is
  // not trusted. If the link has no return URL, the sign-in page uses the return URL in the cookie.
  const { callbackUrl } = context
  const hasReturnUrl = commonProps.host !== "" && callbackUrl !== undefined && callbackUrl !== context.origin
  const signInUrl = hasReturnUrl
    ? pageUrl(commonProps.signInUrl, context.origin, { callbackUrl })
    : commonProps.signInUrl
  return { status, props: { ...commonProps, ...texts, signInUrl, reference: context.reference } }
}

export const confirmProps = (
  call: AuthCall,
  linkProps: Pick<ConfirmProps, "token" | "email" | "account">,
  runtime: PageRuntime,
): ConfirmProps => ({
  ...baseProps("confirm", call, runtime),
  csrfToken: call.csrfToken,
  callbackUrl: call.callbackUrl,
  action: `${call.base}/callback/${call.providerId}`,
  remember: call.remember,
  isReauthentication: call.isReauthentication,
  ...linkProps,
})

/** Returns the name of a provider, or its id if the provider was removed from the configuration. */
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

/** Returns the props of the page with the current user's passkeys. */
export const passkeysPageProps = (
  call: AuthCall,
  { passkeys, ...context }: { readonly passkeys: readonly PasskeyFacts[] } & Pick<PasskeysContext, "forms" | "now">,
  runtime: PageRuntime,
): PasskeysProps => ({
  ...passkeysProps(baseProps("passkeys", call, runtime), passkeys, context),
  scripts: passkeyScripts(call, runtime),
})

/** Returns the props of the page with the current user's sessions. */
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

/** A request for an email. Only the browser that made the request has this data, in a cookie. */
export interface EmailRequest {
  readonly provider: string
  readonly identifier: string
  readonly callbackUrl: string
  readonly remember: boolean
  readonly isReauthentication: boolean
  /** Set if the email contains a code, with the time when the code expires, in milliseconds since 1970. */
  readonly code?: { readonly expires: number }
}

/** The data of the page "Check your email". */
interface VerifyRequestFacts extends Pick<VerifyRequestProps, "isResendDelayed"> {
  /** Undefined in a browser that has not requested an email. */
  readonly request: EmailRequest | undefined
  readonly now: number
}

/**
 * Returns the props of the page "Check your email". In the browser that requested the email, the page also shows the
 * address and the form for the code.
 */
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

/** The data of the page that asks for the second factor. */
export interface SecondFactorFacts extends Pick<SecondFactorProps, "hasApp" | "hasRecovery" | "isReauthentication"> {
  readonly hasPasskey: boolean
  /** For how many days the browser can be trusted; 0 if the page does not offer this. */
  readonly trustDays: number
  readonly passkeyProviderId: string
}

export function secondFactorProps(
  call: AuthCall,
  { hasPasskey, passkeyProviderId, trustDays, ...facts }: SecondFactorFacts,
  runtime: PageRuntime,
): SecondFactorProps {
  const commonProps = baseProps("secondFactor", call, runtime)
  const { error } = call.query
  const isRecoveryRefused = error === "SecondFactorRecoveryCode"
  return {
    ...commonProps,
    ...facts,
    scripts: hasPasskey ? passkeyScripts(call, runtime) : [],
    passkeyAction: hasPasskey ? `${call.base}/callback/${passkeyProviderId}` : undefined,
    optionsUrl: `${call.base}/webauthn-options/${passkeyProviderId}`,
    action: `${call.base}/second-factor`,
    csrfToken: call.csrfToken,
    callbackUrl: facts.isReauthentication ? call.callbackUrl : "",
    error: isRecoveryRefused || error === "SecondFactorCode" ? commonProps.t("secondFactor.error.code") : undefined,
    isRecoveryRefused,
    trustDuration: trustDays > 0 ? formatUnits(trustDays, "day", commonProps.lang) : undefined,
    cancelUrl: facts.isReauthentication ? undefined : `${call.base}/signin?cancel=1`,
  }
}

/** The data of the page that sets up an authenticator app. */
export interface SecondFactorSetupFacts
  extends Pick<SecondFactorSetupProps, "qrCode" | "secret" | "setup" | "isSignIn"> {
  /** True after a failed attempt: the code was wrong, or the setup had expired. */
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

/** The data of the settings page of the second factor. */
export interface SecondFactorSettingsFacts extends Pick<SecondFactorSettingsProps, "hasRecovery" | "canRemove"> {
  /** The number of unused recovery codes; undefined if the user has no authenticator app. */
  readonly codesLeft: number | undefined
  /** True if the settings page shows a link to the page with the user's passkeys. */
  readonly linksToPasskeys: boolean
}

export const secondFactorSettingsProps = (
  call: AuthCall,
  { codesLeft, linksToPasskeys, ...facts }: SecondFactorSettingsFacts,
  runtime: PageRuntime,
): SecondFactorSettingsProps => ({
  ...baseProps("secondFactorSettings", call, runtime),
  ...facts,
  isEnrolled: codesLeft !== undefined,
  codesLeft: codesLeft ?? 0,
  action: `${call.base}/second-factor`,
  csrfToken: call.csrfToken,
  setupUrl: `${call.base}/second-factor?setup=true`,
  passkeysUrl: linksToPasskeys ? `${call.base}/passkeys` : undefined,
})
