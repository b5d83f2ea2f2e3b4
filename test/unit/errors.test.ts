import { inspect } from "node:util"
import { runInNewContext } from "node:vm"
import * as AuthJs from "@auth/core/errors"
import { coded } from "../../lib/errors/error-codes.js"
import * as errors from "../../lib/errors/errors.js"

const { AuthError, CredentialsSignin, asAuthError, asError, ERRORS, isError } = errors

const classes = Object.values(errors).filter(
  (value): value is typeof AuthError =>
    Object.prototype.isPrototypeOf.call(AuthError, value) && value !== errors.SignInError,
)

describe("every error class", () => {
  it("is exported once for each type, under the name of the type", () => {
    const names = [AuthError, ...classes].map(({ name, type }) => [name, type])
    expect(names.map(([name]) => name)).toEqual(names.map(([, type]) => type))
    expect(names.map(([name]) => name).sort()).toEqual(Object.keys(ERRORS).sort())
  })

  it.each(classes.filter(({ type }) => type !== "ConfigurationError").map((one) => [one.name, one] as const))(
    "%s has the page, status, level and stack of its type",
    (name, One) => {
      const error = new One("what happened", { provider: "github" })
      const { page, status, level } = ERRORS[One.type]
      expect(error).toMatchObject({ name, type: name, kind: page, status, level, expose: status < 500 })
      expect([error.message, error.cause]).toEqual(["what happened", { provider: "github" }])
      expect(error.stack).toContain("errors.test.ts")
    },
  )

  it.each(["AccessDenied", "CredentialsSignin", "MissingCSRF", "OAuthAccountNotLinked", "Verification"])(
    "%s has the same kind as in Auth.js",
    (name) => {
      const Theirs = Reflect.get(AuthJs, name) as new () => { type: string; kind: string }
      const Ours = Reflect.get(errors, name) as typeof AuthError
      const [theirs, ours] = [new Theirs(), new Ours()]
      expect([ours.type, ours.kind]).toEqual([theirs.type, theirs.kind])
    },
  )
})

describe("the AuthError constructor", () => {
  const inner = new Error("the cause")
  it.each([
    ["no arguments", [], "", undefined],
    ["a message", ["m"], "m", undefined],
    ["an error", [inner], "the cause", { err: inner }],
    ["details", [{ provider: "x" }], "", { provider: "x" }],
    ["a message and an error", ["m", inner], "m", { err: inner }],
    ["a message and details", ["m", { provider: "x", err: inner }], "m", { provider: "x", err: inner }],
    ["an error and details", [inner, { provider: "x" }], "the cause", { err: inner, provider: "x" }],
    ["a message and the options of Error", ["m", { cause: inner }], "m", { err: inner }],
    ["a message and details as the cause", ["m", { cause: { provider: "x" } }], "m", { provider: "x" }],
    ["a message and a string as the cause", ["m", { cause: "down" }], "m", { cause: "down" }],
    [
      "an error and the options of Error",
      [inner, { cause: { provider: "x" } }],
      "the cause",
      { err: inner, provider: "x" },
    ],
  ] as [string, ConstructorParameters<typeof AuthError>, string, unknown][])(
    "accepts %s",
    (_name, args, message, cause) => {
      const error = new AuthError(...args)
      expect([error.message, error.cause]).toEqual([message, cause])
    },
  )
})

describe("instanceof", () => {
  class Locked extends CredentialsSignin {
    override code = "locked"
  }
  class Twice extends Locked {}

  it("recognises subclasses of the application", () => {
    const [plain, locked, twice] = [new CredentialsSignin(), new Locked(), new Twice()]
    const classesOf = (value: unknown) =>
      [AuthError, CredentialsSignin, Locked, Twice].map((One) => value instanceof One)
    expect(classesOf(plain)).toEqual([true, true, false, false])
    expect(classesOf(locked)).toEqual([true, true, true, false])
    expect(classesOf(twice)).toEqual([true, true, true, true])
    expect(locked).toMatchObject({ type: "CredentialsSignin", name: "Locked", code: "locked", status: 401 })
  })

  it("tells sibling classes apart, and is false for values that are not an AuthError", () => {
    expect(new errors.MissingCSRF() instanceof errors.AccessDenied).toBe(false)
    expect(new AuthError() instanceof errors.AccessDenied).toBe(false)
    for (const value of [null, undefined, "x", {}, new Error("x"), { type: "AuthError" }])
      expect((value as unknown) instanceof AuthError).toBe(false)
  })

  it("works across two copies of the package", () => {
    let copy = errors
    jest.isolateModules(() => {
      copy = require("../../lib/errors/errors.js")
    })
    expect(copy.AuthError).not.toBe(AuthError)
    const theirs = new copy.AccessDenied("m")
    expect([theirs instanceof AuthError, theirs instanceof errors.AccessDenied]).toEqual([true, true])
    expect(theirs instanceof errors.MissingCSRF).toBe(false)
    expect(new Locked() instanceof copy.CredentialsSignin).toBe(true)
    expect(asAuthError(theirs)).toBe(theirs)
  })

  it("recognises the errors of the sign-in page as SignInError, as Auth.js does", () => {
    const signInErrors = classes.filter((One) => Object.prototype.isPrototypeOf.call(errors.SignInError, One))
    for (const One of signInErrors)
      expect([One.name, new One() instanceof errors.SignInError]).toEqual([One.name, true])
    expect(signInErrors.map(({ name }) => name)).toContain("CredentialsSignin")
    expect(new errors.AccessDenied() instanceof errors.SignInError).toBe(false)
  })

  it("does not print the brand of the class", () => {
    expect(Object.keys(new AuthError("m"))).not.toContain("latchkey.error")
    expect(JSON.stringify(new CredentialsSignin("m"))).not.toContain("brand")
  })
})

