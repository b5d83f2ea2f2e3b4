import { inputProps } from "../../../lib/pages/inputs.js"
import type { ProviderProps } from "../../../lib/pages/props.js"
import { createPages } from "../../../lib/pages/render.js"
import { parseForms, visibleText } from "../../support/html.js"
import { credentials, github, keycloak, mail, PAGE_NAMES, provider, renderSample, signIn, tagsOf } from "./samples.js"

const pages = createPages({})
const passkey = provider({ id: "passkey", name: "Passkey", type: "webauthn", action: "/passkey", hasAutofill: true })
/** Credentials that do not ask for a name. */
const pin = provider({
  ...{ id: "pin", name: "PIN", type: "credentials", action: "/auth/callback/pin" },
  inputs: inputProps("pin", { pin: { label: "PIN", type: "password" } }),
})
const write = (more: Parameters<typeof signIn>[0] = {}) => pages.render("signin", signIn(more)).html
const describedFields = (html: string) =>
  tagsOf(html)
    .filter(({ attributes }) => attributes["aria-describedby"] === "error")
    .map(({ attributes }) => attributes["name"])

const autofocused = (html: string) =>
  tagsOf(html)
    .filter(({ attributes }) => "autofocus" in attributes)
    .map(({ attributes }) => attributes["id"])

