import { inputProps } from "../../../lib/pages/inputs.js"
import { type PasskeyFacts, passkeysProps } from "../../../lib/pages/passkeys-props.js"
import type { ProviderProps } from "../../../lib/pages/props.js"
import { createPages } from "../../../lib/pages/render.js"
import { parseForms, visibleText } from "../../support/html.js"
import { provider, renderSample, passkeys as sample, signIn, tagsOf } from "./samples.js"

const pages = createPages({})
const field = { label: "Email", required: true, autocomplete: "username webauthn" }
const PASSKEY: ProviderProps = provider({
  ...{ id: "passkey", name: "Passkey", type: "webauthn", action: "https://app.test/auth/callback/passkey" },
  ...{ optionsUrl: "https://app.test/auth/webauthn-options/passkey", hasAutofill: true },
  inputs: inputProps("passkey", { email: field }),
})
const write = (more: Partial<ProviderProps> = {}) =>
  pages.render("signin", signIn({ providers: [{ ...PASSKEY, ...more }] })).html
const formTags = (html: string) => tagsOf(html).flatMap(({ name, attributes }) => (name === "form" ? [attributes] : []))

describe("passkeys on the sign-in page", () => {
  it("have one form to sign in and one to create a passkey, both posted to the callback", () => {
    const forms = parseForms(write())
    expect(forms.map(({ method, action }) => `${method} ${action}`)).toEqual([
      "POST https://app.test/auth/callback/passkey",
      "POST https://app.test/auth/callback/passkey",
    ])
    for (const { fields } of forms)
      expect(fields).toMatchObject({ csrfToken: "a-token", callbackUrl: "https://app.test/me" })
    expect(forms.map(({ inputs }) => inputs.filter(({ type }) => type !== "hidden").map(({ name }) => name))).toEqual([
      [],
      ["email"],
    ])
  })

  it("are hidden until the script shows them, and have the URL and the texts that the script needs in the form", () => {
    const [signInForm, register] = formTags(write())
    expect(signInForm).toMatchObject({
      ...{ "data-passkey": "sign-in", "data-autofill": "", hidden: "" },
      "data-options": "https://app.test/auth/webauthn-options/passkey",
      "data-text-unsupported": expect.stringMatching(/\w/),
      "data-text-cancelled": expect.stringMatching(/\w/),
      "data-text-failed": expect.stringMatching(/\w/),
      "data-text-known": expect.stringMatching(/\w/),
    })
    expect(register).toMatchObject({ "data-passkey": "register", hidden: "" })
    expect(register).not.toHaveProperty("data-autofill")
    expect(formTags(write({ hasAutofill: false }))[0]).not.toHaveProperty("data-autofill")
    expect(write()).toMatch(/<noscript><p class="hint">Passkeys need JavaScript/)
  })

  it("have a labelled field in each form if the passkey is not discoverable", () => {
    const html = write({ isDiscoverable: false })
    const tags = tagsOf(html)
    const shown = tags.filter(({ name, attributes }) => name === "input" && attributes["type"] !== "hidden")
    const labels = tags.filter(({ name }) => name === "label").map(({ attributes }) => attributes["for"])
    expect(shown.map(({ attributes }) => attributes["id"])).toEqual(labels)
    expect(new Set(labels).size).toBe(2)
  })
})

describe("the page of the user's passkeys", () => {
  const FACTS: PasskeyFacts = {
    ...{ credentialID: "aGk=", name: "Laptop", createdAt: new Date("2026-03-01T12:00:00Z") },
    ...{ isSynced: true, canRename: true, canRemove: true, isLastMethod: false },
  }
  const NOW = Date.UTC(2026, 2, 3, 12)
  const propsOf = (passkeys: PasskeyFacts[]) => passkeysProps(sample, passkeys, { forms: sample, now: NOW })
  const page = (...passkeys: PasskeyFacts[]) => pages.render("passkeys", propsOf(passkeys)).html

  it("shows the name, the date and the kind of each passkey", () => {
    const text = visibleText(page(FACTS, { ...FACTS, name: null, createdAt: null, isSynced: false }))
    expect(text).toMatch(/Unnamed passkey On one device only .*Laptop Added on March 1, 2026 Synced between/)
  })

  it("shows when a passkey was last used, if that is known", () => {
    const text = visibleText(page({ ...FACTS, lastUsedAt: new Date(NOW - 7_200_000) }))
    expect(text).toContain("Added on March 1, 2026 Last used: 2 hours ago Synced between")
    expect(visibleText(page(FACTS))).not.toContain("Last used")
  })

  it("has forms to rename and to remove a passkey that work without a script", () => {
    const forms = parseForms(page(FACTS))
    expect(forms.map(({ action, fields }) => ({ action, do: fields["do"], id: fields["credentialID"] }))).toEqual([
      { action: "https://app.test/auth/passkeys", do: "rename", id: "aGk=" },
      { action: "https://app.test/auth/passkeys", do: "remove", id: "aGk=" },
      { action: "https://app.test/auth/callback/passkey", do: undefined, id: undefined },
    ])
    for (const { fields } of forms) expect(fields).toMatchObject({ csrfToken: "a-token" })
    expect(forms[2]?.fields).toMatchObject({ callbackUrl: "https://app.test/auth/passkeys" })
    expect(formTags(page(FACTS)).map((form) => "hidden" in form)).toEqual([false, false, true])
  })

  it("explains that the last sign-in method can't be removed", () => {
    const html = page({ ...FACTS, canRemove: false, isLastMethod: true })
    expect(parseForms(html).map(({ fields }) => fields["do"])).toEqual(["rename", undefined])
    expect(visibleText(html)).toContain("This is your only way to sign in")
  })

  it("offers only what the adapter supports", () => {
    const html = page({ ...FACTS, canRename: false, canRemove: false })
    expect(parseForms(html).map(({ fields }) => fields["do"])).toEqual([undefined])
    expect(visibleText(html)).not.toContain("only way")
  })

  it("states that the user has no passkeys", () => {
    expect(visibleText(page())).toContain("You have no passkeys yet.")
  })

  it("passes only the displayed fields of a passkey to the view", () => {
    const record = { ...FACTS, credentialPublicKey: "a key", counter: 3 }
    expect(JSON.stringify(propsOf([record]))).not.toMatch(/a key|counter/)
  })

  it("escapes names, and generates the ids to which aria-describedby refers", () => {
    const name = `"><script>alert(1)</script>`
    const html = page({ ...FACTS, name, credentialID: name })
    expect(html).not.toContain("<script>")
    const ids = tagsOf(html).flatMap(({ attributes }) => attributes["id"] ?? [])
    const described = tagsOf(html).flatMap(({ attributes }) => attributes["aria-describedby"] ?? [])
    expect(described).toHaveLength(5)
    for (const id of described) expect(ids).toContain(id)
  })

  it("is rendered in the layout", () => {
    expect(renderSample(pages, "passkeys").html).toMatch(/<title>Your passkeys<\/title>/)
  })
})
