import { io, type Socket } from "socket.io-client"
import { Browser } from "../support/browser.js"
import { signInAtDevProvider } from "./support/dev-person.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describe("examples/socket-io", () => {
  let example: RunningExample
  const sockets: Socket[] = []

  beforeAll(async () => {
    example = await runExample("examples/socket-io/server.js")
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect()
  })
  afterAll(() => example?.stop())

  function connect(headers: Record<string, string>): Socket {
    const socket = io(example.origin, {
      ...{ extraHeaders: headers, reconnection: false, forceNew: true },
      transports: ["websocket"],
    })
    sockets.push(socket)
    return socket
  }

  /** What a socket is told first: its welcome, or why it gets none. */
  const firstWord = (socket: Socket) =>
    new Promise<string>((done) => {
      socket.once("welcome", done)
      socket.once("connect_error", ({ message }) => done(message))
    })

  async function cookieOf(as: string): Promise<string> {
    const browser = new Browser({ origin: example.origin })
    await signInAtDevProvider(browser, { path: "/auth/signin", as })
    return browser.cookieHeader()
  }

  it("turns a stranger away", async () => {
    expect(await firstWord(connect({}))).toBe("sign in first")
  })

  it("knows whose socket it is, and says so with each message", async () => {
    const [alice, bob] = await Promise.all(["alice", "bob"].map(async (as) => connect({ cookie: await cookieOf(as) })))
    if (!alice || !bob) throw new Error("two are needed")
    expect(await Promise.all([firstWord(alice), firstWord(bob)])).toEqual(["Alice", "Bob"])
    const heard = new Promise((done) => bob.once("said", done))
    alice.emit("say", "hello")
    expect(await heard).toEqual({ by: "Alice", text: "hello" })
  })

  it("turns a page of another origin away, whoever is signed in", async () => {
    const cookie = await cookieOf("alice")
    expect(await firstWord(connect({ cookie, origin: "https://evil.example" }))).not.toBe("Alice")
    expect(await firstWord(connect({ cookie, origin: example.origin }))).toBe("Alice")
  })
})
