/** The form fields that identify the account whose attempts are counted. The client cannot choose these fields. */
import Credentials from "../../../lib/providers/credentials.js"
import { configOf } from "../../express/support/servers.js"
import { describeServer, describeServers, recordingLogger } from "../../support/apps.js"
import { attempt, attempts, type Fields, providerReading, times } from "../support/attempts.js"
import { guardProcess } from "../support/guard.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const TEN_ALLOWED = [...times(10, () => 302), 429, 429]

/** An application that converts its declared fields to strings without checking their type. */
const providerDeclaring = (...fields: string[]) =>
  Credentials({
    credentials: { ...Object.fromEntries(fields.map((field) => [field, {}])), password: { type: "password" } },
    authorize: (credentials: Fields) => {
      const name = String(credentials[fields[0] ?? ""])
      return credentials["password"] === `right of ${name}` ? { id: name } : null
    },
  })

describeServers("CRD-01: attempts with a name that is not readable text", (start) => {
  it.each<[string, unknown]>([
    ["a list", ["ada"]],
    ["a list in a list", [["ada"]]],
    ["an object", { name: "ada" }],
    ["an empty list", []],
    ["an invisible character", "\u200b"],
  ])("are limited: %s, with another email each time", async (_name, username) => {
    const app = await start(configOf({ providers: [providerDeclaring("username", "email")] }))
    expect(
      await attempts(
        app,
        times(12, (i) => ({ username, email: `x${i}@app.test` })),
      ),
    ).toEqual(TEN_ALLOWED)
  })

  it("do not lock out users who send strings", async () => {
    const app = await start(configOf({ providers: [providerDeclaring("username", "email")] }))
    await attempts(
      app,
      times(12, (i) => ({ username: ["ada"], email: `x${i}@app.test` })),
    )
    const browser = app.browser()
    await attempt(browser, { username: "ada", email: "", password: "right of ada" })
    expect(await sessionOf(browser)).not.toBeNull()
    expect(await attempt(app.browser(), { username: 7, email: null, phone: true })).toBe(302)
  })
})

describeServer("CRD-01: the limit on attempts", "Auth()", (start) => {
  it.each([
    ...["name", "Nick", "nickname", "nick_name", "screenName", "alias", "mail", "id", "uid", "upn", "tel", "mobile"],
    ...["mobileNumber", "member", "member_id", "memberNo", "customer", "customerNumber", "cardNumber", "employee-id"],
  ])("applies to the undeclared field %s, even if the client adds a new name each time", async (field) => {
    const app = await start(configOf({ providers: [providerReading([field])] }))
    expect(
      await attempts(
        app,
        times(12, (i) => ({ [field]: "ada", user: `x${i}` })),
      ),
    ).toEqual(TEN_ALLOWED)
  })

  it.each(["user_password", "userPin", "login_code", "loginToken", "accountSecret", "phone_otp", "emailPasscode"])(
    "applies without declared fields if the guessed secret is in %s",
    async (field) => {
      const app = await start(configOf({ providers: [providerReading(["username"])] }))
      expect(
        await attempts(
          app,
          times(12, (i) => ({ username: "ada", [field]: `${i}` })),
        ),
      ).toEqual(TEN_ALLOWED)
    },
  )

  it("applies to the only declared field, regardless of its name", async () => {
    const app = await start(configOf({ providers: [providerDeclaring("kennung")] }))
    expect(
      await attempts(
        app,
        times(12, () => ({ kennung: "ada" })),
      ),
    ).toEqual(TEN_ALLOWED)
  })

  it.each<[string, Fields]>([
    ["a checkbox", { remember: "on", rememberMe: "true", remember_me: 1 }],
    ["a tenant", { tenant: "acme", tenant_id: "7", tenantName: "Acme", organization: "acme" }],
    ["technical fields of the page", { client_id: "web", device_id: "x", form_id: "1", formname: "login" }],
    [
      "a type or method",
      { user_type: "staff", accountType: "staff", login_method: "password", userAgent: "Mozilla/5.0" },
    ],
    ["a locale or country", { phone_country: "DE", user_locale: "de", userTimezone: "Europe/Berlin" }],
    ["fields of the protocol", { callbackUrl: "/", json: "true", redirect: "false" }],
  ])("does not lock out users at one IP address who share %s", async (_what, shared) => {
    const app = await start(configOf({ providers: [providerReading(["username"])], rateLimit: { attempts: 3 } }))
    const users = times(9, (i) => ({ ...shared, username: `user-${i}` }))
    expect(await attempts(app, users)).toEqual(users.map(() => 302))
  })
})

describeServer("The warning about unidentified accounts", "Auth()", (start) => {
  async function warningsAfter(forms: Fields[], provider = providerReading(["username"]), rateLimit = {}) {
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ providers: [provider], logger, rateLimit }))
    await attempts(app, forms)
    return records.filter(({ code }) => code === "credentials-undeclared").map(({ args }) => String(args[1]))
  }

  it("is logged once, with the options to set, if no field identifies an account", async () => {
    const fields = { kennung: "S3CRET!", tenant: "acme" }
    const warnings = await warningsAfter([fields, fields])
    expect(warnings).toEqual([
      expect.stringMatching(/`credentials`.*`rateLimit.account`.*npx latchkey explain credentials-undeclared/),
    ])
    expect(warnings[0]).not.toContain("S3CRET!")
  })

  it("is not logged for an empty identifying field, and is still logged for a later form without one", async () => {
    expect(await warningsAfter([{ email: "" }])).toEqual([])
    expect(await warningsAfter([{ email: "" }, { kennung: "ada" }])).toHaveLength(1)
  })

  it("is not logged for common field names, a declared field, rateLimit.account or rateLimit: false", async () => {
    const usual = {
      username: "ada",
      remember: "on",
      otp: "1",
      json: "true",
      redirect: "false",
      callbackUrl: "/",
      lang: "de",
    }
    expect(await warningsAfter([usual, { ...usual, email: "" }])).toEqual([])
    const unusual = { kennung: "ada", tenant: "acme" }
    expect(await warningsAfter([unusual], providerDeclaring("kennung"))).toEqual([])
    const account = ({ kennung }: Fields) => String(kennung)
    expect(await warningsAfter([unusual], providerReading(["kennung"]), { account })).toEqual([])
    expect(await warningsAfter([unusual], providerReading(["kennung"]), false as never)).toEqual([])
  })
})