describe("the sign-in page", () => {
  it("has one form for a password and an email, and one for the OAuth providers, with a URL for each button", () => {
    const forms = parseForms(write())
    for (const { fields, method } of forms) {
      expect(fields).toMatchObject({ csrfToken: "a-token", callbackUrl: "https://app.test/me" })
      expect(method).toBe("POST")
    }
    const buttons = forms.map(({ action, buttons }) =>
      buttons.map(({ label, attributes }) => [label, attributes["formaction"] ?? action]),
    )
    expect(buttons).toEqual([
      [
        ["Sign in", "https://app.test/auth/callback/credentials"],
        ["Email me a sign-in link", "https://app.test/auth/signin/email"],
      ],
      [
        ["G Continue with GitHub", "https://app.test/auth/signin/github"],
        ["K Continue with Keycloak", "https://app.test/auth/signin/github"],
      ],
    ])
  })

  it("omits the callback URL if it is empty", () => {
    for (const { fields } of parseForms(write({ callbackUrl: "" }))) expect(fields).not.toHaveProperty("callbackUrl")
  })

  it("names the site", () => {
    expect(visibleText(write())).toMatch(/^Sign in to continue to app\.test/)
  })

  it("names the site with the theme's name, and keeps the host in small print", () => {
    const text = visibleText(write({ siteName: "Acme", providers: [mail] }))
    expect(text).toMatch(/^Sign in to continue to Acme /)
    expect(text).toMatch(/ app\.test$/)
    expect(write()).not.toContain('class="site"')
  })

  it("has a label for every input", () => {
    const tags = tagsOf(write())
    const labels = tags.filter(({ name }) => name === "label").map(({ attributes }) => attributes["for"])
    const inputs = tags.filter(({ name, attributes }) => name === "input" && attributes["type"] !== "hidden")
    expect(inputs.map(({ attributes }) => attributes["id"])).toEqual(labels)
    expect(labels).toEqual([
      "input-username-for-credentials-provider",
      "input-password-for-credentials-provider",
      "input-remember-for-credentials-provider",
    ])
    expect(new Set(labels).size).toBe(labels.length)
  })

  it("has an email field with the previous value", () => {
    const [form] = parseForms(write({ providers: [mail], email: "me@app.test" }))
    expect(form?.inputs.find(({ name }) => name === "email")).toMatchObject({
      type: "email",
      value: "me@app.test",
      attributes: { required: "", autocomplete: "email", autofocus: "", id: "input-email-for-email-provider" },
    })
  })

  it("writes the attributes of a credentials form", () => {
    const [form] = parseForms(write({ providers: [credentials] }))
    expect(form?.inputs.find(({ name }) => name === "username")?.attributes).toMatchObject({
      required: "",
      autocomplete: "username",
    })
    expect(form?.fields).toMatchObject({ tenant: "acme" })
  })

  it("shows the name of a credentials provider only if there are several", () => {
    const labels = (...names: string[]) =>
      parseForms(write({ providers: names.map((name) => ({ ...credentials, id: name, name })) })).flatMap(
        ({ buttons }) => buttons.map(({ label }) => label),
      )
    expect(labels("Password")).toEqual(["Sign in"])
    expect(labels("LDAP", "Password")).toEqual(["Continue with LDAP", "Continue with Password"])
  })

  it('labels a button "Sign in with" if the brand rules of the provider require it', () => {
    expect(visibleText(write({ providers: [{ ...keycloak, label: "sign-in" }] }))).toMatch(/Sign in with Keycloak$/)
  })

  it.each<[string, ProviderProps[], number]>([
    ["a row of buttons", [github, keycloak], 0],
    ["a button and a form", [github, mail], 1],
    ["a form and a button", [mail, github], 1],
    ["a password and an email", [credentials, mail], 0],
    ["two forms", [pin, mail], 1],
    ["every method", [github, credentials, keycloak, mail, passkey], 1],
    ["one form", [mail], 0],
  ])("separates the methods: %s", (_, providers, count) => {
    expect(write({ providers }).match(/<p class="or">or<\/p>/g) ?? []).toHaveLength(count)
  })

  it("has one primary button, the first one of the page", () => {
    const primaryButtons = (...providers: ProviderProps[]) =>
      parseForms(write({ providers })).flatMap(({ buttons }) =>
        buttons.filter(({ attributes }) => attributes["class"]?.includes("primary")).map(({ label }) => label),
      )
    expect(primaryButtons(github, mail, credentials)).toEqual(["Sign in"])
    expect(primaryButtons(pin)).toEqual(["Sign in"])
    expect(primaryButtons(mail, pin)).toEqual(["Email me a sign-in link"])
    expect(primaryButtons(github, passkey)).toEqual(["Sign in with a passkey"])
    expect(primaryButtons(github, keycloak)).toEqual([])
  })

  it("lets the browser offer passkeys in fields for a name or an email address", () => {
    const completed = (...providers: ProviderProps[]) =>
      tagsOf(write({ providers })).flatMap(({ attributes }) => attributes["autocomplete"] ?? [])
    expect(completed(mail, credentials, passkey)).toEqual(["username webauthn", "current-password"])
    expect(completed(mail, passkey)).toEqual(["email webauthn"])
    expect(completed(mail, { ...passkey, hasAutofill: false })).toEqual(["email"])
  })

  it("focuses the first field if its method comes first, or the field that the error is about", () => {
    expect(autofocused(write())).toEqual(["input-username-for-credentials-provider"])
    expect(autofocused(write({ providers: [github, mail] }))).toEqual(["input-email-for-email-provider"])
    expect(autofocused(write({ providers: [github, mail], layout: "providers-first" }))).toEqual([])
    expect(autofocused(write({ providers: [github, keycloak] }))).toEqual([])
    expect(autofocused(write({ providers: [] }))).toEqual([])
    const wrong = { error: "Wrong.", errorSubject: "credentials", providers: [mail, pin] } as const
    expect(autofocused(write(wrong))).toEqual(["input-pin-for-pin-provider"])
    expect(autofocused(write({ ...wrong, layout: "providers-first" }))).toEqual(["input-pin-for-pin-provider"])
    expect(autofocused(write({ ...wrong, providers: [mail] }))).toEqual(["input-email-for-email-provider"])
  })

  it("focuses only the field for which the application sets autofocus", () => {
    const [first, second] = credentials.inputs
    if (!first || !second) throw new Error("the sample has fewer fields")
    const chosen = { ...second, attributes: [["autofocus", true]] as const }
    expect(autofocused(write({ providers: [mail, { ...credentials, inputs: [first, chosen] }] }))).toEqual([second.id])
  })

  it("shows an error below its field, and refers to it by aria-describedby", () => {
    const show = (errorSubject: "email" | "credentials") =>
      pages.render("signin", signIn({ error: "Wrong.", errorSubject, providers: [mail, credentials] })).html
    const invalidFields = (html: string) =>
      tagsOf(html).flatMap(({ attributes }) => (attributes["aria-invalid"] === "true" ? [attributes["name"]] : []))
    expect([describedFields(show("email")), invalidFields(show("email"))]).toEqual([["username"], ["username"]])
    expect(show("email")).toMatch(/name="username"[^>]*>\s*<p class="error" id="error" role="alert">Wrong\.<\/p>/)
    const both = ["username", "password"]
    expect([describedFields(show("credentials")), invalidFields(show("credentials"))]).toEqual([both, both])
    expect(show("credentials")).toMatch(/name="password"[^>]*>\s*<p class="error" id="error" role="alert">/)
    for (const html of [show("email"), show("credentials")]) expect(html.match(/Wrong\./g)).toHaveLength(1)
  })

  it("shows an error above the forms if it is about no field or about one of several forms", () => {
    const other = provider({ ...credentials, id: "ldap", name: "LDAP" })
    for (const html of [
      write({ error: "Try again." }),
      write({ error: "Try again.", errorSubject: "credentials", providers: [credentials, other] }),
    ]) {
      expect(html).toContain('<p class="alert" id="error" role="alert">Try again.</p>')
      expect(html.indexOf('role="alert"')).toBeLessThan(html.indexOf("<form"))
      expect(describedFields(html)).toEqual(["username"])
      expect(html).not.toContain("aria-invalid")
    }
    expect(write()).not.toMatch(/role="alert"|aria-describedby|aria-invalid/)
  })

  it("focuses the error if there is no field, so that screen readers announce it", () => {
    const html = write({ error: "Try again.", providers: [github] })
    expect(html).toContain('<p class="alert" id="error" role="alert" tabindex="-1" autofocus>')
  })

  it("keeps the application's aria-describedby beside the error", () => {
    const [first] = credentials.inputs
    if (!first) throw new Error("the sample has no fields")
    const inputs = [{ ...first, attributes: [["aria-describedby", "hint"]] as const }]
    const html = write({ error: "Wrong.", errorSubject: "credentials", providers: [{ ...credentials, inputs }] })
    expect(html).toContain('aria-describedby="hint error"')
  })

  it("shows the logo, or the first letter, which is hidden from screen readers", () => {
    const html = write({ providers: [{ ...github, logo: "/github.svg" }, keycloak] })
    expect(html).toContain('<img class="mark" src="/github.svg" alt="" width="24" height="24">')
    expect(html).toContain('<span class="mark initial" aria-hidden="true">K</span>')
    expect(html).not.toContain(">G<")
  })

  it("shows a message if there are no providers", () => {
    expect(visibleText(write({ providers: [] }))).toContain("No way to sign in")
  })
})

