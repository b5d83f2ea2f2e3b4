/**
 * FLT-18, FLT-20 and FLT-21 on every server: accepted and refused request bodies. Bodies that were parsed before the
 * middleware are tested in `test/express/bodies.test.ts`.
 *
 * @module
 */
import { once } from "node:events"
import { connect } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { Auth } from "../../../lib/index.js"
import { type Attempt, configOf, people } from "../../express/support/servers.js"
import { describeServers, type RunningApp, recordingLogger, type StageName } from "../../support/apps.js"
import type { Visit } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const CALLBACK = "/auth/callback/credentials"
const JSON_TYPE = { "content-type": "application/json" }
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" }
const bytes = (...parts: (string | number[])[]) => new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))))

type Refusal = readonly [what: string, status: number, init: Visit]
const json = (what: string, body: Visit["body"], status = 400): Refusal => [
  what,
  status,
  { headers: JSON_TYPE, ...(body !== undefined && { body }) },
]
const typed = (type: string): Refusal => [type, 415, { headers: { "content-type": type }, body: "a=1" }]
const packed = (encoding: string, body: Uint8Array<ArrayBuffer>): Refusal => [
  `${body.length} bytes of ${encoding}`,
  415,
  { headers: { ...FORM_TYPE, "content-encoding": encoding }, body },
]

const TOO_LARGE: readonly Refusal[] = [
  ["200 kB of a form", 413, { body: new URLSearchParams({ a: "x".repeat(200_000) }) }],
  json("200 kB of JSON", JSON.stringify({ a: "x".repeat(200_000) }), 413),
  ["64 kB and a byte", 413, { headers: FORM_TYPE, body: `a=${"x".repeat(65_535)}` }],
  [
    "100 kB of an unknown type",
    413,
    { headers: { "content-type": "application/octet-stream" }, body: "x".repeat(1e5) },
  ],
]

const UNREADABLE: readonly Refusal[] = [
  json("truncated JSON", "{bad"),
  json("a JSON string", '"text"'),
  json("a JSON list", "[1]"),
  json("a JSON number", "1"),
  json("null", "null"),
  json("JSON with trailing characters", '{"a":1}x'),
  json("JSON in single quotes", "{'a':1}"),
  json("JSON in UTF-16", bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])),
  json("50,000 unclosed brackets", "[".repeat(50_000)),
  typed("application/x-www-form-urlencoded; charset=utf-7"),
  typed("application/json; charset=UTF-16"),
  typed('application/json;charset="iso-8859-1"'),
  typed("text/plain; charset = utf-7"),
  typed("multipart/form-data; boundary=x"),
  typed("Multipart/Mixed; boundary=x"),
  packed("gzip", new Uint8Array(gzipSync(Buffer.alloc(10_000_000)))),
  packed("br", new Uint8Array(brotliCompressSync(Buffer.alloc(10_000)))),
  packed("deflate, gzip", bytes("x")),
]

describeServers("A refused request body", (start) => {
  async function expectRefused([, status, init]: Refusal): Promise<void> {
    const log = recordingLogger()
    const app = await start(configOf({ logger: log.logger }))
    for (const path of [CALLBACK, "/auth/signout", "/auth/signin/credentials"]) {
      const page = await app.browser().request(path, { method: "POST", ...init })
      const text = await page.text()
      expect([path, page.status, text.includes("    at ")]).toEqual([path, status, false])
      expect([page.headers.getSetCookie(), page.headers.get("cache-control")]).toEqual([
        [],
        expect.stringContaining("no-store"),
      ])
    }
    expect(log.records.map(({ level }) => level)).toEqual(["warn", "warn", "warn"])
    expect(app.errors).toEqual([])
    // The server still accepts the next request.
    const browser = app.browser()
    const fields = { csrfToken: await browser.csrf(), username: "ada", password: "right" }
    expect((await browser.post(CALLBACK, fields)).location).toBe(`${app.origin}/`)
  }

  it.each(TOO_LARGE)("FLT-20: gets a response without cookies, and is logged once: %s (status %d)", (...refusal) =>
    expectRefused(refusal),
  )
  it.each(UNREADABLE)("FLT-21: gets a response without cookies, and is logged once: %s (status %d)", (...refusal) =>
    expectRefused(refusal),
  )
})

type Read = (csrfToken: string) => Pick<Visit, "headers" | "body">
const form = (fields: string, type = FORM_TYPE["content-type"]): Read => {
  return (csrfToken) => ({ headers: { "content-type": type }, body: `${fields}&csrfToken=${csrfToken}` })
}
const object = (members: string, before = ""): Read => {
  return (csrfToken) => ({ headers: JSON_TYPE, body: `${before}{${members},"csrfToken":"${csrfToken}"}` })
}

