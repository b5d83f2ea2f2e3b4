/**
 * From a call to what its page may see.
 *
 * @module
 */
import type { AuthCall } from "../http/call.js"
import type { ReadyProvider } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { inputProps } from "./inputs.js"
import { errorMessage, signInMessage, signInSubject } from "./messages.js"
import type {
  AssetProps,
  ConfirmProps,
  ErrorProps,
  FrameProps,
  ProviderProps,
  SignInProps,
  SignOutProps,
  VerifyRequestProps,
} from "./props.js"

/** What a page needs to know of where it stands. */
export type Place = Pick<AuthCall, "origin" | "basePath" | "cspNonce">

function frame(title: string, place: Place, { config, pages }: Runtime): FrameProps {
  // A host that is not trusted must not stand in a page: only paths are ours then.
  const { origin } = config.trustHost ? place : { origin: "" }
  return {
    title,
    lang: "en",
    colorScheme: config.theme.colorScheme ?? "auto",
    logo: config.theme.logo || undefined,
    homeUrl: origin || "/",
    host: origin && new URL(origin).host,
    signInUrl: `${origin}${place.basePath}/signin`,
    styles: pages.assetsAt(place.basePath).styles,
    scripts: [],
    nonce: place.cspNonce,
  }
}

function providerProps(provider: ReadyProvider, call: AuthCall, { pages }: Runtime): ProviderProps {
  const { id, name, type, inputs, style } = provider
  // A form of fields proves the person at once; every other one begins something.
  const action = type === "credentials" ? `${call.base}/callback/${id}` : `${call.base}/signin/${id}`
  return {
    id,
    name,
    type,
    action,
    inputs: inputProps(id, inputs ?? {}),
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

export function signInProps(call: AuthCall, runtime: Runtime): SignInProps {
  const { email = "", error } = call.query
  const providers = [...runtime.providers.values()].map(({ provider }) => providerProps(provider, call, runtime))
  return {
    ...frame("Sign In", call, runtime),
    scripts: providers.some(({ type }) => type === "webauthn") ? passkeyScripts(call, runtime) : [],
    providers,
    csrfToken: call.csrfToken,
    callbackUrl: call.callbackUrl,
    email,
    error: signInMessage(error),
    errorSubject: signInSubject(error),
  }
}

export function signOutProps(call: AuthCall, runtime: Runtime): SignOutProps {
  return {
    ...frame("Sign Out", call, runtime),
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
  const { status, heading, message, offersSignIn } = errorMessage(code)
  return { status, props: { ...frame("Error", place, runtime), heading, message, offersSignIn } }
}

export const confirmProps = (
  call: AuthCall,
  link: Pick<ConfirmProps, "token" | "email" | "account">,
  runtime: Runtime,
): ConfirmProps => ({
  ...frame("Confirm Sign In", call, runtime),
  csrfToken: call.csrfToken,
  callbackUrl: call.callbackUrl,
  action: `${call.base}/callback/${call.providerId}`,
  ...link,
})

export const verifyRequestProps = (call: AuthCall, runtime: Runtime): VerifyRequestProps =>
  frame("Verify Request", call, runtime)
