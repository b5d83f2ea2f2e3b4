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

describe("the application does not start, and says what to write, with", () => {
  const mistakes: [string, Partial<AuthConfig>, { code: string; says: RegExp[] }][] = [
    [
      "1: no secret",
      { secret: [] },
      { code: "secret-missing", says: [/AUTH_SECRET is not set/, /npx latchkey secret --write/] },
    ],
    [
      "2b: a provider without its id and secret",
      { providers: [GitHub] },
      { code: "client-id-missing", says: [/Set AUTH_GITHUB_ID,/, /Set AUTH_GITHUB_SECRET,/, /client-secret-missing/] },
    ],
    [
      "4: links by e-mail without an adapter",
      { providers: [Nodemailer({ server: "smtp://localhost", from: "site@shop.test" })] },
      { code: "adapter-missing", says: [/providers\[0\] keeps links in it/, /adapter: SqlAdapter\(/] },
    ],
    [
      "7: passwords with database sessions, and no adapter",
      { session: { strategy: "database" } },
      { code: "strategy-unsupported", says: [/session\.strategy: is "database"/, /Write \{ strategy: "jwt" \}/] },
    ],
    [
      "11: passkeys without an adapter",
      { providers: [Passkey] },
      { code: "adapter-missing", says: [/providers\[0\] keeps passkeys in it/] },
    ],
    [
      "a misspelt option",
      { sesion: { strategy: "jwt" } } as Partial<AuthConfig>,
      { code: "option-misspelt", says: [/sesion/, /session/] },
    ],
    [
      "times in milliseconds",
      { session: { maxAge: 30 * 24 * 60 * 60 * 1000 } },
      { code: "number-out-of-range", says: [/session\.maxAge/, /seconds/] },
    ],
  ]

  it.each(mistakes)("%s", (_name, config, { code, says }) => {
    const error = refusalOf(config)
    expect(error.name).toBe("ConfigurationError")
    expect(error.message).toContain(`[${code}]`)
    expect(error.message).toContain("npx latchkey explain")
    for (const text of says) expect(error.message).toMatch(text)
  })
})

it("1b: no secret, and only the session is asked for: says the same, in place of 'signed out'", async () => {
  const request = new Request("http://app.test/", { headers: { cookie: "authjs.session-token=x" } })
  await expect(getSession(request, { providers: [people()], secret: [] })).rejects.toThrow(/AUTH_SECRET is not set/)
})

it("8: another secret where the session is read: can't be, for the configuration comes with the request", async () => {
  const app = await start({ config: { secret: TEST_SECRET } })
  const browser = app.browser()
  const csrfToken = await browser.csrf()
  await browser.post("/auth/callback/credentials", { csrfToken, username: "ada", password: "right" })
  expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  const config = { providers: [people()], secret: `${TEST_SECRET} of another file` }
  const headers = { cookie: browser.cookieHeader() }
  expect(await getSession(new Request(`${app.address}/me`, { headers }), config)).toBeNull()
  const [line = ""] = terminal.lines("[latchkey][error][session-unreadable]")
  expect(line).toContain("its bearer is signed out")
  expect(terminal.text()).toContain("keep the old one: secret: [newSecret, oldSecret]")
})

it("a provider without a name: is shown by its id", async () => {
  const nameless = { ...Credentials({ authorize: () => null }), id: "staff" }
  Reflect.deleteProperty(nameless, "name")
  const app = await start({ config: { providers: [nameless] } })
  const page = await app.browser().get("/auth/signin")
  expect([page.status, await textOf(page)]).toEqual([200, expect.stringContaining("staff")])
})