describe("the other pages", () => {
  it("the sign-out page asks for confirmation", () => {
    const { html } = renderSample(pages, "signout")
    const [form] = parseForms(html)
    expect(form).toMatchObject({
      method: "POST",
      action: "https://app.test/auth/signout",
      fields: { csrfToken: "a-token", callbackUrl: "https://app.test/" },
    })
    expect(tagsOf(html)).toContainEqual({ name: "a", attributes: { class: "button", href: "https://app.test" } })
  })

  it("the error page offers to try again only if offersSignIn is true", () => {
    const text = (offersSignIn: boolean) => visibleText(renderSample(pages, "error", { offersSignIn }).html)
    expect(text(true)).toBe("A heading A message Try again Go to app.test")
    expect(text(false)).toBe("A heading A message Go to app.test")
  })

  it("omit the host if it is not trusted", () => {
    const texts = PAGE_NAMES.map((name) =>
      visibleText(renderSample(pages, name, { host: "", siteName: "", homeUrl: "/" }).html),
    )
    expect(texts).toEqual([
      expect.stringMatching(/^Sign in Email or user name /),
      "Sign out Do you want to sign out? Sign out Stay signed in",
      "A heading A message Try again Go to the front page",
      expect.stringMatching(/^Check your email .* Wrong address\?$/),
      expect.stringMatching(/^Sign in Do you want to sign in as ada@example.com \?/),
      expect.stringMatching(/^You're signed in .* removed: GitHub Passkey If one of them .* Continue$/),
      "Continue You are being taken to id.test. If nothing happens, choose “Continue”. Continue",
    ])
  })

  it("the verify-request page shows the address of the email only in the browser that requested it", () => {
    const elsewhere = { email: "", codeAction: "", error: undefined }
    const [own, other] = [{}, elsewhere].map((more) => renderSample(pages, "verify-request", more).html)
    expect(visibleText(own ?? "")).toMatch(
      /^Check your email .* to ada@example\.com .* Code from the email .* Send again/,
    )
    expect(visibleText(other ?? "")).toMatch(
      /^Check your email A sign-in link is on its way to you\. .* Go to app\.test$/,
    )
    expect(parseForms(other ?? "")).toEqual([])
  })
})

describe("the choice to stay signed in on the sign-in page", () => {
  const password = provider({ ...credentials, inputs: credentials.inputs.filter(({ name }) => name !== "remember") })
  /** Returns the last path segment of the action of each form that has the checkbox. */
  const askingForms = (providers: readonly ProviderProps[], remember: boolean | undefined = false) =>
    parseForms(write({ providers, remember }))
      .filter(({ inputs }) => inputs.some(({ name, type }) => name === "remember" && type === "checkbox"))
      .map(({ action }) => action.replace(/.*\//, ""))

  it.each<[string, readonly ProviderProps[], readonly string[]]>([
    [
      "once in each form with fields, and once for all OAuth providers",
      [github, keycloak, mail, password],
      ["credentials", "github"],
    ],
    ["once in a form", [password], ["credentials"]],
    ["once for buttons", [github, keycloak], ["github"]],
    ["once if a form precedes the passkeys, whose script copies the choice", [passkey, mail], ["email"]],
    ["once with passkeys only", [passkey], ["passkey"]],
    ["only by the application's own field of that name", [credentials], ["credentials"]],
  ])("is offered %s", (_title, providers, expected) => {
    expect(askingForms(providers)).toEqual(expected)
    expect(
      tagsOf(write({ providers, remember: false })).filter(({ attributes }) => attributes["name"] === "remember"),
    ).toHaveLength(expected.length)
  })

  it("is not offered unless session.remember asks for it", () => {
    expect(write({ providers: [github, mail, password, passkey] })).not.toContain("remember")
  })

  it("is sent with the button of each provider", () => {
    const html = write({ providers: [github, { ...keycloak, action: "/signin/keycloak" }], remember: false })
    const [shared] = parseForms(html)
    expect(shared?.inputs.map(({ name }) => name)).toEqual(["csrfToken", "callbackUrl", "remember"])
    expect(shared?.buttons.map(({ attributes }) => attributes["formaction"])).toEqual([
      "https://app.test/auth/signin/github",
      "/signin/keycloak",
    ])
  })

  it("has a label, and is checked if it was checked before", () => {
    const boxes = (remember: boolean) =>
      parseForms(write({ providers: [mail, github], remember })).map(({ fields }) => fields["remember"])
    expect([boxes(false), boxes(true)]).toEqual([
      [undefined, undefined],
      ["true", "true"],
    ])
    expect(visibleText(write({ providers: [mail], remember: false }))).toContain("Stay signed in")
  })
})
