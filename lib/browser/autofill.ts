import { browserSupportsWebAuthnAutofill } from "@simplewebauthn/browser"
import { errorName, runCeremony } from "./ceremony.js"
import { isBusy, optionsUrlOf, send, setBusy } from "./form.js"

/** Before the server's challenge expires, after 15 minutes. */
const RENEW_AFTER_MS = 10 * 60_000
const LOOK_EVERY_MS = 30_000
/** A ceremony that ends sooner was ended by the browser, not by a person, and would end so again. */
const SHORTEST_CANCEL_MS = 1_000

/** Passkeys among what the browser offers to fill in. */
export interface Autofill {
  /** Offers them, again when another ceremony has ended that. */
  offer(): void
}

async function isPossible(): Promise<boolean> {
  return document.querySelector('input[autocomplete~="webauthn" i]') !== null && browserSupportsWebAuthnAutofill()
}

/** Offers passkeys in the page's fields, and sends the form with the one that was chosen. */
function createAutofill(form: HTMLFormElement): Autofill {
  const state: { offer?: { readonly since: number } | undefined } = {}

  async function offer(): Promise<void> {
    const own = { since: Date.now() }
    state.offer = own
    try {
      const answer = await runCeremony(optionsUrlOf(form), { isAutofill: true })
      setBusy(form, true)
      send(form, answer)
    } catch (error) {
      if (state.offer !== own) return
      const isCancel = errorName(error) === "NotAllowedError" && Date.now() - own.since > SHORTEST_CANCEL_MS
      if (isCancel) void offer()
      else if (errorName(error) === "AbortError") state.offer = undefined
    }
  }

  /** By the clock, since timers stand still while a computer sleeps. */
  function renew(): void {
    const isOld = state.offer !== undefined && Date.now() - state.offer.since > RENEW_AFTER_MS
    if (isOld && document.visibilityState === "visible") void offer()
  }

  setInterval(renew, LOOK_EVERY_MS)
  document.addEventListener("visibilitychange", renew)
  return { offer: () => void offer() }
}

/** Starts it for the first form that asks for it, if page and browser can. */
export async function startAutofill(forms: readonly HTMLFormElement[]): Promise<Autofill | undefined> {
  const form = forms.find(({ dataset }) => dataset["passkey"] === "sign-in" && dataset["autofill"] !== undefined)
  if (!form || !(await isPossible())) return undefined
  const autofill = createAutofill(form)
  // Somebody may have been quicker than the browser's answer.
  if (!forms.some(isBusy)) autofill.offer()
  return autofill
}
