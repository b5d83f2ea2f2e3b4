/** By which fields of a form the attempts on one account are counted, whatever a client sends. */
import Credentials from "../../lib/providers/credentials.js"
import { configOf } from "../express/support/servers.js"
import { describeServer, describeServers, recordingLogger } from "../support/apps.js"
import { attempt, attempts, type Fields, reading, times } from "./support/attempts.js"
import { guardProcess } from "./support/guard.js"
import { sessionOf } from "./support/site.js"

guardProcess()

const TEN = [...times(10, () => 302), 429, 429]

/** An application that takes for text whatever comes, in fields that it has declared. */
const declaring = (...fields: string[]) =>
  Credentials({
    credentials: { ...Object.fromEntries(fields.map((field) => [field, {}])), password: { type: "password" } },
    authorize: (credentials: Fields) => {
      const name = String(credentials[fields[0] ?? ""])
      return credentials["password"] === `right of ${name}` ? { id: name } : null
    },
  })

describeServers("CRD-01: a name that is no text", (start) => {
  it.each<[string, unknown]>([
    ["a list", ["ada"]],
    ["a list in a list", [["ada"]]],
    ["an object", { name: "ada" }],
    ["an empty list", []],
    ["what nobody sees", "\u200b"],
  ])("is counted: %s, beside a name that is another each time", async (_name, username) => {
    const app = await start(configOf({ providers: [declaring("username", "email")] }))
    expect(
      await attempts(
        app,
        times(12, (i) => ({ username, email: `x${i}@app.test` })),
      ),
    ).toEqual(TEN)
  })

  it("keeps nobody out who sends text", async () => {
    const app = await start(configOf({ providers: [declaring("username", "email")] }))
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

describeServer("CRD-01: a form whose fields are not declared", "Auth()", (start) => {
  it.each([
    ...["name", "Nick", "nickname", "nick_name", "screenName", "alias", "mail", "id", "uid", "upn", "tel", "mobile"],
    ...["mobileNumber", "member", "member_id", "memberNo", "customer", "customerNumber", "cardNumber", "employee-id"],
  ])("is limited by %s, though a client adds another name each time", async (field) => {
    const app = await start(configOf({ providers: [reading([field])] }))
    expect(
      await attempts(
        app,
        times(12, (i) => ({ [field]: "ada", user: `x${i}` })),
      ),
    ).toEqual(TEN)
  })

  it.each(["user_password", "userPin", "login_code", "loginToken", "accountSecret", "phone_otp", "emailPasscode"])(
    "is limited where the guess is in %s",
    async (field) => {
      const app = await start(configOf({ providers: [reading(["username"])] }))
      expect(
        await attempts(
          app,
          times(12, (i) => ({ username: "ada", [field]: `${i}` })),
        ),
      ).toEqual(TEN)
    },
  )

  it("is limited by its only declared field, whatever its name", async () => {
    const app = await start(configOf({ providers: [declaring("kennung")] }))
    expect(
      await attempts(
        app,
        times(12, () => ({ kennung: "ada" })),
      ),
    ).toEqual(TEN)
  })

  it.each<[string, Fields]>([
    ["a box that is ticked", { remember: "on", rememberMe: "true", remember_me: 1 }],
    ["a tenant", { tenant: "acme", tenant_id: "7", tenantName: "Acme", organization: "acme" }],
    ["what their page sends along", { client_id: "web", device_id: "x", form_id: "1", formname: "login" }],
    ["a kind", { user_type: "staff", accountType: "staff", login_method: "password", userAgent: "Mozilla/5.0" }],
    ["where they are", { phone_country: "DE", user_locale: "de", userTimezone: "Europe/Berlin" }],
    ["what the protocol has", { callbackUrl: "/", json: "true", redirect: "false" }],
  ])("locks nobody out who shares %s with people at the same address", async (_what, shared) => {
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { attempts: 3 } }))
    const people = times(9, (i) => ({ ...shared, username: `person-${i}` }))
    expect(await attempts(app, people)).toEqual(people.map(() => 302))
  })
})

describeServer("What a form says of whose account it is", "Auth()", (start) => {
  async function warningsAfter(forms: Fields[], provider = reading(["username"]), rateLimit = {}) {
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ providers: [provider], logger, rateLimit }))
    await attempts(app, forms)
    return records.filter(({ code }) => code === "credentials-undeclared").map(({ args }) => String(args[1]))
  }

  it("is asked once, with what to write, where no field identifies an account", async () => {
    const fields = { kennung: "S3CRET!", tenant: "acme" }
    const told = await warningsAfter([fields, fields])
    expect(told).toEqual([
      expect.stringMatching(/`credentials`.*`rateLimit.account`.*npx latchkey explain credentials-undeclared/),
    ])
    expect(told[0]).not.toContain("S3CRET!")
  })

  it("is not asked where the usual fields come, nor where the application has said it", async () => {
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
    expect(await warningsAfter([unusual], declaring("kennung"))).toEqual([])
    const account = ({ kennung }: Fields) => String(kennung)
    expect(await warningsAfter([unusual], reading(["kennung"]), { account })).toEqual([])
    expect(await warningsAfter([unusual], reading(["kennung"]), false as never)).toEqual([])
  })
})
