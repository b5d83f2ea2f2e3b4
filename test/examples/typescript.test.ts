import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { Browser } from "../support/browser.js"
import { ROOT, type RunningExample, runExample } from "./support/run-example.js"

/** Inside the package, so that its own name can be imported. */
const COMPILED = "examples/typescript/dist/server.js"

describe("examples/typescript", () => {
  let example: RunningExample

  beforeAll(async () => {
    const esbuild = resolve(ROOT, "node_modules/esbuild/bin/esbuild")
    execFileSync(esbuild, ["examples/typescript/server.ts", `--outfile=${COMPILED}`], { cwd: ROOT, stdio: "pipe" })
    example = await runExample(COMPILED)
  })
  afterAll(() => example?.stop())

  async function signIn(username: string, password: string) {
    const browser = new Browser({ origin: example.origin })
    const login = await browser.get("/admin", { follow: true })
    const form = browser.form(await login.text(), "/auth/callback/credentials")
    const page = await browser.submit(form, { username, password }, { follow: true })
    return { browser, page }
  }

  it("allows an administrator", async () => {
    const { browser, page } = await signIn("alice", "looking-glass")
    expect(await page.json()).toEqual({ message: "Hello Alice, you are admin." })
    expect(await (await browser.get("/")).json()).toEqual({ name: "Alice", role: "admin" })
  })

  it("signs in a member, and responds 403 at the administrators' page", async () => {
    const { browser, page } = await signIn("bob", "sponge-cake")
    expect([page.url, page.status]).toEqual([`${example.origin}/admin`, 403])
    expect(await (await browser.get("/")).json()).toEqual({ name: "Bob", role: "member" })
  })

  it("rejects a wrong password", async () => {
    const { browser, page } = await signIn("alice", "sponge-cake")
    expect(new URL(page.url).searchParams.get("error")).toBe("CredentialsSignin")
    expect(await (await browser.get("/")).json()).toEqual({ name: null, role: null })
  })
})
