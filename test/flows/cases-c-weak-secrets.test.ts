/**
 * SES-28: secrets that are none, too short, or no text, on everything that an application may be built of.
 *
 * @module
 */
import { Auth, authHandlers, authMiddleware, getSession } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { configOf, withEnv } from "../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { guardProcess } from "./support/guard.js"

guardProcess()

const ENVS = ["production", "development", "test"]
const BLANKS = " \t\n".repeat(20)
const MISSING = /secret: is missing and AUTH_SECRET is not set/
const SHORT = /secret: has \d+ characters, and 32 are the least/

/** As a program without types would write it. */
const configWith = (secret: unknown): AuthConfig => {
  const { secret: _, ...rest } = configOf({ trustHost: true, basePath: "/auth" })
  return { ...rest, ...(secret !== undefined && { secret }) } as AuthConfig
}

/** What stands in place of a secret, and what is said of it. */
const NONE: [string, unknown, RegExp][] = [
  ["nothing", undefined, MISSING],
  ["null", null, MISSING],
  ["an empty text", "", MISSING],
  ["blanks", BLANKS, MISSING],
  ["an empty list", [], MISSING],
  ["a list of an empty text", [""], MISSING],
  ["a list of blanks", [BLANKS, ""], MISSING],
  ["a list of what is not set", [undefined, null], MISSING],
  ["a number", 1e40, /secret: is a number/],
  ["true", true, /secret: is a boolean/],
  ["bytes", Buffer.from(TEST_SECRET), /secret: is an object/],
  ["an object", { secret: TEST_SECRET }, /secret: is an object/],
  ["a function", () => TEST_SECRET, /secret: is a function/],
  ["a symbol", Symbol("secret"), /secret: is a symbol/],
  ["a list of a number", [42], /secret\[0\]: is a number/],
  ["a number beside a good one", [42, TEST_SECRET], /secret\[0\]: is a number/],
  ["bytes beside a good one", [TEST_SECRET, Buffer.from(TEST_SECRET)], /secret\[1\]: is an object/],
  ["a list within the list", [[TEST_SECRET]], /secret\[0\]: is a list/],
]

const WEAK: [string, unknown][] = [
  ["a word", "secret"],
  ["31 characters", "x".repeat(31)],
  ["31 characters and blanks", `${"x".repeat(31)}${BLANKS}`],
  ["a good one and a word", [TEST_SECRET, "secret"]],
  ["a word and a good one", ["secret", TEST_SECRET]],
]

describeServers("SES-28: a secret", (start, stage) => {
  /** What the start says of it; of `Auth()`, which starts nowhere, what it writes of the first request. */
  async function saidOf(secret: unknown, env: Record<string, string | undefined>): Promise<string> {
    const { logger, text } = recordingLogger()
    const config = { ...configWith(secret), logger }
    const begin = () => withEnv({ AUTH_SECRET: undefined, ...env }, () => start(config))
    if (stage !== "Auth()") return begin().then(() => "", String)
    const app = await begin()
    const page = await withEnv(env, () => app.browser().get("/auth/session"))
    const body = await page.text()
    expect([page.headers.getSetCookie(), body]).toEqual([[], expect.not.stringMatching(/user|secret/)])
    if (page.status === 200) return ""
    expect(page.status).toBe(500)
    return text().replace(/\bsecret(\[\d\])? (?=is|has)/g, "secret$1: ")
  }

  it.each(NONE)("SES-28: that is %s is refused everywhere", async (_, secret, said) => {
    for (const NODE_ENV of ENVS) expect(await saidOf(secret, { NODE_ENV })).toMatch(said)
  })

  it.each(WEAK)("SES-28: of %s is refused in production", async (_, secret) => {
    expect(await saidOf(secret, { NODE_ENV: "production" })).toMatch(SHORT)
    expect(await saidOf(secret, { NODE_ENV: "development" })).toBe("")
  })

  if (stage !== "Auth()")
    it.each([
      ["blanks", BLANKS, MISSING],
      ["a word", "secret", SHORT],
      ["a word and blanks", `secret${BLANKS}`, SHORT],
    ])("SES-28: that AUTH_SECRET gives as %s is refused in production", async (_, AUTH_SECRET, said) => {
      expect(await saidOf(undefined, { NODE_ENV: "production", AUTH_SECRET })).toMatch(said)
    })

  it("SES-28: of 32 characters is taken, and so is one with a line end after it", async () => {
    for (const secret of ["x".repeat(32), `${TEST_SECRET}\n`, [TEST_SECRET, undefined]])
      expect(await saidOf(secret, { NODE_ENV: "production" })).toBe("")
  })
})

describe("SES-28: no way in has no secret", () => {
  it.each(NONE)("SES-28: not with %s", async (_, secret, said) => {
    const config = configWith(secret)
    const request = new Request("http://app.test/auth/csrf")
    await withEnv({ NODE_ENV: "production", AUTH_SECRET: undefined }, async () => {
      expect(() => authMiddleware(config)).toThrow(said)
      expect(() => authHandlers(config)).toThrow(said)
      await expect(getSession(request, config)).rejects.toThrow(said)
      expect((await Auth(request, config)).status).toBe(500)
    })
  })
})
