/**
 * A passkey form of the page: its ceremony, its messages, and its submission.
 *
 * @module
 */
import { type CeremonyResponse, errorName } from "./ceremony.js"

/** The messages of a form. Their texts are the form's `data-text-…` attributes, in the page's language. */
export type Message = "unsupported" | "cancelled" | "known" | "failed"

/** The message for a failed ceremony, or undefined if another ceremony replaced it. */
export function errorMessage(error: unknown): Message | undefined {
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

/** Shows a message in the form's live region, or clears it. */
export function showMessage(form: HTMLFormElement, message?: Message): void {
  const region = form.querySelector<HTMLElement>("[data-passkey-message]")
  if (!region) return
  const text = message ? (form.getAttribute(`data-text-${message}`) ?? "") : ""
  // Shown before it is filled, because screen readers announce changes of visible regions only.
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

/** A busy form cannot be submitted again. */
export function setBusy(form: HTMLFormElement, isNowBusy: boolean): void {
  form.setAttribute("aria-busy", String(isNowBusy))
  setDisabled(form, isNowBusy)
}

/** Shows a form; if passkeys are not supported, shows a message. */
export function showForm(form: HTMLFormElement, isSupported: boolean): void {
  form.hidden = false
  if (isSupported) return
  setDisabled(form, true)
  showMessage(form, "unsupported")
}

/** The fields filled in by the user, except passwords, because URLs are logged, and the choice to stay signed in. */
function readFields(form: HTMLFormElement): [name: string, value: string][] {
  const excluded = new Set(["remember"])
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && ["hidden", "password"].includes(element.type)) excluded.add(element.name)
  }
  return [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && !excluded.has(name) ? [[name, value]] : [],
  )
}

/** The URL of the ceremony options. */
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
function copyChoice(form: HTMLFormElement): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('input[type="checkbox"][name="remember"]')]
  if (boxes.length === 0 || boxes.some((box) => box.form === form)) return
  setField(form, "remember", String(boxes.some(({ checked }) => checked)))
}

/** Submits the form as a navigation, so that redirects and cookies work as for every form. */
export function submitResponse(form: HTMLFormElement, { action, data }: CeremonyResponse): void {
  setField(form, "action", action)
  setField(form, "data", data)
  copyChoice(form)
  // A field named "submit" would hide the form's method.
  HTMLFormElement.prototype.submit.call(form)
}
