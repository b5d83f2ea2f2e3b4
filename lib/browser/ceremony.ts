import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser"

/** The server's response: which ceremony to run, and the options for the browser's WebAuthn call. */
type CeremonyOptions =
  | { readonly action: "authenticate"; readonly options: PublicKeyCredentialRequestOptionsJSON }
  | { readonly action: "register"; readonly options: PublicKeyCredentialCreationOptionsJSON }

/** The authenticator's response as form fields. */
export interface CeremonyResponse {
  readonly action: CeremonyOptions["action"]
  /** The credential, as JSON. */
  readonly data: string
}

const FETCH_TIMEOUT_MS = 15_000

/** Aborts the latest ceremony. A browser runs one ceremony at a time, so a new ceremony aborts the previous one. */
const latest = { controller: new AbortController() }

function abortPrevious(): AbortController {
  latest.controller.abort()
  WebAuthnAbortService.cancelCeremony()
  latest.controller = new AbortController()
  return latest.controller
}

/** Navigates to the page on which the user authenticates again. That page returns to this one. */
function leaveToReauthenticate({ url }: { readonly url: string }): never {
  const target = new URL(url)
  target.searchParams.set("callbackUrl", location.href)
  location.assign(target)
  throw new DOMException("the user has to authenticate again first", "AbortError")
}

async function fetchOptions(url: URL, controller: AbortController): Promise<CeremonyOptions> {
  const timer = setTimeout(() => controller.abort(new Error("the server did not respond in time")), FETCH_TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json" },
      signal: controller.signal,
    })
    if (response.status === 401) leaveToReauthenticate((await response.json()) as { readonly url: string })
    if (!response.ok) throw new Error(`the server responded with status ${response.status}`)
    // The response is not checked here, because the browser's WebAuthn call throws for invalid options.
    return (await response.json()) as CeremonyOptions
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs a ceremony: fetches the options from the server, then calls the authenticator. Aborts a running ceremony.
 *
 * @throws if the server or the authenticator fails; an AbortError if another ceremony has started or the page is left
 */
export async function runCeremony(url: URL, { isAutofill = false } = {}): Promise<CeremonyResponse> {
  const controller = abortPrevious()
  const { action, options } = await fetchOptions(url, controller)
  if (controller !== latest.controller) throw new DOMException("another ceremony has started", "AbortError")
  const credential =
    action === "register"
      ? await startRegistration({ optionsJSON: options })
      : await startAuthentication({
          optionsJSON: options,
          useBrowserAutofill: isAutofill,
          verifyBrowserAutofillInput: false,
        })
  return { action, data: JSON.stringify(credential) }
}

/** Returns the error's name, by which WebAuthn states the reason of a failure; "" for a value that is no error. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : "")
