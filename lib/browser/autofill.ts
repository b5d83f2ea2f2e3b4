import { browserSupportsWebAuthnAutofill } from "@simplewebauthn/browser"
import { errorName, runCeremony } from "./ceremony.js"
import { buildOptionsUrl, isBusy, setBusy, submitResponse } from "./form.js"

/** The age at which an offer is renewed. The server's challenge expires after 15 minutes. */
const RENEW_AFTER_MS = 10 * 60_000
const CHECK_INTERVAL_MS = 30_000
/**
 * If an offer ends within this time, the browser has ended it, not the user. Then no new offer is made at once, because
 * the browser would end that one too.
 */
const MIN_USER_CANCEL_MS = 1_000

/** Passkey autofill (conditional mediation). */
export interface Autofill {
  /** Offers passkeys in the page's fields. A ceremony of a form ends the offer, so call this again afterwards. */
  offer(): void
}

async function isAutofillSupported(): Promise<boolean> {
  return document.querySelector('input[autocomplete~="webauthn" i]') !== null && browserSupportsWebAuthnAutofill()
}

/** Creates the autofill of a form. When the user has chosen an offered passkey, submits the form with the response. */
function createAutofill(form: HTMLFormElement): Autofill {
  const state: { offer?: { readonly since: number } | undefined } = {}

  async function startOffer(): Promise<void> {
    const current = { since: Date.now() }
    state.offer = current
    try {
      const response = await runCeremony(buildOptionsUrl(form), { isAutofill: true })
      setBusy(form, true)
      submitResponse(form, response)
    } catch (error) {
      // A newer offer has replaced this one.
      if (state.offer !== current) return
      const isUserCancel = errorName(error) === "NotAllowedError" && Date.now() - current.since > MIN_USER_CANCEL_MS
      if (isUserCancel) void startOffer()
      else if (errorName(error) === "AbortError") state.offer = undefined
    }
  }

  /** Renews an old offer. Compares times, because timers stop while a computer sleeps. */
  function renewOffer(): void {
    const isOld = state.offer !== undefined && Date.now() - state.offer.since > RENEW_AFTER_MS
    if (isOld && document.visibilityState === "visible") void startOffer()
  }

  setInterval(renewOffer, CHECK_INTERVAL_MS)
  document.addEventListener("visibilitychange", renewOffer)
  return { offer: () => void startOffer() }
}

/** Starts autofill for the first form that requests it. Undefined if the page or the browser does not support it. */
export async function startAutofill(forms: readonly HTMLFormElement[]): Promise<Autofill | undefined> {
  const form = forms.find(({ dataset }) => dataset["passkey"] === "sign-in" && dataset["autofill"] !== undefined)
  if (!form || !(await isAutofillSupported())) return undefined
  const autofill = createAutofill(form)
  // If the user has already started a ceremony, an offer would end it.
  if (!forms.some(isBusy)) autofill.offer()
  return autofill
}
