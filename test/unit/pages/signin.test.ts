import type { ProviderProps } from "../../../lib/pages/props.js"
import { createPages } from "../../../lib/pages/render.js"
import { parseForms, visibleText } from "../../support/html.js"
import { credentials, github, keycloak, mail, PAGE_NAMES, provider, renderSample, signIn, tagsOf } from "./samples.js"

const pages = createPages({})
const write = (more: Parameters<typeof signIn>[0] = {}) => pages.render("signin", signIn(more)).html
const described = (html: string) =>
  tagsOf(html)
    .filter(({ attributes }) => attributes["aria-describedby"] === "error")
    .map(({ attributes }) => attributes["name"])

const autofocused = (html: string) =>
  tagsOf(html)
    .filter(({ attributes }) => "autofocus" in attributes)
    .map(({ attributes }) => attributes["id"])

describe("the sign-in page", () => {
  it("has one form for each way to sign in, posted to where it begins", () => {
    const forms = parseForms(write())
    expect(forms.map(({ method, action }) => `${method} ${action}`)).toEqual([
      "POST https://app.test/auth/callback/credentials",
      "POST https://app.test/auth/signin/email",
      "POST https://app.test/auth/signin/github",
      "POST https://app.test/auth/signin/github",
    ])
    for (const { fields } of forms) {
      expect(fields).toMatchObject({ csrfToken: "a-token", callbackUrl: "https://app.test/me" })
    }
    expect(forms.flatMap(({ buttons }) => buttons.map(({ label }) => label))).toEqual([
      "Sign in",
      "Email me a sign-in link",
      "G Sign in with GitHub",
      "K Sign in with Keycloak",
    ])
  })

  it("leaves the callback URL to its cookie when there is none", () => {
    for (const { fields } of parseForms(write({ callbackUrl: "" }))) expect(fields).not.toHaveProperty("callbackUrl")
  })

  it("says who asks", () => {
    expect(visibleText(write())).toMatch(/^Sign in to continue to app\.test/)
  })

  it("ties a label to every input", () => {
    const tags = tagsOf(write())
    const labels = tags.filter(({ name }) => name === "label").map(({ attributes }) => attributes["for"])
    const inputs = tags.filter(({ name, attributes }) => name === "input" && attributes["type"] !== "hidden")
    expect(inputs.map(({ attributes }) => attributes["id"])).toEqual(labels)
    expect(labels).toEqual([
      "input-username-for-credentials-provider",
      "input-password-for-credentials-provider",
      "input-remember-for-credentials-provider",
      "input-email-for-email-provider",
    ])
    expect(new Set(labels).size).toBe(labels.length)
  })

  it("asks for an email address as browsers know it, with the one typed before", () => {
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

  it("names a credentials form that has a name of its own", () => {
    expect(write({ providers: [provider({ ...credentials, name: "LDAP" })] })).toContain(">Sign in with LDAP</button>")
  })

  it.each([
    ["a row of buttons", [github, keycloak], 0],
    ["a button and a form", [github, mail], 1],
    ["a form and a button", [mail, github], 1],
    ["two forms", [credentials, mail], 1],
    ["two forms and buttons", [github, credentials, keycloak, mail], 2],
    ["one form", [mail], 0],
  ])("separates %s", (_, providers, count) => {
    expect(write({ providers }).match(/<p class="or">or<\/p>/g) ?? []).toHaveLength(count)
  })

  it("begins with what is typed, then passkeys, then other sites, each in the order that is given", () => {
    const passkey = provider({ id: "passkey", name: "Passkey", type: "webauthn", action: "/passkey" })
    const order = (...providers: ProviderProps[]) => [
      ...new Set(parseForms(write({ providers })).map(({ action }) => action.replace(/.*\//, ""))),
    ]
    const other = provider({ ...keycloak, action: "/keycloak" })
    expect(order(other, passkey, github, mail, credentials)).toEqual([
      ...["email", "credentials", "passkey", "keycloak", "github"],
    ])
    expect(order(credentials, github, mail)).toEqual(["credentials", "email", "github"])
  })

  it("has one button that stands out, of the first form", () => {
    const standsOut = (...providers: ProviderProps[]) =>
      parseForms(write({ providers })).flatMap(({ buttons }) =>
        buttons.filter(({ attributes }) => attributes["class"] === "button primary").map(({ label }) => label),
      )
    expect(standsOut(github, mail, credentials)).toEqual(["Email me a sign-in link"])
    expect(standsOut(credentials, mail)).toEqual(["Sign in"])
    expect(standsOut(github, keycloak)).toEqual([])
  })

  it("lets the browser offer passkeys where a name or an address is typed", () => {
    const passkey = provider({ id: "passkey", name: "Passkey", type: "webauthn", hasAutofill: true })
    const completed = (...providers: ProviderProps[]) =>
      tagsOf(write({ providers })).flatMap(({ attributes }) => attributes["autocomplete"] ?? [])
    expect(completed(mail, credentials, passkey)).toEqual(["email webauthn", "username webauthn", "current-password"])
    expect(completed(mail, { ...passkey, hasAutofill: false })).toEqual(["email"])
  })

  it("puts the cursor into the first field, and nowhere without one", () => {
    expect(autofocused(write())).toEqual(["input-username-for-credentials-provider"])
    expect(autofocused(write({ providers: [github, mail, credentials] }))).toEqual(["input-email-for-email-provider"])
    expect(autofocused(write({ providers: [github, keycloak] }))).toEqual([])
    expect(autofocused(write({ providers: [] }))).toEqual([])
    const wrong = { error: "Wrong.", errorSubject: "credentials", providers: [mail, credentials] } as const
    expect(autofocused(write(wrong))).toEqual(["input-username-for-credentials-provider"])
    expect(autofocused(write({ ...wrong, providers: [mail] }))).toEqual(["input-email-for-email-provider"])
  })

  it("leaves the cursor to a field that the application chose", () => {
    const [first, second] = credentials.inputs
    if (!first || !second) throw new Error("the sample has fewer fields")
    const chosen = { ...second, attributes: [["autofocus", true]] as const }
    expect(autofocused(write({ providers: [mail, { ...credentials, inputs: [first, chosen] }] }))).toEqual([second.id])
  })

  it("says what is wrong with a field below it, and the field refers to it", () => {
    const write = (errorSubject: "email" | "credentials") =>
      pages.render("signin", signIn({ error: "Wrong.", errorSubject, providers: [mail, credentials] })).html
    const refused = (html: string) =>
      tagsOf(html).flatMap(({ attributes }) => (attributes["aria-invalid"] === "true" ? [attributes["name"]] : []))
    expect([described(write("email")), refused(write("email"))]).toEqual([["email"], ["email"]])
    expect(write("email")).toMatch(/name="email"[^>]*>\s*<p class="error" id="error" role="alert">Wrong\.<\/p>/)
    const both = ["username", "password"]
    expect([described(write("credentials")), refused(write("credentials"))]).toEqual([both, both])
    expect(write("credentials")).toMatch(/name="password"[^>]*>\s*<p class="error" id="error" role="alert">/)
    for (const html of [write("email"), write("credentials")]) expect(html.match(/Wrong\./g)).toHaveLength(1)
  })

  it("says above the forms what is about none of them, or about one of several", () => {
    const other = provider({ ...credentials, id: "ldap", name: "LDAP" })
    for (const html of [
      write({ error: "Try again." }),
      write({ error: "Try again.", errorSubject: "credentials", providers: [credentials, other] }),
    ]) {
      expect(html).toContain('<p class="alert" id="error" role="alert">Try again.</p>')
      expect(html.indexOf('role="alert"')).toBeLessThan(html.indexOf("<form"))
      expect(described(html)).toEqual(["username"])
      expect(html).not.toContain("aria-invalid")
    }
    expect(write()).not.toMatch(/role="alert"|aria-describedby|aria-invalid/)
  })

  it("has what went wrong read aloud where there is no field to begin with", () => {
    const html = write({ error: "Try again.", providers: [github] })
    expect(html).toContain('<p class="alert" id="error" role="alert" tabindex="-1" autofocus>')
  })

  it("keeps what the application says of a field beside what went wrong with it", () => {
    const [first] = credentials.inputs
    if (!first) throw new Error("the sample has no fields")
    const inputs = [{ ...first, attributes: [["aria-describedby", "hint"]] as const }]
    const html = write({ error: "Wrong.", errorSubject: "credentials", providers: [{ ...credentials, inputs }] })
    expect(html).toContain('aria-describedby="hint error"')
  })

  it("shows a logo where one is given, else the first letter, which is not read aloud", () => {
    const html = write({ providers: [{ ...github, logo: "/github.svg" }, keycloak] })
    expect(html).toContain('<img class="mark" src="/github.svg" alt="" width="24" height="24">')
    expect(html).toContain('<span class="mark initial" aria-hidden="true">K</span>')
    expect(html).not.toContain(">G<")
  })

  it("does not look broken without a provider", () => {
    expect(visibleText(write({ providers: [] }))).toContain("No way to sign in")
  })
})

describe("the other pages", () => {
  it("ask before they sign out", () => {
    const { html } = renderSample(pages, "signout")
    const [form] = parseForms(html)
    expect(form).toMatchObject({
      method: "POST",
      action: "https://app.test/auth/signout",
      fields: { csrfToken: "a-token", callbackUrl: "https://app.test/" },
    })
    expect(tagsOf(html)).toContainEqual({ name: "a", attributes: { class: "button", href: "https://app.test" } })
  })

  it("say what went wrong, and offer to sign in only where that helps", () => {
    const text = (offersSignIn: boolean) => visibleText(renderSample(pages, "error", { offersSignIn }).html)
    expect(text(true)).toBe("A heading A message Sign in Go to app.test")
    expect(text(false)).toBe("A heading A message Go to app.test")
  })

  it("do without the host where it is not trusted", () => {
    const texts = PAGE_NAMES.map((name) => visibleText(renderSample(pages, name, { host: "", homeUrl: "/" }).html))
    expect(texts).toEqual([
      expect.stringMatching(/^Sign in User name /),
      "Sign out Do you want to sign out? Sign out Stay signed in",
      "A heading A message Sign in Go to the front page",
      expect.stringMatching(/Go to the front page$/),
      expect.stringMatching(/^Sign in Do you want to sign in as ada@example.com \?/),
      expect.stringMatching(/^You're signed in .* removed: GitHub Passkey If one of them .* Continue$/),
      "Continue You are being taken to id.test. If nothing happens, choose “Continue”. Continue",
    ])
  })

  it("say that a mail is on its way", () => {
    expect(visibleText(renderSample(pages, "verify-request").html)).toMatch(/^Check your email .* Go to app\.test$/)
  })
})
