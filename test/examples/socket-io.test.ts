import { io, type Socket } from "socket.io-client"
import { Browser } from "../support/browser.js"
import { until } from "../support/wait.js"
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

  /** The first message to a socket: the welcome, or the reason for a rejection. */
  const firstMessage = (socket: Socket) =>
    new Promise<string>((done) => {
      socket.once("welcome", done)
      socket.once("connect_error", ({ message }) => done(message))
    })

  async function signIn(as: string): Promise<Browser> {
    const browser = new Browser({ origin: example.origin })
    await signInAtDevProvider(browser, { path: "/auth/signin", as })
    return browser
  }

  const signInForCookie = async (as: string): Promise<string> => (await signIn(as)).cookieHeader()

  it("rejects a connection without a session", async () => {
    expect(await firstMessage(connect({}))).toBe("sign in first")
  })

  it("identifies the user of each socket and names the sender of each message", async () => {
    const [alice, bob] = await Promise.all(
      ["alice", "bob"].map(async (as) => connect({ cookie: await signInForCookie(as) })),
    )
    if (!alice || !bob) throw new Error("two sockets are needed")
    expect(await Promise.all([firstMessage(alice), firstMessage(bob)])).toEqual(["Alice", "Bob"])
    const heard = new Promise((done) => bob.once("said", done))
    alice.emit("say", "hello")
    expect(await heard).toEqual({ by: "Alice", text: "hello" })
  })

  it("ends a connection within a second after its user has signed out", async () => {
    const browser = await signIn("alice")
    const cookies = [browser.cookieHeader(), await signInForCookie("alice")]
    const [socket, other] = cookies.map((cookie) => connect({ cookie }))
    if (!socket || !other) throw new Error("two sockets are needed")
    expect(await Promise.all([firstMessage(socket), firstMessage(other)])).toEqual(["Alice", "Alice"])
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    await until(() => !socket.connected, 1_500)
    expect(other.connected).toBe(true)
  })

  it("rejects connections from pages of another origin, even with a session", async () => {
    const cookie = await signInForCookie("alice")
    expect(await firstMessage(connect({ cookie, origin: "https://evil.example" }))).not.toBe("Alice")
    expect(await firstMessage(connect({ cookie, origin: example.origin }))).toBe("Alice")
  })
})
