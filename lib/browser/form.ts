/**
 * A form of the page: what it asks for, what it says, and how it is sent.
 *
 * @module
 */
import { type Answer, errorName } from "./ceremony.js"

/** What a form can say; its words are the form's own `data-text-…`, in the page's language. */
export type Message = "unsupported" | "cancelled" | "known" | "failed"

/** Why a ceremony did not come to its end, or undefined when another one took its place. */
export function messageFor(error: unknown): Message | undefined {
  switch (errorName(error)) {
    case "AbortError":
      return undefined
    // Cancelled, timed out, or no passkey here: browsers don't tell which.
    case "NotAllowedError":
      return "cancelled"
    case "InvalidStateError":
      return "known"
    default:
      return "failed"
  }
}

/** Shows a message in the form's live region; without one, takes away what stands there. */
export function say(form: HTMLFormElement, message?: Message): void {
  const place = form.querySelector<HTMLElement>("[data-passkey-message]")
  if (!place) return
  const text = message ? (form.getAttribute(`data-text-${message}`) ?? "") : ""
  // Shown before it is filled: a screen reader reads what changes, not what appears.
  place.hidden = text === ""
  place.textContent = text
}

function setDisabled(form: HTMLFormElement, isDisabled: boolean): void {
  for (const element of form.elements) {
    const isButton = element instanceof HTMLButtonElement || element instanceof HTMLInputElement
    if (isButton && element.type === "submit") element.disabled = isDisabled
  }
}

export const isBusy = (form: HTMLFormElement): boolean => form.getAttribute("aria-busy") === "true"

/** While a form is busy it can't be sent again. */
export function setBusy(form: HTMLFormElement, isNowBusy: boolean): void {
  form.setAttribute("aria-busy", String(isNowBusy))
  setDisabled(form, isNowBusy)
}

/** Shows a form; where nothing can come of it, says so. */
export function show(form: HTMLFormElement, isSupported: boolean): void {
  form.hidden = false
  if (isSupported) return
  setDisabled(form, true)
  say(form, "unsupported")
}

/** Fields that people fill in, but passwords: an address is kept in many a log. */
function fieldsOf(form: HTMLFormElement): [name: string, value: string][] {
  const withheld = new Set<string>()
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && ["hidden", "password"].includes(element.type)) withheld.add(element.name)
  }
  return [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && !withheld.has(name) ? [[name, value]] : [],
  )
}

/** Where the form's options come from. */
export function optionsUrlOf(form: HTMLFormElement): URL {
  const kind = form.dataset["passkey"]
  const url = new URL(form.dataset["options"] ?? "", document.baseURI)
  url.searchParams.set("action", kind === "sign-in" ? "authenticate" : "register")
  if (kind !== "add") for (const [name, value] of fieldsOf(form)) url.searchParams.set(name, value)
  return url
}

function setField(form: HTMLFormElement, name: string, value: string): void {
  const selector = `input[type="hidden"][name="${name}"]`
  const field = form.querySelector<HTMLInputElement>(selector) ?? document.createElement("input")
  Object.assign(field, { type: "hidden", name, value })
  form.append(field)
}

/** Sends the form as a navigation, so that redirects and cookies are what they are for every form. */
export function send(form: HTMLFormElement, { action, data }: Answer): void {
  setField(form, "action", action)
  setField(form, "data", data)
  // A field may be named "submit", and would hide the form's own.
  HTMLFormElement.prototype.submit.call(form)
}
