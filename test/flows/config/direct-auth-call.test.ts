import { ConfigurationError, MissingAuthorize, MissingSecret } from "../../../lib/errors/errors.js"
import { Auth, authMiddleware } from "../../../lib/index.js"
import GitHub from "../../../lib/providers/github.js"
import type { AuthConfig } from "../../../lib/types.js"
import { recordingLogger, TEST_SECRET } from "../../support/apps.js"

const withRecords = (more: object = {}) => {
  const { logger, records } = recordingLogger()
  const config = { secret: TEST_SECRET, trustHost: true, logger, providers: [GitHub], ...more } as AuthConfig
  return { config, records }
}

const get = (path: string, config: AuthConfig) => Auth(new Request(`http://app.test/auth/${path}`), config)

describe("Auth() called directly", () => {
  it.each([
    ["without a client id and secret", {}, "provider-option-missing"],
    ["with a misspelled option", { sesion: {} }, "unknown-option"],
    ["with an unknown option", { wholly: "other" }, "unknown-option"],
    ["with an event that is not a function", { events: { signIn: false } }, "option-invalid"],
    ["with a function instead of callbacks", { callbacks: () => ({}) }, "option-invalid"],
  ])("serves a configuration %s, which Auth.js accepts and authMiddleware refuses", async (_name, more, loggedCode) => {
    const { config, records } = withRecords(more)
    const page = await get("signin", config)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("/auth/signin/github")])
    expect(records.map(({ code }) => code)).toContain(loggedCode)
    expect(() => authMiddleware(config)).toThrow(/clientId/)
  })

  it("logs once each problem that authMiddleware would refuse", async () => {
    const { config, records } = withRecords()
    for (const path of ["signin", "csrf", "providers"]) await get(path, config)
    const messages = records.filter(({ code }) => code === "provider-option-missing").map(({ args }) => String(args[1]))
    expect(messages).toEqual([expect.stringContaining("AUTH_GITHUB_ID"), expect.stringContaining("AUTH_GITHUB_SECRET")])
  })

  it("serves the style sheet of the error page if the secret is missing", async () => {
    const { config } = withRecords({ secret: undefined })
    const page = await Auth(new Request("http://app.test/auth/signin", { headers: { accept: "text/html" } }), config)
    const [, href = ""] = /<link rel="stylesheet" href="\/auth\/([^"]+)"/.exec(await page.text()) ?? []
    expect([page.status, (await get(href, config)).status]).toEqual([500, 200])
  })

  it.each([
    ["a secret is missing", { secret: undefined }, MissingSecret],
    [
      "authorize is missing",
      { providers: [{ id: "c", name: "C", type: "credentials", credentials: {} }] },
      MissingAuthorize,
    ],
    ["a cookie option is invalid", { cookies: { sessionToken: { options: { maxAge: 1.5 } } } }, ConfigurationError],
  ] as const)("responds with 500 if %s", async (_name, more, type: new (...args: never[]) => Error) => {
    const { config, records } = withRecords(more)
    expect((await get("session", config)).status).toBe(500)
    const logged = records.find(({ error }) => error instanceof type)?.error
    expect(logged).toMatchObject({ name: type.name, type: type.name, cause: { option: expect.any(String) } })
    if (logged instanceof ConfigurationError) expect(logged.problems).toHaveLength(1)
  })
})
