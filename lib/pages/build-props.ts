/**
 * From a call to what its page may see.
 *
 * @module
 */
import type { AuthCall } from "../http/call.js"
import type { ReadyProvider } from "../methods/method.js"
import type { ProviderType } from "../providers/provider.js"
import type { Runtime } from "../runtime.js"
import { isTrustedHost } from "../security/trusted-host.js"
import type { Account } from "../types.js"
import { inputProps } from "./inputs.js"
import { errorMessage, signInMessage, signInSubject } from "./messages.js"
import { type PasskeyFacts, type PasskeysPlace, passkeysProps } from "./passkeys-props.js"
import type {
  AccountsRemovedProps,
  AssetProps,
  ConfirmProps,
  ContinueProps,
  DeveloperProps,
  ErrorProps,
  FormValues,
  FrameProps,
  PasskeysProps,
  ProviderProps,
  SignInProps,
  SignOutProps,
  VerifyRequestProps,
} from "./props.js"
import type { Language } from "./texts.js"

/** What a page needs to know of where it stands. */
export type Place = Pick<AuthCall, "origin" | "basePath" | "cspNonce"> & {
  /** Those of the request; they say which language is wanted. */
  readonly headers: Pick<Headers, "get">
  /** Under which the failure that the page tells of stands in the log. */
  readonly reference?: string | undefined
  readonly developer?: DeveloperProps | undefined
}

const languageOf = ({ headers }: Pick<Place, "headers">, { languages }: Runtime): Language =>
  languages.for(headers.get("accept-language"))

/** `page` is how the keys of its texts begin. */
function frame(page: string, place: Place, runtime: Runtime): FrameProps {
  const { config, pages } = runtime
  const language = languageOf(place, runtime)
  const assets = pages.assetsAt(place.basePath)
  // A host that is not trusted must not stand in a page: only paths are ours then.
  const { origin } = isTrustedHost(place.origin, config) ? place : { origin: "" }
  return {
    ...language,
    title: language.t(`${page}.title`),
    colorScheme: config.theme.colorScheme ?? "auto",
    logo: config.theme.logo || undefined,
    homeUrl: origin || "/",
    host: origin && new URL(origin).host,
    signInUrl: `${origin}${place.basePath}/signin`,
    styles: assets.styles,
    icon: assets.icon,
    scripts: [],
    nonce: place.cspNonce,
    developer: place.developer,
  }
}

/** Forms of these prove the person at once; every other one begins something. */
const PROVES_AT_ONCE: ReadonlySet<ProviderType> = new Set(["credentials", "webauthn"])

/** A call to the sign-in page, with what a failure before has sent along. */
type SignInCall = AuthCall & Pick<Place, "reference" | "developer"> & { readonly formValues?: FormValues | undefined }

function providerProps(provider: ReadyProvider, call: SignInCall, { pages }: Runtime): ProviderProps {
  const { id, name, type, inputs, style, ceremony } = provider
  return {
    id,
    name,
    type,
    action: `${call.base}/${PROVES_AT_ONCE.has(type) ? "callback" : "signin"}/${id}`,
    ...(ceremony && { ...ceremony, optionsUrl: `${call.base}/webauthn-options/${id}` }),
    inputs: inputProps(id, inputs ?? {}, call.formValues?.provider === id ? call.formValues.values : {}),
    logo: style?.logo,
    icon: pages.iconOf(id),
    initial: [...name][0]?.toUpperCase() ?? "",
  }
}

/** The script that passkeys need, on a page that has one to offer. */
function passkeyScripts(call: AuthCall, { pages }: Runtime): AssetProps[] {
  const { passkeys } = pages.assetsAt(call.basePath)
  return passkeys ? [passkeys] : []
}

export function signInProps(call: SignInCall, runtime: Runtime): SignInProps {
  const { email = call.formValues?.values["email"] ?? "", error } = call.query
  const providers = [...runtime.providers.values()].map(({ provider }) => providerProps(provider, call, runtime))
  const frameProps = frame("signin", call, runtime)
  return {
    ...frameProps,
    scripts: providers.some(({ type }) => type === "webauthn") ? passkeyScripts(call, runtime) : [],
    providers,
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    email,
    error: signInMessage(error, frameProps.t),
    errorSubject: signInSubject(error),
    reference: call.reference,
  }
}

export function signOutProps(call: AuthCall, runtime: Runtime): SignOutProps {
  return {
    ...frame("signout", call, runtime),
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    action: `${call.base}/signout`,
  }
}

/** Props and status of the error page for a code; a code that nobody knows is never shown. */
export function errorProps(
  code: string | undefined,
  place: Place,
  runtime: Runtime,
): { readonly props: ErrorProps; readonly status: number } {
  const frameProps = frame("error", place, runtime)
  const { status, ...words } = errorMessage(code, frameProps.t)
  return { status, props: { ...frameProps, ...words, reference: place.reference } }
}

export const confirmProps = (
  call: AuthCall,
  link: Pick<ConfirmProps, "token" | "email" | "account">,
  runtime: Runtime,
): ConfirmProps => ({
  ...frame("confirm", call, runtime),
  csrfToken: call.csrfToken,
  callbackUrl: call.callbackUrl,
  action: `${call.base}/callback/${call.providerId}`,
  ...link,
})

export const accountsRemovedProps = (
  call: AuthCall,
  { removed, continueUrl }: { readonly removed: readonly Pick<Account, "provider">[]; readonly continueUrl: string },
  runtime: Runtime,
): AccountsRemovedProps => ({
  ...frame("accountsRemoved", call, runtime),
  names: [...new Set(removed.map(({ provider }) => runtime.providers.get(provider)?.provider.name ?? provider))],
  continueUrl,
})

export function continueProps(call: AuthCall, location: string, runtime: Runtime): ContinueProps {
  const { host, protocol } = new URL(location)
  return {
    ...frame("continue", call, runtime),
    continueUrl: location,
    refresh: `0;url=${location}`,
    destination: host || protocol,
  }
}

/** The page of a signed-in person's passkeys. */
export const passkeysPageProps = (
  call: AuthCall,
  { passkeys, place }: { readonly passkeys: readonly PasskeyFacts[]; readonly place: PasskeysPlace },
  runtime: Runtime,
): PasskeysProps => ({
  ...passkeysProps(frame("passkeys", call, runtime), passkeys, place),
  scripts: passkeyScripts(call, runtime),
})

export const verifyRequestProps = (call: AuthCall, runtime: Runtime): VerifyRequestProps =>
  frame("verifyRequest", call, runtime)
