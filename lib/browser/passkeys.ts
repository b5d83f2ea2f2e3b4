/**
 * Passkeys in the browser: makes `form[data-passkey]` ask for one before it is sent.
 *
 * @module
 */
import { browserSupportsWebAuthn } from "@simplewebauthn/browser"
import { type Autofill, startAutofill } from "./autofill.js"
import { runCeremony } from "./ceremony.js"
import { isBusy, messageFor, optionsUrlOf, say, send, setBusy, show } from "./form.js"

type WhenReady = Promise<Autofill | undefined>

async function submit(form: HTMLFormElement, autofill: WhenReady): Promise<void> {
  if (isBusy(form)) return
  // A disabled button loses the keyboard's focus.
  const focused = document.activeElement
  setBusy(form, true)
  say(form)
  try {
    send(form, await runCeremony(optionsUrlOf(form)))
  } catch (error) {
    const message = messageFor(error)
    setBusy(form, false)
    if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus()
    say(form, message)
    if (message) (await autofill)?.offer()
  }
}

/** Forms that no script has taken yet: an application may load this one on a page that has it already. */
function takeForms(): HTMLFormElement[] {
  const forms = [...document.querySelectorAll<HTMLFormElement>("form[data-passkey]:not([data-passkey-ready])")]
  for (const form of forms) form.dataset["passkeyReady"] = ""
  return forms
}

function start(): void {
  const forms = takeForms()
  const isSupported = browserSupportsWebAuthn()
  for (const form of forms) show(form, isSupported)
  const autofill = isSupported ? startAutofill(forms) : Promise.resolve(undefined)
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      if (isSupported) void submit(form, autofill)
    })
  }
  // Who comes back finds the page as it was left, in the browser's memory.
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !isSupported) return
    for (const form of forms) setBusy(form, false)
    void autofill.then((started) => started?.offer())
  })
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start)
else start()
