import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePortPair, ROOT, type RunningExample, runExample } from "../examples/support/run-example.js"
import { Browser } from "../support/browser.js"
import { blocksOf, read } from "./support/markdown.js"

const programOf = (page: string) => blocksOf(read(page)).find(({ code }) => code.includes("app.listen"))?.code ?? ""

describe("the dozen lines of README.md", () => {
  const program = programOf("README.md")
  const folder = join(ROOT, `tmp/readme-${process.pid}`)
  let example: RunningExample

  beforeAll(async () => {
    const port = await freePortPair()
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, "server.mjs"),
      program.replaceAll("3000", String(port)).replace("devProvider()", `devProvider({ port: ${port + 1} })`),
    )
    example = await runExample(join(folder, "server.mjs"), { PORT: String(port) })
  })
  afterAll(async () => {
    await example?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("are a dozen", () => {
    expect(program.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(13)
  })

  it("sign somebody in with nothing configured", async () => {
    const browser = new Browser({ origin: example.origin })
    const signIn = await browser.get("/me", { follow: true })
    const sent = await browser.submit(browser.form(await signIn.text(), "/auth/signin/dev"))
    const choice = await browser.get(sent.location, { follow: true })
    const back = await browser.submit(browser.form(await choice.text()), { person: "alice" }, { follow: true })
    expect(await back.json()).toMatchObject({ name: expect.stringMatching(/^Alice/) })
    expect(await (await browser.get("/")).json()).toEqual({ signedInAs: expect.stringMatching(/^Alice/) })
  })

  it("are those of docs/getting-started.md", () => {
    expect(programOf("docs/getting-started.md")).toBe(program)
  })
})
