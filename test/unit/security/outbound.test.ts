import { getEventListeners } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { boundedFetch, raceWith } from "../../../lib/security/outbound.js"
import { type Listening, listen } from "../../support/listen.js"

const NEVER = new AbortController().signal
const LIMIT_BYTES = 1_000_000

type Route = (res: ServerResponse, req: IncomingMessage) => void

/** Callbacks that run when a request has arrived, and when its response has been sent or cut. */
let arrived: Record<string, () => void>
let gone: Record<string, () => void>

const PATHS: Record<string, Route> = {
  "/text": (res) => void res.writeHead(200, { "x-more": "yes" }).end("hello"),
  "/none": (res) => void res.writeHead(204).end(),
  "/same": (res) => void res.writeHead(304).end(),
  "/empty": (res) => void res.writeHead(200).end(),
  "/moved": (res) => void res.writeHead(302, { location: "/text" }).end("over there"),
  "/refused": (res) => void res.writeHead(418).end("no"),
  "/full": (res) => void res.end(Buffer.alloc(LIMIT_BYTES, "a")),
  "/more": (res) => void res.end(Buffer.alloc(LIMIT_BYTES + 1, "a")),
  "/pieces": (res) => void res.write("one, ", () => res.end("two")),
  "/silent": () => {},
  "/half": (res) => void res.writeHead(200, { "content-length": "10" }).write("half"),
  "/reset": (res) => void res.socket?.resetAndDestroy(),
}

let site: Listening
beforeAll(async () => {
  const server = createServer((req, res) => {
    const path = req.url?.split("?")[0] ?? ""
    res.once("close", () => gone[path]?.())
    PATHS[path]?.(res, req)
    arrived[path]?.()
  })
  site = await listen(server)
})
beforeEach(() => {
  arrived = {}
  gone = {}
})
afterAll(() => site.close())

const get = (path: string, { deadline = NEVER, ...init }: RequestInit & { deadline?: AbortSignal } = {}) =>
  boundedFetch(fetch, deadline)(site.origin + path, init)

describe("boundedFetch", () => {
  it("returns the whole response", async () => {
    const response = await get("/text")
    expect([response.status, response.headers.get("x-more"), await response.text()]).toEqual([200, "yes", "hello"])
    expect(await (await get("/pieces")).text()).toBe("one, two")
    expect((await get("/refused")).status).toBe(418)
  })

  it.each([
    ["/none", 204],
    ["/same", 304],
    ["/empty", 200],
  ])("accepts a response without a body: %s", async (path, status) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([status, ""])
  })

  it.each([204, 205, 304])("drops the body of a response whose status forbids one: %d", async (status) => {
    // Only an application's fetch can return such a response.
    const answer = { status, headers: new Headers(), body: new Blob([]).stream() } as Response
    const response = await boundedFetch(async () => answer, NEVER)("https://acme.test/")
    expect([response.status, response.body]).toEqual([status, null])
  })

  it("follows no redirect (RFC 9700 §4.11)", async () => {
    expect((await get("/moved")).status).toBe(302)
    expect((await get("/moved", { redirect: "follow" })).status).toBe(302)
  })

  it("accepts a body of one megabyte, and no more", async () => {
    expect(await (await get("/full")).text()).toHaveLength(LIMIT_BYTES)
    await expect(get("/more?code=secret")).rejects.toMatchObject({
      messageCode: "provider-unreachable",
      message: `${site.origin}/more: the response is larger than ${LIMIT_BYTES} bytes`,
      cause: { message: `the response is larger than ${LIMIT_BYTES} bytes` },
    })
  })

  it.each(["/silent", "/half"])("aborts at the deadline and closes the socket: %s", async (path) => {
    const deadline = new AbortController()
    arrived[path] = () => setImmediate(() => deadline.abort())
    const closed = new Promise<void>((resolve) => {
      gone[path] = resolve
    })
    await expect(get(`${path}?code=secret`, { deadline: deadline.signal })).rejects.toMatchObject({
      message: `${site.origin}${path}: no complete response in time`,
    })
    await closed
  })

  it("aborts when the caller's signal is aborted", async () => {
    const caller = new AbortController()
    arrived["/silent"] = () => caller.abort()
    await expect(get("/silent", { signal: caller.signal })).rejects.toMatchObject({
      messageCode: "provider-unreachable",
    })
  })

  it("reports the network error without the query string", async () => {
    await expect(get("/reset?code=secret")).rejects.toMatchObject({
      messageCode: "provider-unreachable",
      message: expect.stringMatching(new RegExp(`^${site.origin}/reset: .*(?:ECONNRESET|socket|closed)`)),
    })
  })

  it.each<[string, unknown, string]>([
    ["a string", "down", "the request failed"],
    ["an error", new TypeError("bad"), "bad"],
    ["an error with a cause", new TypeError("fetch failed", { cause: new Error("refused") }), "refused"],
    [
      "an error whose cause has a code",
      new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }) }),
      "ECONNREFUSED",
    ],
    [
      "an error whose cause has no message",
      new TypeError("fetch failed", { cause: Object.assign(new Error(""), { code: 7 }) }),
      "fetch failed",
    ],
    ["an error whose cause is not an error", new TypeError("fetch failed", { cause: "x" }), "fetch failed"],
  ])("reports the message of the value with which fetch rejects: %s", async (_name, thrown, message) => {
    const applicationFetch = boundedFetch(() => Promise.reject(thrown), NEVER)
    await expect(applicationFetch("https://acme.test/path?code=secret")).rejects.toMatchObject({
      message: `https://acme.test/path: ${message}`,
      cause: thrown,
    })
  })

  it.each<[string, string | URL | Request]>([
    ["a string", "https://acme.test/path"],
    ["a URL", new URL("https://acme.test/path")],
    ["a Request", new Request("https://acme.test/path")],
  ])("names the URL in its error if the URL is given as %s", async (_name, input) => {
    const applicationFetch = boundedFetch(() => Promise.reject(new Error("no")), NEVER)
    await expect(applicationFetch(input)).rejects.toMatchObject({ message: "https://acme.test/path: no" })
  })

  it("passes on the caller's options, and adds the deadline to the signal", async () => {
    const inits: RequestInit[] = []
    const deadline = new AbortController()
    const applicationFetch = boundedFetch(async (_, init) => {
      inits.push(init ?? {})
      return new Response("x")
    }, deadline.signal)
    await applicationFetch("https://acme.test/", { method: "POST", headers: { a: "b" } })
    expect(inits).toEqual([{ method: "POST", headers: { a: "b" }, redirect: "manual", signal: deadline.signal }])
    const caller = new AbortController()
    await applicationFetch("https://acme.test/", { signal: caller.signal })
    expect(inits[1]?.signal?.aborted).toBe(false)
    caller.abort()
    expect(inits[1]?.signal?.aborted).toBe(true)
    await applicationFetch("https://acme.test/", { signal: new AbortController().signal })
    deadline.abort()
    expect(inits[2]?.signal?.aborted).toBe(true)
  })
})

