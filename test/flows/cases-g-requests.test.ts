/**
 * FLT-18, FLT-20 and FLT-21 where there is no server: `Auth()` gets a `Request`, whose body may be anything.
 *
 * @module
 */
import { Auth } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { type Attempt, configOf, people } from "../express/support/servers.js"
import { recordingLogger } from "../support/apps.js"
import { guardProcess } from "./support/guard.js"

guardProcess()

const CALLBACK = "/auth/callback/credentials"
const JSON_TYPE = { "content-type": "application/json" }
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" }
const bytes = (text: string) => new TextEncoder().encode(text)

/** A body that comes in these parts. */
function stream(...parts: readonly unknown[]): ReadableStream {
  let i = 0
  return new ReadableStream({
    pull(controller) {
      const part = parts[i++]
      if (part === undefined) controller.close()
      else if (part instanceof Error) controller.error(part)
      else controller.enqueue(part)
    },
  })
}

const requestWith = (body: BodyInit | ReadableStream, headers: HeadersInit = FORM_TYPE) =>
  // `duplex` is missing in the types, and asked for where the body is a stream.
  new Request(`http://app.test${CALLBACK}`, { method: "POST", headers, body, duplex: "half" } as RequestInit)

describe("Auth() with a Request whose body is not as it should be", () => {
  const log = recordingLogger()
  beforeEach(log.forget)
  const config: AuthConfig = configOf({ trustHost: true, basePath: "/auth", logger: log.logger })

  async function expectAnswer(request: Request, status: number): Promise<void> {
    expect((await Auth(request, config)).status).toBe(status)
    expect(log.records.map(({ level }) => level)).toEqual(["warn"])
    log.forget()
    expect((await Auth(new Request("http://app.test/auth/csrf"), config)).status).toBe(200)
  }

  it("FLT-18: one that was read already is refused", async () => {
    const request = requestWith("a=1")
    await request.text()
    await expectAnswer(request, 400)
  })

  it("FLT-18: one that somebody is reading is refused, and they read on", async () => {
    const request = requestWith("a=1")
    const reader = request.body?.getReader()
    await expectAnswer(request, 400)
    expect(await reader?.read()).toMatchObject({ done: false })
  })

  it("FLT-18: none at all has no fields", async () => {
    await expectAnswer(new Request(`http://app.test${CALLBACK}`, { method: "POST" }), 302)
  })

  it("FLT-18: one whose bytes come one by one is put together, letters too", async () => {
    const attempts: Attempt[] = []
    const own = { ...config, providers: [people(attempts)] }
    const first = await Auth(new Request("http://app.test/auth/csrf"), own)
    const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const { csrfToken } = await first.json()
    const text = bytes(`{"username":"\u{1f469}","password":"right","csrfToken":"${csrfToken}"}`)
    const body = stream(...[...text].map((byte) => Uint8Array.of(byte)))
    const answer = await Auth(requestWith(body, { ...JSON_TYPE, cookie }), own)
    expect([answer.status, attempts[0]?.credentials.username]).toEqual([302, "\u{1f469}"])
  })

  it.each([
    ["breaks off", stream(bytes("a=1"), new Error("gone")), 400],
    ["breaks off at once", stream(new Error("gone")), 400],
  ])("FLT-21: one that %s is refused", async (_what, body, status) => {
    await expectAnswer(requestWith(body), status)
  })

  it.each([
    ["text", () => stream("a=1", "&b=2")],
    ["numbers", () => stream(1, 2, 3)],
  ])("FLT-21: one that has %s in place of bytes is refused, and the log says why", async (_what, body) => {
    await expectAnswer(requestWith(body()), 400)
    await Auth(requestWith(body()), config)
    expect(log.records.map(({ error }) => error?.message)).toEqual([
      "the body is a stream of something else than bytes",
    ])
  })

  it.each([
    ["bytes", () => new Uint8Array(1024), 413],
    ["text", () => "a".repeat(1024), 400],
  ])("FLT-20: one of %s without end is let go of at the limit", async (_what, chunk, status) => {
    let sent = 0
    let isCancelled = false
    const body = new ReadableStream({
      pull(controller) {
        sent += 1024
        // Whoever reads on and on is stopped here, and not by a test that hangs.
        if (sent > 1_000_000) controller.close()
        else controller.enqueue(chunk())
      },
      cancel() {
        isCancelled = true
      },
    })
    await expectAnswer(requestWith(body), status)
    expect([isCancelled, sent < 100_000]).toEqual([true, true])
  })
})
