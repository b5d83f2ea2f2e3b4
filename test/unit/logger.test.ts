import { inspect } from "node:util"
import { AccessDenied, AdapterError, AuthError, MissingCSRF, OAuthCallbackError } from "../../lib/errors/errors.js"
import { createLogger, type LoggerInstance } from "../../lib/logging/logger.js"
import { printable, redact } from "../../lib/logging/redact.js"
import { recordingLogger } from "../support/recording-logger.js"

const JWT = "eyJhbGciOiJkaXIifQ..abc.def-ghi_jkl.mno"

describe("printable", () => {
  it.each([
    ["plain text stays: é 日本", "plain text stays: é 日本"],
    ["two\nlines\r\n", "two\\u000alines\\u000d\\u000a"],
    ["\u001b[31mred", "\\u001b[31mred"],
    ["a\u0000b\u007fc\u009bd", "a\\u0000b\\u007fc\\u009bd"],
    ["\u2028 and \u2029", "\\u2028 and \\u2029"],
    [`token ${JWT} here`, "token [masked] here"],
    ["https://a.test/cb?code=SECRET&state=SECRET&x=1", "https://a.test/cb?code=[masked]&state=[masked]&x=1"],
    ["access_token=SECRET&id_token=SECRET", "access_token=[masked]&id_token=[masked]"],
    [
      "client_secret=SECRET code_verifier=SECRET password=SECRET",
      "client_secret=[masked] code_verifier=[masked] password=[masked]",
    ],
    ["the code is wrong", "the code is wrong"],
  ])("turns %j into %j", (text, expected) => {
    expect(printable(text)).toBe(expected)
  })
})

describe("redact", () => {
  const names =
    "clientSecret client_secret AUTH_SECRET password passwd accessToken refresh_token id_token csrfToken cookie Cookie set-cookie authorization client_assertion code_verifier credentials nonce state code key apiKey"

  it.each(names.split(" "))("masks values under the key %s", (name) => {
    expect(redact({ [name]: "S3CRET!", deep: [{ [name]: { value: "S3CRET!" } }] })).toEqual({
      [name]: "[masked]",
      deep: [{ [name]: "[masked]" }],
    })
  })

  it("keeps other values", () => {
    const date = new Date(0)
    const value = { provider: "github", status: 500, ok: true, none: null, date, list: [1, "a\nb"] }
    expect(redact(value)).toEqual({ ...value, list: [1, "a\\u000ab"] })
  })

  it("truncates long, deep and circular values", () => {
    const loop: Record<string, unknown> = {}
    loop["self"] = loop
    expect(JSON.stringify(redact(loop)).length).toBeLessThan(200)
    expect(String(redact("x".repeat(10_000))).length).toBeLessThan(600)
    expect(Object(redact(Array(1_000).fill(1)))).toHaveLength(20)
  })

  it("turns errors and functions into text, without a stack", () => {
    expect(redact({ error: new TypeError(`bad\n${JWT}`), run: () => "S3CRET!" })).toEqual({
      error: "TypeError: bad\\u000a[masked]",
      run: "[function]",
    })
  })
})

