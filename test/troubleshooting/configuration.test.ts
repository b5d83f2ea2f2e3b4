import { getSession } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import GitHub from "../../lib/providers/github.js"
import Nodemailer from "../../lib/providers/nodemailer.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { people } from "../express/support/servers.js"
import { TEST_SECRET } from "../support/apps.js"
import { refusalOf, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

describe("the application fails at startup with the fix in the error for", () => {
  const problems: [string, Partial<AuthConfig>, { code: string; messages: RegExp[] }][] = [
    [
      "no secret",
      { secret: [] },
      { code: "secret-missing", messages: [/AUTH_SECRET is not set/, /npx latchkey secret --write/] },
    ],
    [
      "a provider without its id and secret",
      { providers: [GitHub] },
      {
        code: "provider-option-missing",
        messages: [/Set AUTH_GITHUB_ID,/, /Set AUTH_GITHUB_SECRET,/],
      },
    ],
    [
      "email links without an adapter",
      { providers: [Nodemailer({ server: "smtp://localhost", from: "site@shop.test" })] },
      { code: "adapter-missing", messages: [/providers\[0\] stores sign-in links in it/, /adapter: SqlAdapter\(/] },
    ],
    [
      "a credentials provider with database sessions",
      { session: { strategy: "database" } },
      {
        code: "strategy-unsupported",
        messages: [/session\.strategy: is "database"/, /Write \{ session: \{ strategy: "jwt" \} \}/],
      },
    ],
    [
      "passkeys without an adapter",
      { providers: [Passkey] },
      { code: "adapter-missing", messages: [/providers\[0\] stores passkeys in it/] },
    ],
    [
      "a misspelt option",
      { sesion: { strategy: "jwt" } } as Partial<AuthConfig>,
      { code: "unknown-option", messages: [/sesion/, /session/] },
    ],
    [
      "a lifetime in milliseconds",
      { session: { maxAge: 30 * 24 * 60 * 60 * 1000 } },
      { code: "option-invalid", messages: [/session\.maxAge/, /seconds/] },
    ],
  ]

  it.each(problems)("%s", (_name, config, { code, messages }) => {
    const error = refusalOf(config)
    expect(error.name).toBe("ConfigurationError")
    expect(error.message).toContain(`[${code}]`)
    expect(error.message).toContain("npx latchkey explain")
    for (const text of messages) expect(error.message).toMatch(text)
  })
})

it("getSession throws without a secret, instead of returning null", async () => {
  const request = new Request("http://app.test/", { headers: { cookie: "authjs.session-token=x" } })
  await expect(getSession(request, { providers: [people()], secret: [] })).rejects.toThrow(/AUTH_SECRET is not set/)
})

it("getSession with another secret returns null and logs an unreadable session", async () => {
  const app = await start({ config: { secret: TEST_SECRET } })
  const browser = app.browser()
  const csrfToken = await browser.csrf()
  await browser.post("/auth/callback/credentials", { csrfToken, username: "ada", password: "right" })
  expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  const config = { providers: [people()], secret: `${TEST_SECRET} of another file` }
  const headers = { cookie: browser.cookieHeader() }
  expect(await getSession(new Request(`${app.address}/me`, { headers }), config)).toBeNull()
  const [line = ""] = terminal.lines("[latchkey][error][session-unreadable]")
  expect(line).toContain("so the request is treated as signed out")
  expect(terminal.text()).toContain("keep the old one: secret: [newSecret, oldSecret]")
})

it("a provider without a name is shown by its id", async () => {
  const nameless = { ...Credentials({ authorize: () => null }), id: "staff" }
  Reflect.deleteProperty(nameless, "name")
  // The second provider is needed because a single form is labelled "Sign in".
  const app = await start({ config: { providers: [nameless, Credentials({ authorize: () => null })] } })
  const page = await app.browser().get("/auth/signin")
  expect([page.status, await textOf(page)]).toEqual([200, expect.stringContaining("staff")])
})
