/**
 * SES-28: every entry point refuses secrets that are missing, too short, or not strings.
 *
 * @module
 */
import { Auth, authHandlers, authMiddleware, getSession } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, withEnv } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const ENVS = ["production", "development", "test"]
const BLANKS = " \t\n".repeat(20)
const MISSING = /secret: is missing and AUTH_SECRET is not set/
const SHORT = /secret: has \d+ characters, but needs at least 32/

/** A configuration as in JavaScript, without types. */
const configWith = (secret: unknown): AuthConfig => {
  const { secret: _, ...rest } = configOf({ trustHost: true, basePath: "/auth" })
  return { ...rest, ...(secret !== undefined && { secret }) } as AuthConfig
}

/** Invalid secrets and the error messages. */
const INVALID: [string, unknown, RegExp][] = [
  ["undefined", undefined, MISSING],
  ["null", null, MISSING],
  ["an empty string", "", MISSING],
  ["blanks", BLANKS, MISSING],
  ["an empty list", [], MISSING],
  ["a list with an empty string", [""], MISSING],
  ["a list of blanks", [BLANKS, ""], MISSING],
  ["a list of undefined and null", [undefined, null], MISSING],
  ["a number", 1e40, /secret: is a number/],
  ["true", true, /secret: is a boolean/],
  ["bytes", Buffer.from(TEST_SECRET), /secret: is an object/],
  ["an object", { secret: TEST_SECRET }, /secret: is an object/],
  ["a function", () => TEST_SECRET, /secret: is a function/],
  ["a symbol", Symbol("secret"), /secret: is a symbol/],
  ["a list with a number", [42], /secret\[0\]: is a number/],
  ["a number beside a valid secret", [42, TEST_SECRET], /secret\[0\]: is a number/],
  ["bytes beside a valid secret", [TEST_SECRET, Buffer.from(TEST_SECRET)], /secret\[1\]: is an object/],
  ["a nested list", [[TEST_SECRET]], /secret\[0\]: is a list/],
]

const WEAK: [string, unknown][] = [
  ["a word", "secret"],
  ["31 characters", "x".repeat(31)],
  ["31 characters and blanks", `${"x".repeat(31)}${BLANKS}`],
  ["a valid secret and a word", [TEST_SECRET, "secret"]],
  ["a word and a valid secret", ["secret", TEST_SECRET]],
]

describeServers("SES-28: the secret", (start, stage) => {
  /** Returns the error at start-up, or for `Auth()`, which has no start-up, the log of the first request. */
  async function errorFor(secret: unknown, env: Record<string, string | undefined>): Promise<string> {
    const { logger, text } = recordingLogger()
    const config = { ...configWith(secret), logger }
    const startWith = () => withEnv({ AUTH_SECRET: undefined, ...env }, () => start(config))
    if (stage !== "Auth()") return startWith().then(() => "", String)
    const app = await startWith()
    const page = await withEnv(env, () => app.browser().get("/auth/session"))
    const body = await page.text()
    expect([page.headers.getSetCookie(), body]).toEqual([[], expect.not.stringMatching(/user|secret/)])
    if (page.status === 200) return ""
    expect(page.status).toBe(500)
    return text().replace(/\bsecret(\[\d\])? (?=is|has)/g, "secret$1: ")
  }

  it.each(INVALID)("SES-28: is refused in every environment if it is %s", async (_, secret, message) => {
    for (const NODE_ENV of ENVS) expect(await errorFor(secret, { NODE_ENV })).toMatch(message)
  })

  it.each(WEAK)("SES-28: is refused in production if it is %s", async (_, secret) => {
    expect(await errorFor(secret, { NODE_ENV: "production" })).toMatch(SHORT)
    expect(await errorFor(secret, { NODE_ENV: "development" })).toBe("")
  })

  if (stage !== "Auth()")
    it.each([
      ["blanks", BLANKS, MISSING],
      ["a word", "secret", SHORT],
      ["a word and blanks", `secret${BLANKS}`, SHORT],
    ])("SES-28: is refused in production if AUTH_SECRET is %s", async (_, AUTH_SECRET, message) => {
      expect(await errorFor(undefined, { NODE_ENV: "production", AUTH_SECRET })).toMatch(message)
    })

  it("SES-28: is accepted with 32 characters, and with a trailing line break", async () => {
    for (const secret of ["x".repeat(32), `${TEST_SECRET}\n`, [TEST_SECRET, undefined]])
      expect(await errorFor(secret, { NODE_ENV: "production" })).toBe("")
  })
})

describe("SES-28: every entry point", () => {
  it.each(INVALID)("SES-28: refuses a secret that is %s", async (_, secret, message) => {
    const config = configWith(secret)
    const request = new Request("http://app.test/auth/csrf")
    await withEnv({ NODE_ENV: "production", AUTH_SECRET: undefined }, async () => {
      expect(() => authMiddleware(config)).toThrow(message)
      expect(() => authHandlers(config)).toThrow(message)
      await expect(getSession(request, config)).rejects.toThrow(message)
      expect((await Auth(request, config)).status).toBe(500)
    })
  })
})
