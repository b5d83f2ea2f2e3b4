import { inspect } from "node:util"
import { runInNewContext } from "node:vm"
import * as AuthJs from "@auth/core/errors"
import { coded } from "../../lib/error-codes.js"
import * as errors from "../../lib/errors.js"

const { AuthError, CredentialsSignin, asAuthError, asError, ERRORS, isError } = errors

const classes = Object.values(errors).filter(
  (value): value is typeof AuthError =>
    Object.prototype.isPrototypeOf.call(AuthError, value) && value !== errors.SignInError,
)

describe("every class of error", () => {
  it("is there: one for each type, under its name", () => {
    const names = [AuthError, ...classes].map(({ name, type }) => [name, type])
    expect(names.map(([name]) => name)).toEqual(names.map(([, type]) => type))
    expect(names.map(([name]) => name).sort()).toEqual(Object.keys(ERRORS).sort())
  })

  it.each(classes.filter(({ type }) => type !== "ConfigurationError").map((one) => [one.name, one] as const))(
    "%s says what it is",
    (name, One) => {
      const error = new One("what happened", { provider: "github" })
      const { page, status, level } = ERRORS[One.type]
      expect(error).toMatchObject({ name, type: name, kind: page, status, level, expose: status < 500 })
      expect([error.message, error.cause]).toEqual(["what happened", { provider: "github" }])
      expect(error.stack).toContain("errors.test.ts")
    },
  )

  it.each(["AccessDenied", "CredentialsSignin", "MissingCSRF", "OAuthAccountNotLinked", "Verification"])(
    "%s has the kind that Auth.js gives it",
    (name) => {
      const Theirs = Reflect.get(AuthJs, name) as new () => { type: string; kind: string }
      const Ours = Reflect.get(errors, name) as typeof AuthError
      const [theirs, ours] = [new Theirs(), new Ours()]
      expect([ours.type, ours.kind]).toEqual([theirs.type, theirs.kind])
    },
  )
})

