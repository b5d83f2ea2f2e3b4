import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser"

/** What the server asks the authenticator for. */
type Asked =
  | { readonly action: "authenticate"; readonly options: PublicKeyCredentialRequestOptionsJSON }
  | { readonly action: "register"; readonly options: PublicKeyCredentialCreationOptionsJSON }

/** What the authenticator said, as the form's fields take it. */
export interface Answer {
  readonly action: Asked["action"]
  /** The credential, as JSON. */
  readonly data: string
}

const FETCH_TIMEOUT_MS = 15_000

/** A browser runs one ceremony at a time: the latest. */
const turn = { current: new AbortController() }

function beginTurn(): AbortController {
  turn.current.abort()
  WebAuthnAbortService.cancelCeremony()
  turn.current = new AbortController()
  return turn.current
}

async function fetchOptions(url: URL, controller: AbortController): Promise<Asked> {
  const timer = setTimeout(() => controller.abort(new Error("the server did not answer in time")), FETCH_TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json" },
      signal: controller.signal,
    })
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    // What else it were, the ceremony would fail with it.
    return (await response.json()) as Asked
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs a ceremony: asks the server what is wanted, then the authenticator. Whichever was under way ends.
 *
 * @throws what the browser threw; an AbortError when another ceremony has begun meanwhile
 */
export async function runCeremony(url: URL, { isAutofill = false } = {}): Promise<Answer> {
  const controller = beginTurn()
  const { action, options } = await fetchOptions(url, controller)
  if (controller !== turn.current) throw new DOMException("another ceremony has begun", "AbortError")
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

/** The name of what was thrown, by which WebAuthn tells reasons apart. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : "")