describe("boundedFetch with a body that is read as a stream", () => {
  /** Creates a body of these chunks that records when it is cancelled. */
  function bodyOf(chunks: readonly string[], { hangs = false } = {}) {
    const cancelled: unknown[] = []
    const left = [...chunks]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = left.shift()
        if (next !== undefined) controller.enqueue(Buffer.from(next))
        else if (!hangs) controller.close()
        else return new Promise(() => {})
      },
      cancel: (reason) => void cancelled.push(reason),
    })
    return { cancelled, body }
  }
  const read = (body: ReadableStream<Uint8Array>, deadline: AbortSignal) =>
    boundedFetch(async () => new Response(body), deadline)("https://acme.test/")

  it("cancels a body that is too large", async () => {
    const { body, cancelled } = bodyOf(["a".repeat(LIMIT_BYTES), "b", "c", "d", "e"])
    await expect(read(body, NEVER)).rejects.toThrow("the response is larger")
    expect(cancelled).toHaveLength(1)
  })

  it("removes its abort listener after success and after failure", async () => {
    const { signal } = new AbortController()
    await read(bodyOf(["a"]).body, signal)
    await expect(read(bodyOf(["a".repeat(LIMIT_BYTES), "b"]).body, signal)).rejects.toThrow("the response is larger")
    await new Promise(setImmediate)
    expect(getEventListeners(signal, "abort")).toEqual([])
  })

  it("cancels the body if the deadline passes while the body is read", async () => {
    const deadline = new AbortController()
    const { body, cancelled } = bodyOf(["a"], { hangs: true })
    const reading = read(body, deadline.signal)
    setImmediate(() => deadline.abort())
    await expect(reading).rejects.toThrow("no complete response in time")
    expect(cancelled).toHaveLength(1)
  })

  it("cancels the body if the deadline passes between the headers and the body", async () => {
    const deadline = new AbortController()
    const { body, cancelled } = bodyOf([], { hangs: true })
    let answer = (_: Response) => {}
    const fetched = new Promise<Response>((resolve) => {
      answer = resolve
    })
    const reading = boundedFetch(() => fetched, deadline.signal)("https://acme.test/")
    // Runs after boundedFetch has received the response, and before it reads the body.
    const aborted = fetched.then(() => deadline.abort())
    answer(new Response(body))
    await expect(reading).rejects.toThrow("no complete response in time")
    await aborted
    expect(cancelled).toHaveLength(1)
  })
})

describe("raceWith", () => {
  const never = new Promise<never>(() => {})

  it("settles as the promise or the signal does, whichever is first", async () => {
    const signal = new AbortController()
    expect(await raceWith(Promise.resolve(7), signal.signal)).toBe(7)
    await expect(raceWith(Promise.reject(new Error("own")), signal.signal)).rejects.toThrow("own")
    const reason = new Error("too late")
    const racing = raceWith(never, signal.signal)
    signal.abort(reason)
    await expect(racing).rejects.toBe(reason)
  })

  it("rejects if the signal is already aborted, regardless of the promise", async () => {
    const reason = new Error("too late")
    await expect(raceWith(Promise.resolve(7), AbortSignal.abort(reason))).rejects.toBe(reason)
    // The rejection must not become an unhandled rejection.
    await expect(raceWith(Promise.reject(new Error("own")), AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it("removes its abort listener", async () => {
    const { signal } = new AbortController()
    await raceWith(Promise.resolve(7), signal)
    await new Promise(setImmediate)
    expect(getEventListeners(signal, "abort")).toEqual([])
  })
})
