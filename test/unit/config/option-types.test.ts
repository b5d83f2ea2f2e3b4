import { describeProblem } from "../../../lib/errors/errors.js"
import { authMiddleware } from "../../../lib/express/middleware.js"
import Credentials from "../../../lib/providers/credentials.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../lib/types.js"
import { TEST_SECRET } from "../../support/apps.js"

const valid = {
  providers: [Credentials({ credentials: {}, authorize: () => null })],
  secret: TEST_SECRET,
  logger: { error() {}, warn() {}, debug() {} },
}

// The types forbid these values, but JavaScript allows them.
const problemsOf = (over: object, env = {}) =>
  createRuntime({ ...valid, ...over } as AuthConfig, env).problems.map(describeProblem)

describe("createRuntime reports options of the wrong type", () => {
  const secrets = "Write a string of 32 random characters or more, or a list of such strings"
  it.each([
    [{ secret: 42 }, `secret is a number. ${secrets}`],
    [{ secret: { old: "x" } }, `secret is an object. ${secrets}`],
    [{ jwt: { secret: true } }, `jwt.secret is a boolean. ${secrets}`],
    [{ secret: [TEST_SECRET, 42] }, "secret[1] is a number. Write a string of 32 random characters or more"],
    [{ secret: [[TEST_SECRET], TEST_SECRET] }, "secret[0] is a list. Write a string of 32 random characters or more"],
    [{ jwt: { secret: [{}] } }, "jwt.secret[0] is an object. Write a string of 32 random characters or more"],
    [{ basePath: 5 }, 'basePath is a number. Write a path: "/auth"'],
    [{ prefix: ["/auth"] }, 'prefix is a list. Write a path: "/auth"'],
    [{ views: {} }, 'views is an object. Write the path of a folder: "./views/auth"'],
    [{ redirectProxyOrigins: 5 }, 'redirectProxyOrigins is a number. Write a list: ["https://*.example.com"]'],
    [{ clock: 5 }, "clock is a number. Write a function: () => Date.now()"],
    [
      { providers: [undefined] },
      "providers[0] is undefined. Write a provider. To include one conditionally, spread it: [GitHub, ...(isOn ? [Google] : [])]",
    ],
    [
      { providers: [valid.providers[0], false] },
      "providers[1] is false. Write a provider. To include one conditionally, spread it: [GitHub, ...(isOn ? [Google] : [])]",
    ],
    [
      { cookies: { sessionToken: { name: 5 } } },
      'cookies.sessionToken.name is 5. Write letters, digits, ".", "_" and "-"',
    ],
  ])("reports %j", (over, problem) => {
    expect(problemsOf(over)).toEqual([problem])
  })

  it("reports invalid providers even if the secret is missing", () => {
    const problems = problemsOf({ providers: [null, "github"], secret: undefined })
    expect(problems.map((problem) => problem.split(".")[0])).toEqual([
      "providers[0] is null",
      "providers[1] is a string",
      expect.stringMatching(/^secret is missing/),
    ])
  })

  it("reports wrong types in the same error as all other problems", () => {
    const start = () => authMiddleware({ ...valid, basePath: 5, secret: 5, session: { maxAge: -1 } } as never)
    expect(start).toThrow(/secret: is a number.*basePath: is a number.*session\.maxAge: is -1/s)
  })

  it("treats null as undefined", () => {
    const nothing = { secret: null, basePath: null, prefix: null, views: null, redirectProxyOrigins: null, clock: null }
    expect(problemsOf({ ...nothing, jwt: { secret: null } }, { AUTH_SECRET: TEST_SECRET })).toEqual([])
    expect(problemsOf({ secret: [TEST_SECRET, undefined, null] })).toEqual([])
  })
})
