/**
 * Passkeys in the browser: runs a ceremony before a `form[data-passkey]` is submitted.
 *
 * @module
 */
import { browserSupportsWebAuthn } from "@simplewebauthn/browser"
import { type Autofill, startAutofill } from "./autofill.js"
import { runCeremony } from "./ceremony.js"
import { buildOptionsUrl, isBusy, messageForError, setBusy, showForm, showMessage, submitResponse } from "./form.js"

type AutofillPromise = Promise<Autofill | undefined>

async function runAndSubmit(form: HTMLFormElement, autofill: AutofillPromise): Promise<void> {
  if (isBusy(form)) return
  // The focus is restored after a failure, because a disabled button loses it.
  const focusedElement = document.activeElement
  setBusy(form, true)
  showMessage(form)
  try {
    submitResponse(form, await runCeremony(buildOptionsUrl(form)))
  } catch (error) {
    const message = messageForError(error)
    setBusy(form, false)
    if (document.activeElement === document.body && focusedElement instanceof HTMLElement) focusedElement.focus()
    showMessage(form, message)
    if (message) (await autofill)?.offer()
  }
}

/** Marks and returns the forms that this script does not handle yet. A page may load the script twice. */
function claimForms(): HTMLFormElement[] {
  const forms = [...document.querySelectorAll<HTMLFormElement>("form[data-passkey]:not([data-passkey-ready])")]
  for (const form of forms) form.dataset["passkeyReady"] = ""
  return forms
}

function start(): void {
  const forms = claimForms()
  const isSupported = browserSupportsWebAuthn()
  for (const form of forms) showForm(form, isSupported)
  const autofill = isSupported ? startAutofill(forms) : Promise.resolve(undefined)
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      if (isSupported) void runAndSubmit(form, autofill)
    })
  }
  // After a back navigation, the browser may restore the page from its cache, with busy forms and without autofill.
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !isSupported) return
    for (const form of forms) setBusy(form, false)
    void autofill.then((started) => started?.offer())
  })
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start)
else start()