describe("createLogger", () => {
  const captureConsole = (run: () => void) => {
    const lines: string[] = []
    const spies = (["error", "warn", "log"] as const).map((name) =>
      jest
        .spyOn(console, name)
        .mockImplementation(
          (...args) => void lines.push(args.map((a) => (typeof a === "string" ? a : inspect(a))).join(" ")),
        ),
    )
    try {
      run()
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    return lines
  }

  it("writes an error with its code, type, cause, details and help command", () => {
    const error = new AdapterError("adapter.getUser failed", {
      err: new Error(`refused\n${JWT}`),
      provider: "x",
      code: "S3CRET!",
    })
    const [text = ""] = captureConsole(() => createLogger({}).error(error))
    const lines = text.split("\n")
    expect(lines.slice(0, 4)).toEqual([
      "[latchkey][error][adapter-failed] AdapterError: adapter.getUser failed",
      "[latchkey][cause] Error: refused\\u000a[masked]",
      '[latchkey][details] {"provider":"x","code":"[masked]"}',
      "[latchkey][help] npx latchkey explain adapter-failed",
    ])
    expect(lines[4]).toMatch(/^\s+at .*logger\.test/)
  })

  it("writes a failure that a client caused as a one-line warning, and any other as an error", () => {
    const logger = createLogger({})
    const lines = captureConsole(() => {
      logger.failure(new AccessDenied("callbacks.signIn refused\nFORGED", { provider: "x" }))
      logger.failure(new AuthError("ours"))
    })
    expect(lines[0]).toBe(
      '[latchkey][warn][access-denied] AccessDenied: callbacks.signIn refused\\u000aFORGED {"provider":"x"}',
    )
    expect(lines[1]).toContain("[latchkey][error][unexpected-error] AuthError: ours")
  })

  it("adds a reference to a failure of the application, and returns it", () => {
    const err = new Error("refused")
    const error = new AdapterError("adapter.getUser failed", { err, provider: "x" })
    let reference: string | undefined
    const [text] = captureConsole(() => {
      reference = createLogger({}).failure(error)
    })
    expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(text).toContain(`\n[latchkey][details] {"provider":"x","reference":"${reference}"}\n`)
    expect(error.cause).toEqual({ err, provider: "x", reference })
  })

  it("creates a new reference when the same error is logged again", () => {
    const logger = createLogger({ logger: recordingLogger().logger })
    const error = new AuthError("x")
    const first = logger.failure(error)
    expect(logger.failure(error)).not.toBe(first)
  })

  it("creates no reference for a failure that a client caused, or for a frozen error", () => {
    const log = recordingLogger()
    const logger = createLogger({ logger: log.logger })
    const denied = new AccessDenied("no")
    expect([logger.failure(denied), denied.cause]).toEqual([undefined, undefined])
    expect(logger.failure(Object.freeze(new AuthError("x")))).toBeUndefined()
    expect(log.records).toHaveLength(2)
  })

  it.each([
    ["a refusal", () => new AccessDenied("no", { provider: "x" })],
    ["a provider's failure", () => new OAuthCallbackError("no", { provider: "x" })],
  ])("SEC-07: writes %s ten times a minute, and then the number of omitted ones", (_name, create) => {
    const time = { now: Date.parse("2030-01-01T00:00:00Z") }
    const log = recordingLogger()
    const logger = createLogger({ logger: log.logger, clock: () => time.now })
    for (let i = 0; i < 1_000; i++) logger.failure(create())
    expect(log.records).toHaveLength(10)
    // Another code has a separate limit.
    logger.failure(new MissingCSRF("no"))
    expect(log.records).toHaveLength(11)
    time.now += 60_000
    const next = create()
    logger.failure(next)
    expect([log.records.length, next.cause]).toMatchObject([12, { provider: "x", omitted: 990 }])
    logger.failure(next)
    expect(next.cause).toMatchObject({ omitted: 0 })
  })

  it("SEC-07: writes every failure of the application without a limit", () => {
    const log = recordingLogger()
    const logger = createLogger({ logger: log.logger })
    for (let i = 0; i < 100; i++) logger.failure(new AdapterError("the store is down"))
    expect(log.records).toHaveLength(100)
  })

  it("keeps the cause of an error that has no details", () => {
    const log = recordingLogger()
    const error = Object.assign(new AuthError("x"), { cause: new Error("behind") })
    const reference = createLogger({ logger: log.logger }).failure(error)
    expect(error.cause).toEqual({ err: new Error("behind"), reference })
  })

  it("writes debug output only if debug is on", () => {
    expect(captureConsole(() => createLogger({}).debug("config", "step", { a: 1 }))).toEqual([])
    expect(captureConsole(() => createLogger({ debug: true }).debug("config", "step", { password: "x" }))).toEqual([
      '[latchkey][debug] step {"password":"[masked]"}',
    ])
  })

  it("calls the application's logger with masked secrets", () => {
    const log = recordingLogger()
    const logger = createLogger({ logger: log.logger })
    const denied = new AccessDenied("no")
    logger.failure(denied)
    logger.warn("csrf-disabled")
    logger.debug("config", "step", { password: "x" })
    expect(log.records.map(({ level, args }) => [level, ...args])).toEqual([
      ["warn", "access-denied", denied],
      ["warn", "csrf-disabled"],
    ])
    expect(log.debugged).toEqual([["step", { password: "[masked]" }]])
  })

  it("uses the console for the levels that the application's logger lacks", () => {
    const errors: Error[] = []
    const logger = createLogger({ logger: { error: (error: Error) => errors.push(error) } as Partial<LoggerInstance> })
    expect(captureConsole(() => logger.warn("other-host", "details"))).toEqual(["[latchkey][warn][other-host] details"])
    logger.error(new Error("x"))
    expect(errors).toHaveLength(1)
  })

  it("does not throw if the application's logger throws", () => {
    const failing = () => {
      throw new Error("the log is full")
    }
    const logger = createLogger({ logger: { error: failing, warn: failing, debug: failing } })
    expect(() => {
      logger.error(new Error("x"))
      logger.warn("other-host")
      logger.debug("config", "x", {})
      logger.failure(new AuthError("x"))
    }).not.toThrow()
  })

  it("calls the application's logger as a method", () => {
    class ClassLogger {
      readonly lines: string[] = []
      error(error: Error) {
        this.lines.push(error.message)
      }
      warn(code: string) {
        this.lines.push(code)
      }
      debug(message: string) {
        this.lines.push(message)
      }
    }
    const classLogger = new ClassLogger()
    const logger = createLogger({ logger: classLogger })
    logger.error(new Error("e"))
    logger.warn("other-host")
    logger.debug("config", "d")
    expect(classLogger.lines).toEqual(["e", "other-host", "d"])
  })
})