describeServers("An accepted request body", (start) => {
  it.each([
    ["a form", form("username=Zo%C3%AB+%26&password=right"), "Zo\u00eb &"],
    [
      "a form whose content type is in another case",
      form("username=ada&password=right", "Application/X-WWW-Form-URLEncoded;Charset=UTF-8"),
      "ada",
    ],
    ["a form with unescaped UTF-8", form("username=\u65e5\u672c&password=right"), "\u65e5\u672c"],
    ["a form with invalid UTF-8", form("username=a%FFb%C3&password=right"), "a\ufffdb\ufffd"],
    ["a form with invalid escapes", form("username=%zz%&password=right"), "%zz%"],
    ["a form with a duplicate field", form("username=eve&username=ada&password=right"), "ada"],
    ["10,000 fields", form(`username=ada&password=right${"&a=1".repeat(10_000)}`), "ada"],
    ["JSON", object('"username":"Zo\u00eb","password":"right"'), "Zo\u00eb"],
    ["JSON with a duplicate member", object('"username":"eve","username":"ada","password":"right"'), "ada"],
    [
      "JSON of 10,000 levels",
      object(`"username":"ada","password":"right","a":${"[".repeat(1e4)}${"]".repeat(1e4)}`),
      "ada",
    ],
    ["JSON after a byte order mark", object('"username":"ada","password":"right"', "\ufeff"), "ada"],
    ["JSON with a lone surrogate", object('"username":"\\ud83d","password":"right"'), "\ud83d"],
  ] as const)("FLT-18: is passed to authorize: %s", async (_what, read, username) => {
    const attempts: Attempt[] = []
    const app = await start(configOf({ providers: [people(attempts)] }))
    const browser = app.browser()
    const page = await browser.request(CALLBACK, { method: "POST", ...read(await browser.csrf()) })
    expect([page.location, attempts[0]?.credentials.username]).toEqual([`${app.origin}/`, username])
  })

  it.each([
    ["without a content type", { "content-type": "" }],
    ["of plain text", { "content-type": "text/plain" }],
    ["of another type", { "content-type": "application/xml" }],
  ])("FLT-21: has no fields, and therefore no CSRF token: a form %s", async (_what, headers) => {
    const app = await start(configOf())
    const browser = app.browser()
    const text = `username=ada&password=right&csrfToken=${await browser.csrf()}`
    const page = await browser.request(CALLBACK, { method: "POST", headers, body: bytes(text) })
    expect(page.location).toBe(`${app.origin}/auth/signin?error=MissingCSRF`)
  })
})

describe("An incomplete request body", () => {
  const results = new Map<StageName, Promise<{ status: string; app: RunningApp }>>()
  const starts: (() => void)[] = []
  beforeAll(() => {
    for (const run of starts) run()
  })

  describeServers("that stalls", (start, stage) => {
    async function stall(): Promise<{ status: string; app: RunningApp }> {
      const app = await start(configOf())
      if (stage === "Auth()") {
        const config = configOf({ trustHost: true, basePath: "/auth" })
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(bytes("a=1")),
          // The promise of the cancellation never settles.
          cancel: () => new Promise(() => {}),
        })
        // A stream as the body requires `duplex`, which the types lack.
        const init = { method: "POST", headers: FORM_TYPE, body, duplex: "half" } as RequestInit
        return { app, status: String((await Auth(new Request(app.origin + CALLBACK, init), config)).status) }
      }
      const socket = connect(Number(new URL(app.origin).port), "127.0.0.1")
      socket.write(`POST ${CALLBACK} HTTP/1.1\r\nHost: app.test\r\nContent-Type: application/json\r\n`)
      socket.write("Content-Length: 1000\r\n\r\n{")
      const [answer] = await once(socket, "data")
      socket.destroy()
      return { app, status: String(answer).slice(9, 12) }
    }
    starts.push(() => {
      const result = stall()
      // The test of this stage reports the rejection.
      result.catch(() => {})
      results.set(stage, result)
    })

    it("FLT-21: is answered with 408 after ten seconds", async () => {
      const { app, status } = (await results.get(stage)) ?? {}
      expect([status, app?.errors]).toEqual(["408", []])
      expect((await app?.browser().get("/auth/csrf"))?.status).toBe(200)
    }, 30_000)
  })
})
