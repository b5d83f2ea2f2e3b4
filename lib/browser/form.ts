/**
 * Functions for a passkey form of the page: its ceremony options, its messages, and its submission.
 *
 * @module
 */
import { type CeremonyResponse, errorName } from "./ceremony.js"

/** The messages of a form. Their texts are the form's `data-text-…` attributes, in the page's language. */
export type Message = "unsupported" | "cancelled" | "known" | "failed"

/** Returns the message for a failed ceremony. Undefined if another ceremony or a redirect has ended the ceremony. */
export function messageForError(error: unknown): Message | undefined {
  switch (errorName(error)) {
    case "AbortError":
      return undefined
    // Cancelled, timed out, or no passkey: browsers do not distinguish these.
    case "NotAllowedError":
      return "cancelled"
    case "InvalidStateError":
      return "known"
    default:
      return "failed"
  }
}

/** Shows a message in the form's live region. Without a message, clears the region. */
export function showMessage(form: HTMLFormElement, message?: Message): void {
  const region = form.querySelector<HTMLElement>("[data-passkey-message]")
  if (!region) return
  const text = message ? (form.getAttribute(`data-text-${message}`) ?? "") : ""
  // The region is shown before its text is set, because screen readers announce changes of visible regions only.
  region.hidden = text === ""
  region.textContent = text
}

function setDisabled(form: HTMLFormElement, isDisabled: boolean): void {
  for (const element of form.elements) {
    const isButton = element instanceof HTMLButtonElement || element instanceof HTMLInputElement
    if (isButton && element.type === "submit") element.disabled = isDisabled
  }
}

export const isBusy = (form: HTMLFormElement): boolean => form.getAttribute("aria-busy") === "true"

/** Sets or ends the busy state of a form. The submit buttons of a busy form are disabled. */
export function setBusy(form: HTMLFormElement, isFormBusy: boolean): void {
  form.setAttribute("aria-busy", String(isFormBusy))
  setDisabled(form, isFormBusy)
}

/** Shows a form. If the browser does not support passkeys, disables the form's buttons and shows a message. */
export function showForm(form: HTMLFormElement, isSupported: boolean): void {
  form.hidden = false
  if (isSupported) return
  setDisabled(form, true)
  showMessage(form, "unsupported")
}

/**
 * Returns the visible fields of the form, for a URL. Excludes passwords, because URLs are logged. Excludes the choice
 * to stay signed in, because only the submitted form needs it.
 */
function readFields(form: HTMLFormElement): [name: string, value: string][] {
  const excluded = new Set(["remember"])
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && ["hidden", "password"].includes(element.type)) excluded.add(element.name)
  }
  return [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && !excluded.has(name) ? [[name, value]] : [],
  )
}

/** Returns the URL from which the options of the form's ceremony are loaded. */
export function buildOptionsUrl(form: HTMLFormElement): URL {
  const kind = form.dataset["passkey"]
  const url = new URL(form.dataset["options"] ?? "", document.baseURI)
  url.searchParams.set("action", kind === "sign-in" ? "authenticate" : "register")
  if (kind !== "add") for (const [name, value] of readFields(form)) url.searchParams.set(name, value)
  return url
}

function setField(form: HTMLFormElement, name: string, value: string): void {
  const selector = `input[type="hidden"][name="${name}"]`
  const field = form.querySelector<HTMLInputElement>(selector) ?? document.createElement("input")
  Object.assign(field, { type: "hidden", name, value })
  form.append(field)
}

/** Copies the choice to stay signed in from another form of the page, if this form has no checkbox for it. */
function copyRememberChoice(form: HTMLFormElement): void {
  const checkboxes = [...document.querySelectorAll<HTMLInputElement>('input[type="checkbox"][name="remember"]')]
  if (checkboxes.length === 0 || checkboxes.some((checkbox) => checkbox.form === form)) return
  setField(form, "remember", String(checkboxes.some(({ checked }) => checked)))
}

/** Submits the form with the response. The browser navigates, so redirects and cookies work as with every form. */
export function submitResponse(form: HTMLFormElement, { action, data }: CeremonyResponse): void {
  setField(form, "action", action)
  setField(form, "data", data)
  copyRememberChoice(form)
  // A field with the name "submit" would hide the method `form.submit`.
  HTMLFormElement.prototype.submit.call(form)
}
