import { allText, recordingLogger } from "../../support/recording-logger.js"

class Refused extends Error {
  readonly type = "CallbackRouteError"
  readonly #hidden = "unreachable"
  reveal = () => this.#hidden
}

describe("recordingLogger", () => {
  it("records level, code, error and all arguments", () => {
    const { logger, records, debugged } = recordingLogger()
    const error = new Refused("no")
    logger.error(error)
    logger.warn("env-url", error)
    logger.debug("step", { a: 1 })
    expect(records).toEqual([
      { level: "error", code: "CallbackRouteError", error, args: [error] },
      { level: "warn", code: "CallbackRouteError", error, args: ["env-url", error] },
    ])
    expect(debugged).toEqual([["step", { a: 1 }]])
  })

  it("finds text deep in causes and metadata", () => {
    const { logger, text } = recordingLogger()
    const circle: Record<string, unknown> = { deep: { a: { b: { c: { d: { e: { f: { g: "in-object" } } } } } } } }
    circle["self"] = circle
    const cause = Object.assign(new Error("in-cause"), { metadata: circle })
    Object.defineProperty(cause, "quiet", { value: "not-enumerable", enumerable: false })
    logger.error(new Error("outer", { cause: { err: cause } }))
    logger.debug("x", {
      [Symbol("in-symbol")]: new Map([["key", new Set(["in-map"])]]),
      headers: new Headers({ authorization: "in-headers" }),
      response: new Response(null, { headers: { location: "in-response" } }),
      url: new URL("http://a.test/?code=in-url"),
      bytes: Buffer.from("in-bytes"),
      "in-key": `quotes " and \\ stay`,
    })
    const all = text()
    const places = ["object", "cause", "symbol", "map", "headers", "response", "url", "bytes", "key"]
    for (const place of places) expect(all).toContain(`in-${place}`)
    for (const other of ["not-enumerable", `quotes " and \\ stay`, "recording-logger.test.ts"])
      expect(all).toContain(other)
  })

  it("does not include memory next to a buffer", () => {
    const pool = Buffer.from("mine, and a neighbour's secret")
    expect(allText({ part: pool.subarray(0, 4) })).not.toContain("secret")
  })
})
