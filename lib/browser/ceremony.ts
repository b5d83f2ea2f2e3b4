import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser"

/** The options of the ceremony from the server. */
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

/** A browser runs one ceremony at a time, so a new one aborts the previous one. */
const running = { current: new AbortController() }

function abortPrevious(): AbortController {
  running.current.abort()
  WebAuthnAbortService.cancelCeremony()
  running.current = new AbortController()
  return running.current
}

/** Navigates to the page on which the user confirms who they are. That page returns to this one. */
function confirmFirst({ url }: { readonly url: string }): never {
  const target = new URL(url)
  target.searchParams.set("callbackUrl", location.href)
  location.assign(target)
  throw new DOMException("the user has to confirm who they are first", "AbortError")
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
    if (response.status === 401) confirmFirst((await response.json()) as { readonly url: string })
    if (!response.ok) throw new Error(`the server responded with status ${response.status}`)
    // Any other value makes the ceremony fail.
    return (await response.json()) as CeremonyOptions
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs a ceremony: fetches the options from the server, then calls the authenticator. Aborts a running ceremony.
 *
 * @throws the browser's error; an AbortError when another ceremony has started meanwhile
 */
export async function runCeremony(url: URL, { isAutofill = false } = {}): Promise<CeremonyResponse> {
  const controller = abortPrevious()
  const { action, options } = await fetchOptions(url, controller)
  if (controller !== running.current) throw new DOMException("another ceremony has started", "AbortError")
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

/** The name of the error, which identifies the reason in WebAuthn. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : "")