describe("asAuthError", () => {
  it("converts an Auth.js error by its type", () => {
    const theirs = new AuthJs.CredentialsSignin()
    theirs.code = "custom"
    expect(asAuthError(theirs)).toMatchObject({
      type: "CredentialsSignin",
      status: 401,
      kind: "signIn",
      code: "custom",
    })
    expect(asAuthError(new AuthJs.AccessDenied())).toMatchObject({ type: "AccessDenied", status: 403, level: "warn" })
  })

  it("returns an instance of the class of the type", () => {
    const credentials = asAuthError(new AuthJs.CredentialsSignin())
    expect([credentials instanceof CredentialsSignin, credentials instanceof errors.SignInError]).toEqual([true, true])
    expect(asAuthError(new AuthJs.MissingSecret())).toBeInstanceOf(errors.MissingSecret)
  })

  it.each([
    new Error("x"),
    Object.assign(new Error("x"), { type: "toString" }),
    Object.assign(new Error("x"), { type: 1 }),
  ])("returns undefined for %p", (error) => {
    expect(asAuthError(error)).toBeUndefined()
  })

  it.each([null, undefined, "text", { type: "AccessDenied" }])(
    "returns undefined for %p, which is not an error",
    (value) => {
      expect(asAuthError(value)).toBeUndefined()
    },
  )
})

it.each([null, undefined, "text", 1, {}])("asError turns %p into an Error that does not show the value", (value) => {
  expect(asError(value)).toBeInstanceOf(Error)
  expect(asError(value).message).toBe(`a ${typeof value} was thrown, not an Error`)
})

it("ConfigurationError lists its problems with their codes and the command that explains them", () => {
  const problems = [
    errors.configProblem("secret-missing", "secret", "is missing", "Set it"),
    errors.configProblem("option-invalid", "basePath", "is odd", "Remove it"),
  ]
  const several = new errors.ConfigurationError(problems)
  expect(several.message.split("\n")).toEqual([
    "latchkey can't start, because its configuration has 2 problems:",
    "  1. secret: is missing. Set it [secret-missing]",
    "  2. basePath: is odd. Remove it [option-invalid]",
    "For an explanation run: npx latchkey explain secret-missing option-invalid",
  ])
  expect(several.messageCode).toBe("configuration-invalid")
  expect(several.problems).toBe(problems)
  expect(inspect(several).match(/option-invalid/g)).toHaveLength(2)
  const one = new errors.ConfigurationError(problems.slice(0, 1))
  expect(one.message).toContain("has one problem:")
  expect(one.messageCode).toBe("secret-missing")
})

it("configProblem uses the error type of its code, or ConfigurationError", () => {
  expect(errors.configProblem("secret-missing", "secret", "is missing", "Set it").type).toBe("MissingSecret")
  expect(errors.configProblem("option-invalid", "basePath", "is odd", "Remove it").type).toBe("ConfigurationError")
})

it("an error has the messageCode of its type unless coded() sets a more specific one", () => {
  expect(new errors.InvalidCheck("x").messageCode).toBe("flow-cookie-missing")
  expect(coded("flow-finished", new errors.InvalidCheck("x"))).toMatchObject({
    type: "InvalidCheck",
    messageCode: "flow-finished",
  })
  expect(asAuthError(new AuthJs.AccessDenied())?.messageCode).toBe("access-denied")
})

it("an error has the code, status and level of its type unless its details set others", () => {
  const details = { messageCode: "request-timed-out", status: 503, level: "error" } as const
  expect(new errors.BadRequest("x", {}, details)).toMatchObject({ ...details, type: "BadRequest", expose: false })
  expect(new errors.BadRequest("x", {}, { status: 413 })).toMatchObject({
    ...{ messageCode: "bad-request", status: 413, level: "warn", expose: true },
  })
})

it("asError keeps the message of an error-like value from a driver", () => {
  const thrown = { message: "UNIQUE constraint failed", stack: "at x" }
  expect(asError(thrown)).toMatchObject({ message: thrown.message, cause: thrown })
  expect(isError(thrown)).toBe(false)
  expect(isError(runInNewContext("new TypeError('x')"))).toBe(true)
})

describe("an AuthError as JSON", () => {
  const inner = Object.assign(new Error("refused: password=hunter2", { cause: new Error("socket closed") }), {
    ...{ code: "EREFUSED", password: "hunter2", query: { hash: "hunter2" } },
  })
  const error = new errors.CallbackRouteError("authorize failed", {
    err: inner,
    provider: "x",
    clientSecret: "hunter2",
  })

  it("has the messages of all causes and no secret", () => {
    const json = JSON.parse(JSON.stringify(error))
    expect(json).toEqual({
      ...{ name: "CallbackRouteError", type: "CallbackRouteError", messageCode: "callback-failed", status: 500 },
      message: "authorize failed",
      cause: {
        ...{ provider: "x", clientSecret: "[masked]" },
        err: {
          ...{ name: "Error", code: "EREFUSED", message: "refused: password=[masked]" },
          cause: { name: "Error", message: "socket closed" },
        },
      },
    })
  })

  it("has the stacks of the causes", () => {
    const cause = JSON.parse(JSON.stringify(error.cause))
    expect(cause.err.stack).toMatch(/^Error: refused: password=\[masked\]\n {4}at /)
  })

  it("is finite if the causes are circular", () => {
    const loop: Error & { cause?: unknown } = new Error("loop")
    loop.cause = loop
    expect(JSON.stringify(new AuthError("m", loop)).match(/"loop"/g)?.length).toBeLessThan(10)
  })
})
