/**
 * FLT-18, FLT-20 and FLT-21 without a server: `Auth()` with a `Request` whose body is unusual or invalid.
 *
 * @module
 */
import { Auth } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { type Attempt, configOf, people } from "../../express/support/servers.js"
import { recordingLogger } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const CALLBACK = "/auth/callback/credentials"
const JSON_TYPE = { "content-type": "application/json" }
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" }
const bytes = (text: string) => new TextEncoder().encode(text)

/** A body that yields these chunks. */
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
  // A stream as the body requires `duplex`, which the types lack.
  new Request(`http://app.test${CALLBACK}`, { method: "POST", headers, body, duplex: "half" } as RequestInit)

describe("Auth() with a Request", () => {
  const log = recordingLogger()
  beforeEach(log.forget)
  const config: AuthConfig = configOf({ trustHost: true, basePath: "/auth", logger: log.logger })

  async function expectWarning(request: Request, status: number): Promise<void> {
    expect((await Auth(request, config)).status).toBe(status)
    expect(log.records.map(({ level }) => level)).toEqual(["warn"])
    log.forget()
    expect((await Auth(new Request("http://app.test/auth/csrf"), config)).status).toBe(200)
  }

  it("FLT-18: refuses a body that was read before", async () => {
    const request = requestWith("a=1")
    await request.text()
    await expectWarning(request, 400)
  })

  it("FLT-18: refuses a body that another reader is reading, and that reader can continue", async () => {
    const request = requestWith("a=1")
    const reader = request.body?.getReader()
    await expectWarning(request, 400)
    expect(await reader?.read()).toMatchObject({ done: false })
  })

  it("FLT-18: treats a missing body as a form without fields", async () => {
    await expectWarning(new Request(`http://app.test${CALLBACK}`, { method: "POST" }), 302)
  })

  it("FLT-18: assembles a body that arrives byte by byte, including multi-byte characters", async () => {
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
    ["fails after the first chunk", stream(bytes("a=1"), new Error("gone")), 400],
    ["fails immediately", stream(new Error("gone")), 400],
  ])("FLT-21: refuses a body stream that %s", async (_what, body, status) => {
    await expectWarning(requestWith(body), status)
  })

  it.each([
    ["strings", () => stream("a=1", "&b=2")],
    ["numbers", () => stream(1, 2, 3)],
  ])("FLT-21: refuses a body stream of %s, and logs the reason", async (_what, body) => {
    await expectWarning(requestWith(body()), 400)
    await Auth(requestWith(body()), config)
    expect(log.records.map(({ error }) => error?.message)).toEqual(["the body's stream must contain bytes"])
  })

  it.each([
    ["bytes", () => new Uint8Array(1024), 413],
    ["strings", () => "a".repeat(1024), 400],
  ])("FLT-20: cancels an endless body stream of %s at the limit", async (_what, chunk, status) => {
    let sent = 0
    let isCancelled = false
    const body = new ReadableStream({
      pull(controller) {
        sent += 1024
        // Ends the stream, so that a failing test does not hang.
        if (sent > 1_000_000) controller.close()
        else controller.enqueue(chunk())
      },
      cancel() {
        isCancelled = true
      },
    })
    await expectWarning(requestWith(body), status)
    expect([isCancelled, sent < 100_000]).toEqual([true, true])
  })
})
