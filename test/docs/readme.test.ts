import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePortPair, ROOT, type RunningExample, runExample } from "../examples/support/run-example.js"
import { Browser } from "../support/browser.js"
import { blocksOf, read } from "./support/markdown.js"

const readProgram = (page: string) => blocksOf(read(page)).find(({ code }) => code.includes("app.listen"))?.code ?? ""

describe.each(["express", "express4"])("the program of README.md with %s", (version) => {
  const program = readProgram("README.md").replace('from "express"', `from "${version}"`)
  const folder = join(ROOT, `tmp/readme-${version}-${process.pid}`)
  const examples: RunningExample[] = []

  async function start(text: string): Promise<RunningExample> {
    const port = await freePortPair()
    const file = join(folder, `server-${port}.mjs`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      file,
      text.replaceAll("3000", String(port)).replace("devProvider()", `devProvider({ port: ${port + 1} })`),
    )
    const running = await runExample(file, { PORT: String(port) })
    examples.push(running)
    return running
  }

  let example: RunningExample
  beforeAll(async () => {
    example = await start(program)
  })
  afterAll(async () => {
    await Promise.all(examples.map((running) => running.stop()))
    rmSync(folder, { recursive: true, force: true })
  })

  it("has at most 13 lines of code", () => {
    expect(program.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(13)
  })

  async function signIn(browser: Browser) {
    const signInPage = await browser.get("/me", { follow: true })
    const sent = await browser.submit(browser.form(await signInPage.text(), "/auth/signin/dev"))
    const choice = await browser.get(sent.location, { follow: true })
    return browser.submit(browser.form(await choice.text()), { user: "alice" }, { follow: true })
  }

  it("signs in a user without any configuration", async () => {
    const browser = new Browser({ origin: example.origin })
    const back = await signIn(browser)
    expect(await back.json()).toMatchObject({ name: expect.stringMatching(/^Alice/) })
    expect(await (await browser.get("/")).json()).toEqual({ signedInAs: expect.stringMatching(/^Alice/) })
  })

  it("keeps running when a session cannot be read", async () => {
    const failing = "callbacks: { session() { throw new Error() } }, providers"
    const { origin } = await start(program.replace("providers", failing))
    const browser = new Browser({ origin })
    await signIn(browser)
    for (const path of ["/", "/me", "/"]) expect((await browser.get(path)).status).toBe(500)
  })

  it("is also the program of docs/getting-started.md", () => {
    expect(readProgram("docs/getting-started.md")).toBe(readProgram("README.md"))
  })
})

it("README.md states the number of direct dependencies", () => {
  const count = Object.keys(JSON.parse(read("package.json")).dependencies).length
  expect(read("README.md")).toContain(`| Direct dependencies | ${count} |`)
})
