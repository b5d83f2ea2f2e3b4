import { createServer } from "node:http"
import { signIn } from "../express/support/servers.js"
import { Browser } from "../support/browser.js"
import { listen } from "../support/listen.js"
import { overNetwork } from "../support/network.js"
import { type Application, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()
const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** A CDN that caches responses to GET by URL. With `respectsNoStore: false`, it ignores `no-store`. */
async function startCdn({ address }: Application, { respectsNoStore }: { respectsNoStore: boolean }): Promise<string> {
  const cached = new Map<string, { status: number; body: string; headers: [string, string][] }>()
  const server = createServer(async (req, res) => {
    const key = `${req.method} ${req.url}`
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const headers = new Headers()
    for (const [name, value] of Object.entries(req.headers)) headers.set(name, String(value))
    const init = { method: req.method ?? "GET", headers, ...(body.length > 0 && { body }) }
    const answer = cached.get(key) ?? (await load(`http://${req.headers.host}${req.url}`, init, address))
    const mayStore =
      !respectsNoStore || !answer.headers.some(([name, value]) => name === "cache-control" && /no-store/.test(value))
    if (req.method === "GET" && mayStore) cached.set(key, answer)
    for (const [name, value] of answer.headers)
      if (!cached.has(key) || name !== "set-cookie") res.appendHeader(name, value)
    res.writeHead(answer.status).end(answer.body)
  })
  const { origin, close } = await listen(server)
  closing.push(close)
  return origin
}

async function load(url: string, init: RequestInit, address: string) {
  const answer = await overNetwork(new Request(url, init), address)
  const headers = [...answer.headers].filter(([name]) => !["transfer-encoding", "content-length"].includes(name))
  return { status: answer.status, body: await answer.text(), headers }
}

describe("a CDN in front of the application", () => {
  it("stores no response if it respects Cache-Control", async () => {
    const app = await start({})
    const origin = await startCdn(app, { respectsNoStore: true })
    const [ada, stranger] = [new Browser({ origin }), new Browser({ origin })]
    await signIn(ada)
    expect(await (await ada.get("/auth/session")).json()).toMatchObject({ user: { name: "ada" } })
    expect(await (await stranger.get("/auth/session")).json()).toBeNull()
    expect(terminal.text()).toBe("")
  })

  it("breaks forms if it stores everything, and the log of the rejected form names a cache", async () => {
    const app = await start({})
    const origin = await startCdn(app, { respectsNoStore: false })
    const browser = new Browser({ origin })
    expect((await signIn(browser)).location).toContain("error=MissingCSRF")
    expect(terminal.text()).toContain("[latchkey][warn][csrf-cookie-missing] MissingCSRF:")
    expect(terminal.text()).toMatch(/a cache served the page without its Set-Cookie/)
  })
})
