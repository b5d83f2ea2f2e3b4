import { createLogger } from "../../lib/logging/logger.js"
import { redactForTrace, SignInTrace } from "../../lib/logging/trace.js"
import { recordingLogger } from "../support/recording-logger.js"
import { shortestDuration } from "../support/shortest-duration.js"

const SECRET = "a secret for the tests of traces"

function createTrace(secret = SECRET) {
  const log = recordingLogger()
  const trace = new SignInTrace(createLogger({ logger: log.logger }), secret)
  return { trace, lines: () => log.debugged.map(([line]) => String(line)) }
}

describe("redactForTrace", () => {
  it.each([
    ["alice@example.com", "a…@example.com"],
    ["to alice@example.com, bob.b+x@x.test", "to a…@example.com, b…@x.test"],
    ['{"email":"alice@example.com"}', '{"email":"a…@example.com"}'],
    ["/auth/callback?email=alice@example.com", "/auth/callback?email=a…@example.com"],
    ["postgres://app:hunter22@db.test", "postgres://app:h…@db.test"],
    ["Ada <é@example.com>", "Ada <é…@example.com>"],
    ["no @ address", "no @ address"],
    ["state=abc&x=1\nforged", "state=[masked]&x=1\\u000aforged"],
  ])("turns %j into %j", (text, expected) => {
    expect(redactForTrace(text)).toBe(expected)
  })

  it("handles a megabyte without an address in linear time", async () => {
    const duration = await shortestDuration(() => {
      redactForTrace("a".repeat(1_000_000))
      redactForTrace("a.".repeat(500_000))
    })
    expect(duration).toBeLessThan(200)
  })
})

describe("SignInTrace", () => {
  it("has the same id on both sides of a redirect, and numbers its requests and steps", () => {
    const [out, back] = [createTrace(), createTrace()]
    out.trace.identify("the state", 1)
    out.trace.write("oauth", "one")
    out.trace.write("oauth", "two")
    back.trace.identify("the state", 2)
    back.trace.write("oauth", "three")
    const id = out.lines()[0]?.split(" ")[1]
    expect([...out.lines(), ...back.lines()]).toEqual([
      `flow ${id} 1.1 one`,
      `flow ${id} 1.2 two`,
      `flow ${id} 2.1 three`,
    ])
  })

  it("buffers lines until it is identified, and keeps its first id", () => {
    const { trace, lines } = createTrace()
    trace.write("request", "first")
    trace.write("request", "second")
    expect(lines()).toEqual([])
    trace.identify("a", 1)
    trace.identify("b", 2)
    trace.flush()
    expect(lines().map((line) => line.replace(/^flow \S+ /, ""))).toEqual(["1.1 first", "1.2 second"])
  })

  it("gets a random id if it is flushed before it is identified", () => {
    const { trace, lines } = createTrace()
    trace.write("request", "refused")
    trace.flush()
    expect(lines()).toEqual([expect.stringMatching(/^flow [0-9A-Z]{4} 1\.1 refused$/)])
  })

  it("derives its id with the secret, so that a six-digit code can't be found by hashing", () => {
    const [one, other] = [createTrace(), createTrace("another secret")]
    for (const { trace } of [one, other]) {
      trace.identify("123456", 1)
      trace.write("email", "x")
    }
    expect(one.lines()).not.toEqual(other.lines())
  })
})
