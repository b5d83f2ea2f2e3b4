import * as errors from "../../lib/errors.js"
import { Auth, authMiddleware } from "../../lib/index.js"
import GitHub from "../../lib/providers/github.js"
import type { AuthConfig } from "../../lib/types.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"

const configOf = (more: object = {}) => {
  const { logger, records } = recordingLogger()
  const config = { secret: TEST_SECRET, trustHost: true, logger, providers: [GitHub], ...more } as AuthConfig
  return { config, records }
}

const ask = (path: string, config: AuthConfig) => Auth(new Request(`http://app.test/auth/${path}`), config)

describe("Auth() called directly", () => {
  it.each([
    ["without a client id and secret", {}, "client-id-missing"],
    ["with a misspelt option", { sesion: {} }, "option-misspelt"],
    ["with an option that is none", { wholly: "other" }, "unknown-option"],
    ["with an event that is no function", { events: { signIn: false } }, "option-kind-wrong"],
    ["with callbacks in a function", { callbacks: () => ({}) }, "option-kind-wrong"],
  ])("serves what the contract does not refuse: a configuration %s", async (_name, more, told) => {
    const { config, records } = configOf(more)
    const page = await ask("signin", config)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("/auth/signin/github")])
    expect(records.map(({ code }) => code)).toContain(told)
    expect(() => authMiddleware(config)).toThrow(/clientId/)
  })

  it("names to the operator what the middleware would refuse, once", async () => {
    const { config, records } = configOf()
    for (const path of ["signin", "csrf", "providers"]) await ask(path, config)
    const told = records.filter(({ code }) => /^client-/.test(code ?? "")).map(({ args }) => String(args[1]))
    expect(told).toEqual([expect.stringContaining("AUTH_GITHUB_ID"), expect.stringContaining("AUTH_GITHUB_SECRET")])
  })

  it("has the style sheet of the page that says so when a secret is missing", async () => {
    const { config } = configOf({ secret: undefined })
    const page = await Auth(new Request("http://app.test/auth/signin", { headers: { accept: "text/html" } }), config)
    const [, href = ""] = /<link rel="stylesheet" href="\/auth\/([^"]+)"/.exec(await page.text()) ?? []
    expect([page.status, (await ask(href, config)).status]).toEqual([500, 200])
  })

  it.each([
    ["a secret is missing", { secret: undefined }, "MissingSecret"],
    [
      "authorize is missing",
      { providers: [{ id: "c", name: "C", type: "credentials", credentials: {} }] },
      "MissingAuthorize",
    ],
    ["a cookie can't be written", { cookies: { sessionToken: { options: { maxAge: 1.5 } } } }, "ConfigurationError"],
  ] as const)("answers 500 when %s", async (_name, more, type) => {
    const { config, records } = configOf(more)
    expect((await ask("session", config)).status).toBe(500)
    const logged = records.find(({ error }) => error instanceof errors[type])?.error
    expect(logged).toMatchObject({ name: type, type, cause: { option: expect.any(String) } })
    if (logged instanceof errors.ConfigurationError) expect(logged.problems).toHaveLength(1)
  })
})
