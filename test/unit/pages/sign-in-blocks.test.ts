import { inputProps } from "../../../lib/pages/inputs.js"
import type { ProviderProps } from "../../../lib/pages/props.js"
import { createPages } from "../../../lib/pages/render.js"
import { type ArrangeOptions, arrangeMethods } from "../../../lib/pages/sign-in-blocks.js"
import { parseForms, visibleText } from "../../support/html.js"
import { credentials, english, github, keycloak, mail, provider, signIn } from "./samples.js"

const pages = createPages({})
const write = (more: Parameters<typeof signIn>[0] = {}) => pages.render("signin", signIn(more)).html

const passkey = provider({ id: "passkey", name: "Passkey", type: "webauthn" })
const password = provider({
  ...credentials,
  inputs: inputProps("credentials", {
    email: { label: "Email address", type: "email" },
    password: { label: "Password", type: "password" },
  }),
})
const arrange = (providers: readonly ProviderProps[], more: Partial<ArrangeOptions> = {}) =>
  arrangeMethods(providers, { layout: "form-first", lastUsed: undefined, email: "", t: english.t, ...more })

/** The ids of the providers in each block. */
const ids = (...given: Parameters<typeof arrange>) =>
  arrange(...given).map((block) => {
    if (block.type === "form") return [block.credentials?.id, block.email?.id].filter(Boolean).join("+")
    return block.type === "webauthn" ? block.provider.id : block.visible.map(({ id }) => id).join(" ")
  })

describe("the order of the sign-in methods", () => {
  const all = [github, passkey, mail, keycloak, password]

  it("has the form first, then passkeys, then the OAuth providers in the configured order", () => {
    expect(ids(all)).toEqual(["credentials+email", "passkey", "github keycloak"])
    expect(ids([keycloak, passkey, github])).toEqual(["passkey", "keycloak github"])
  })

  it("keeps the configured order of several forms if no method was used before", () => {
    const pin = provider({
      ...{ id: "pin", name: "PIN", type: "credentials" },
      inputs: inputProps("pin", { pin: { label: "PIN", type: "password" } }),
    })
    expect(ids([mail, password, pin])).toEqual(["credentials+email", "pin"])
  })

  it("has the OAuth providers first with the layout providers-first", () => {
    expect(ids(all, { layout: "providers-first" })).toEqual(["github keycloak", "credentials+email", "passkey"])
  })

  it.each([
    ["keycloak", ["keycloak github", "credentials+email", "passkey"]],
    ["passkey", ["passkey", "credentials+email", "github keycloak"]],
    ["email", ["credentials+email", "passkey", "github keycloak"]],
    ["unknown", ["credentials+email", "passkey", "github keycloak"]],
  ])("has the last used method first: %s", (lastUsed, expected) => {
    expect(ids(all, { lastUsed })).toEqual(expected)
  })

  it("has the last used form first, even with the layout providers-first", () => {
    expect(ids(all, { lastUsed: "email", layout: "providers-first" })[0]).toBe("credentials+email")
  })

  it("collapses the providers after the first five, but never the last used one", () => {
    const many = Array.from({ length: 7 }, (_, i) => provider({ id: `p${i}`, name: `P${i}` }))
    const [block] = arrange(many, { lastUsed: "p6" })
    if (block?.type !== "providers") throw new Error("the first block is not of the type providers")
    expect(block.visible.map(({ id }) => id)).toEqual(["p6", "p0", "p1", "p2", "p3"])
    expect(block.collapsed.map(({ id }) => id)).toEqual(["p4", "p5"])
    const html = write({ providers: many })
    expect(html).toMatch(/<details>\s*<summary>Other ways to sign in<\/summary>[\s\S]*P5[\s\S]*P6[\s\S]*<\/details>/)
    expect(write({ providers: many.slice(0, 5) })).not.toContain("<details")
  })

  it("marks only the last used method", () => {
    const marked = (lastUsed?: string) =>
      parseForms(write({ providers: all, lastUsed })).flatMap(({ buttons }) =>
        buttons.map(({ label }) => label).filter((label) => label.endsWith("Last used")),
      )
    expect(marked("keycloak")).toEqual(["K Continue with Keycloak Last used"])
    expect(marked("email")).toEqual(["Email me a sign-in link Last used"])
    expect(marked("credentials")).toEqual(["Sign in Last used"])
    expect(marked("passkey")).toEqual(["Sign in with a passkey Last used"])
    expect(marked()).toEqual([])
  })
})

describe("the form for a password and an email", () => {
  it("has one field for the address, and the password's button first, so that Enter presses it", () => {
    const [form, ...others] = parseForms(write({ providers: [mail, password], email: "ada@app.test" }))
    expect(others).toEqual([])
    const shown = form?.inputs.filter(({ type }) => type !== "hidden") ?? []
    expect(shown.map(({ name, type }) => [name, type])).toEqual([
      ["email", "email"],
      ["password", "password"],
    ])
    expect(shown[0]?.attributes).toMatchObject({ value: "ada@app.test", autocomplete: "username", required: "" })
    expect(shown[1]?.attributes).toMatchObject({ autocomplete: "current-password", required: "" })
    expect(shown[1]?.attributes).not.toHaveProperty("value")
    expect(form?.action).toBe(password.action)
    expect(form?.buttons.map(({ label }) => label)).toEqual(["Sign in", "Email me a sign-in link"])
  })

  it("does not require a password for the button that requests an email", () => {
    const [form] = parseForms(write({ providers: [mail, password] }))
    expect(form?.buttons.map(({ attributes }) => "formnovalidate" in attributes)).toEqual([false, true])
    expect(form?.buttons[1]?.attributes).toMatchObject({ formaction: mail.action })
    expect(form?.buttons[1]?.name).toBe("")
  })

  it("sends the name of the field with the address if that is the user name field", () => {
    const [form] = parseForms(write({ providers: [mail, credentials] }))
    expect(form?.inputs.find(({ name }) => name === "username")).toMatchObject({
      type: "text",
      attributes: { inputmode: "email", autocomplete: "username" },
    })
    expect(form?.buttons[1]).toMatchObject({ name: "emailField", value: "username" })
    expect(visibleText(write({ providers: [mail, credentials] }))).toContain("Email or user name")
  })

  it("is not shared with credentials that do not begin with an address, or that have another field email", () => {
    const pin = provider({ ...credentials, inputs: inputProps("c", { pin: { type: "password" } }) })
    const two = provider({ ...credentials, inputs: inputProps("c", { username: {}, email: { type: "email" } }) })
    for (const own of [pin, two]) expect(ids([mail, own])).toEqual(["email", "credentials"])
  })

  it("links to the pages for new users and for a forgotten password if they are set", () => {
    const links = (html: string) => [...html.matchAll(/<a href="([^"]*)">([^<]*)</g)].map(([, ...rest]) => rest)
    const urls = { signUpUrl: "/sign-up", forgotPasswordUrl: "/forgot" }
    expect(links(write({ providers: [mail, password], ...urls }))).toEqual([
      ["/forgot", "Forgot password?"],
      ["/sign-up", "Create account"],
    ])
    expect(links(write({ providers: [mail], ...urls }))).toEqual([["/sign-up", "Create account"]])
    expect(links(write({ providers: [mail, password] }))).toEqual([])
  })
})
