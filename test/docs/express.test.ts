import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { freePortPair, ROOT, type RunningExample, runExample } from "../examples/support/run-example.js"
import { Browser } from "../support/browser.js"
import { blocksOf, read } from "./support/markdown.js"

/** Code that the page's programs assume, with a callback that fails for one user. */
const GIVEN = `import express from "express"
import { authMiddleware } from "latchkey"
import Credentials from "latchkey/providers/credentials"
const config = {
  secret: "only for the programs of the documentation",
  trustHost: true,
  providers: [Credentials({ credentials: { name: {} }, authorize: ({ name }) => ({ id: "7", name }) })],
  callbacks: {
    session: ({ session }) => {
      if (session.user.name === "broken") throw new Error("the callback fails")
      return session
    },
  },
}
`
const IS_LISTENING = `\nprocess.nextTick(() => console.log("localhost:3000"))\n`

/** Runs the program below a heading of docs/express.md. */
async function runProgram(heading: string, before = ""): Promise<RunningExample> {
  const section = read("docs/express.md").split(`\n## ${heading}\n`)[1] ?? ""
  const [program] = blocksOf(section)
  const folder = join(ROOT, `tmp/express-${process.pid}`)
  const port = await freePortPair()
  const code = (GIVEN + before + program?.code + IS_LISTENING)
    .replace("{ providers: [GitHub] }", "config")
    .replaceAll("3000", String(port))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "server.mjs"), code)
  return runExample(join(folder, "server.mjs"), { PORT: String(port) }).finally(() =>
    rmSync(folder, { recursive: true }),
  )
}

async function signIn(origin: string, name: string): Promise<Browser> {
  const browser = new Browser({ origin })
  await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf("/auth"), name })
  return browser
}

/** Requests a WebSocket, and returns everything received when the connection is closed. */
async function upgrade(
  { port }: RunningExample,
  cookie: string,
  onSent: (socket: Socket) => void,
  headers: readonly string[] = [],
): Promise<string> {
  const lines = ["GET / HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket", `Cookie: ${cookie}`]
  lines.push(...headers)
  const handshake = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]
  const socket = connect(port)
  let text = ""
  socket.on("data", (chunk) => (text += chunk.toString("latin1")))
  return new Promise((resolve) => {
    socket.on("error", () => {}).on("close", () => resolve(text))
    socket.write([...lines, ...handshake].join("\r\n"), () => onSent(socket))
  })
}

describe("the WebSocket server of docs/express.md", () => {
  let program: RunningExample
  beforeAll(async () => {
    program = await runProgram("WebSockets", "const app = express().use(authMiddleware(config))\n")
  })
  afterAll(() => program?.stop())

  const isRunning = async () => (await new Browser({ origin: program.origin }).get("/auth/csrf")).status === 200

  it("greets the current user", async () => {
    const cookie = (await signIn(program.origin, "ada")).cookieHeader()
    const closeSoon = (socket: Socket) => void setTimeout(() => socket.destroy(), 300)
    expect(await upgrade(program, cookie, closeSoon)).toContain("Hello ada")
  })

  it.each([
    ["https://evil.example", "HTTP/1.1 403 "],
    ["null", "HTTP/1.1 403 "],
    ["its own", "Hello ada"],
  ])("compares the Origin %s with its own origin", async (origin, answer) => {
    const cookie = (await signIn(program.origin, "ada")).cookieHeader()
    const closeSoon = (socket: Socket) => void setTimeout(() => socket.destroy(), 300)
    const headers = [`Origin: ${origin === "its own" ? program.origin : origin}`]
    expect(await upgrade(program, cookie, closeSoon, headers)).toContain(answer)
  })

  it("rejects requests without a session and closes their connections", async () => {
    const keepWriting = (socket: Socket) => {
      socket.allowHalfOpen = true
      const timer = setInterval(() => socket.write("still here"), 20)
      socket.on("close", () => clearInterval(timer))
    }
    expect(await upgrade(program, "", keepWriting)).toMatch(/^HTTP\/1.1 401 /)
  })

  it("survives connections that are reset", async () => {
    for (let i = 0; i < 5; i++) await upgrade(program, "", (socket) => socket.resetAndDestroy())
    expect(await isRunning()).toBe(true)
  })

  it("survives invalid frames", async () => {
    const cookie = (await signIn(program.origin, "ada")).cookieHeader()
    const noFrame = Buffer.from([0xff, 0xff, 0, 0])
    await upgrade(program, cookie, (socket) => socket.once("data", () => socket.write(noFrame)))
    expect(await isRunning()).toBe(true)
  })
})

describe("the node:http server of docs/express.md", () => {
  let program: RunningExample
  beforeAll(async () => {
    program = await runProgram("`node:http`")
  })
  afterAll(() => program?.stop())

  it("greets users and visitors, and survives a callback that fails", async () => {
    const { origin } = program
    expect(await (await (await signIn(origin, "ada")).get("/")).text()).toBe("Hello ada")
    expect((await (await signIn(origin, "broken")).get("/")).status).toBe(500)
    expect(await (await new Browser({ origin }).get("/")).text()).toBe("Hello stranger")
  })
})

it.each([
  ["CredentialsSignin", expect.stringContaining("don’t go together")],
  ["constructor", expect.stringContaining("didn’t work")],
  ["__proto__", expect.stringContaining("didn’t work")],
  [undefined, undefined],
])("the sign-in page of docs/express.md shows a known text for error=%s", (error, message) => {
  const section = read("docs/express.md").split("\n### A sign-in page of your own\n")[1] ?? ""
  const [page] = blocksOf(section)
  const messages: unknown[] = []
  const res = { render: (_view: string, { error }: { error: unknown }) => messages.push(error) }
  const app = {
    use() {},
    get: (_path: string, show: (req: object, res: object) => void) => show({ query: { error } }, res),
  }
  const names = ["authMiddleware", "Credentials", "GitHub", "credentials", "authorize"]
  new Function("app", ...names, page?.code ?? "")(app, ...names.map(() => () => {}))
  expect(messages).toEqual([message])
})