describe("an error's arguments", () => {
  const behind = new Error("behind it")
  it.each([
    ["nothing", [], "", undefined],
    ["a message", ["m"], "m", undefined],
    ["an error", [behind], "behind it", { err: behind }],
    ["facts", [{ provider: "x" }], "", { provider: "x" }],
    ["a message and an error", ["m", behind], "m", { err: behind }],
    ["a message and facts", ["m", { provider: "x", err: behind }], "m", { provider: "x", err: behind }],
    ["an error and facts", [behind, { provider: "x" }], "behind it", { err: behind, provider: "x" }],
    ["a message and the options of Error", ["m", { cause: behind }], "m", { err: behind }],
    ["a message and facts in those options", ["m", { cause: { provider: "x" } }], "m", { provider: "x" }],
    ["a message and a text as the cause", ["m", { cause: "down" }], "m", { cause: "down" }],
    [
      "an error and the options of Error",
      [behind, { cause: { provider: "x" } }],
      "behind it",
      { err: behind, provider: "x" },
    ],
  ] as [string, ConstructorParameters<typeof AuthError>, string, unknown][])(
    "may be %s",
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

  it("follows subclasses of the application's own", () => {
    const [plain, locked, twice] = [new CredentialsSignin(), new Locked(), new Twice()]
    const classesOf = (value: unknown) =>
      [AuthError, CredentialsSignin, Locked, Twice].map((One) => value instanceof One)
    expect(classesOf(plain)).toEqual([true, true, false, false])
    expect(classesOf(locked)).toEqual([true, true, true, false])
    expect(classesOf(twice)).toEqual([true, true, true, true])
    expect(locked).toMatchObject({ type: "CredentialsSignin", name: "Locked", code: "locked", status: 401 })
  })

  it("tells siblings apart, and takes nothing else for ours", () => {
    expect(new errors.MissingCSRF() instanceof errors.AccessDenied).toBe(false)
    expect(new AuthError() instanceof errors.AccessDenied).toBe(false)
    for (const value of [null, undefined, "x", {}, new Error("x"), { type: "AuthError" }])
      expect((value as unknown) instanceof AuthError).toBe(false)
  })

  it("holds across two copies of the package", () => {
    let copy = errors
    jest.isolateModules(() => {
      copy = require("../../lib/errors.js")
    })
    expect(copy.AuthError).not.toBe(AuthError)
    const theirs = new copy.AccessDenied("m")
    expect([theirs instanceof AuthError, theirs instanceof errors.AccessDenied]).toEqual([true, true])
    expect(theirs instanceof errors.MissingCSRF).toBe(false)
    expect(new Locked() instanceof copy.CredentialsSignin).toBe(true)
    expect(asAuthError(theirs)).toBe(theirs)
  })

  it("knows what the sign-in page shows, as Auth.js does", () => {
    const shown = classes.filter((One) => Object.prototype.isPrototypeOf.call(errors.SignInError, One))
    for (const One of shown) expect([One.name, new One() instanceof errors.SignInError]).toEqual([One.name, true])
    expect(shown.map(({ name }) => name)).toContain("CredentialsSignin")
    expect(new errors.AccessDenied() instanceof errors.SignInError).toBe(false)
  })

  it("leaves the brand out of what is printed", () => {
    expect(Object.keys(new AuthError("m"))).not.toContain("latchkey.error")
    expect(JSON.stringify(new CredentialsSignin("m"))).not.toContain("brand")
  })
})

describe("asAuthError", () => {
  it("recognises an error of Auth.js by its type", () => {
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

  it("makes an instance of the class of that type", () => {
    const credentials = asAuthError(new AuthJs.CredentialsSignin())
    expect([credentials instanceof CredentialsSignin, credentials instanceof errors.SignInError]).toEqual([true, true])
    expect(asAuthError(new AuthJs.MissingSecret())).toBeInstanceOf(errors.MissingSecret)
  })

  it.each([
    new Error("x"),
    Object.assign(new Error("x"), { type: "toString" }),
    Object.assign(new Error("x"), { type: 1 }),
  ])("gives nothing for %p", (error) => {
    expect(asAuthError(error)).toBeUndefined()
  })

  it.each([null, undefined, "text", { type: "AccessDenied" }])("gives nothing for %p, which is no error", (value) => {
    expect(asAuthError(value)).toBeUndefined()
  })
})

it.each([null, undefined, "text", 1, {}])(
  "asError makes an Error of %p, and tells nothing of what is in it",
  (value) => {
    expect(asError(value)).toBeInstanceOf(Error)
    expect(asError(value).message).toBe(`a ${typeof value} was thrown, not an Error`)
  },
)

it("ConfigurationError lists its problems in its message, with their codes and where more of them stands", () => {
  const problems = [
    errors.configProblem("secret-missing", "secret", "is missing"),
    errors.configProblem("base-path-invalid", "basePath", "is odd"),
  ]
  const several = new errors.ConfigurationError(problems)
  expect(several.message.split("\n")).toEqual([
    "latchkey can't start, its configuration has 2 problems:",
    "  1. secret: is missing [secret-missing]",
    "  2. basePath: is odd [base-path-invalid]",
    "npx latchkey explain secret-missing base-path-invalid says more.",
  ])
  expect(several.messageCode).toBe("configuration-invalid")
  expect(several.problems).toBe(problems)
  expect(inspect(several).match(/base-path-invalid/g)).toHaveLength(2)
  const one = new errors.ConfigurationError(problems.slice(0, 1))
  expect(one.message).toContain("has one problem:")
  expect(one.messageCode).toBe("secret-missing")
})

it("gives a problem the type whose code it has, and else that of the whole list", () => {
  expect(errors.configProblem("secret-missing", "secret", "is missing").type).toBe("MissingSecret")
  expect(errors.configProblem("base-path-invalid", "basePath", "is odd").type).toBe("ConfigurationError")
})

it("gives an error the code of its type, and keeps a finer one", () => {
  expect(new errors.InvalidCheck("x").messageCode).toBe("flow-cookie-missing")
  expect(coded("flow-finished", new errors.InvalidCheck("x"))).toMatchObject({
    type: "InvalidCheck",
    messageCode: "flow-finished",
  })
  expect(asAuthError(new AuthJs.AccessDenied())?.messageCode).toBe("access-denied")
})

it("keeps what a driver says whose class of errors is its own", () => {
  const thrown = { message: "UNIQUE constraint failed", stack: "at x" }
  expect(asError(thrown)).toMatchObject({ message: thrown.message, cause: thrown })
  expect(isError(thrown)).toBe(false)
  expect(isError(runInNewContext("new TypeError('x')"))).toBe(true)
})

describe("an error as JSON", () => {
  const behind = Object.assign(new Error("refused: password=hunter2", { cause: new Error("socket closed") }), {
    ...{ code: "EREFUSED", password: "hunter2", query: { hash: "hunter2" } },
  })
  const error = new errors.CallbackRouteError("authorize failed", {
    err: behind,
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

  it("has the stacks of the causes where a logger writes the error itself", () => {
    const cause = JSON.parse(JSON.stringify(error.cause))
    expect(cause.err.stack).toMatch(/^Error: refused: password=\[masked\]\n {4}at /)
  })

  it("ends where causes lead back to themselves", () => {
    const loop: Error & { cause?: unknown } = new Error("loop")
    loop.cause = loop
    expect(JSON.stringify(new AuthError("m", loop)).match(/"loop"/g)?.length).toBeLessThan(10)
  })
})
