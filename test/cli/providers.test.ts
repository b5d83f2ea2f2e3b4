import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Project } from "./support/project.js"

let project: Project
beforeAll(() => {
  project = new Project([])
})
afterAll(() => project.remove())

const providers = (args: readonly string[], env: Record<string, string> = {}) =>
  project.latchkey(["providers", ...args], { env })

const wrongUsage = (message: string) => ({ code: 2, out: "", err: `latchkey: ${message}\n` })

describe("npx latchkey providers", () => {
  it("lists all providers", async () => {
    const { code, out, err } = await providers([])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^\d+ providers:\n\n/)
    expect(out).toMatch(/^ {2}github +GitHub$/m)
    expect(out).toMatch(/^ {2}microsoft-entra-id +Microsoft Entra ID$/m)
    expect(out).toMatch(/^ {2}resend +Resend$/m)
    // Deprecated: replaced by nodemailer.
    expect(out).not.toMatch(/^ {2}email +/m)
  })

  it("reads .env, and the environment overrides it", async () => {
    const text = "AUTH_URL=https://file.example\nAUTH_GITHUB_ID=an-id\n"
    mkdirSync(join(project.folder, "with-env"))
    writeFileSync(join(project.folder, "with-env/.env"), text)
    const ask = (env: Record<string, string>) => project.latchkey(["providers", "github"], { in: "with-env", env })
    const { out } = await ask({})
    expect(out).toContain("https://file.example/auth/callback/github\n")
    expect(out).toContain("AUTH_GITHUB_ID      set\n")
    expect((await ask({ AUTH_URL: "https://set.example" })).out).toContain("https://set.example/auth/callback/github\n")
  })

  it("shows the setup of a provider with the site's redirect URI", async () => {
    const { code, out, err } = await providers(["github"], { AUTH_URL: "https://example.com", AUTH_GITHUB_ID: "an-id" })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^GitHub\nSign-in with GitHub/)
    expect(out).toContain('  import GitHub from "latchkey/providers/github"\n')
    expect(out).toContain("Redirect URI\n  https://example.com/auth/callback/github\n")
    expect(out).toContain("  AUTH_GITHUB_ID      set\n  AUTH_GITHUB_SECRET  not set\n")
    expect(out).not.toContain("an-id")
    expect(out).toContain("Console\n  https://github.com/settings/developers")
    expect(out).toContain("Scopes\n  read:user user:email\n")
    expect(out).not.toContain("`")
  })

  it.each([
    ["https://example.com/", "https://example.com/auth/callback/google"],
    ["https://example.com/account/auth/", "https://example.com/account/auth/callback/google"],
    ["http://localhost:8080/api/auth", "http://localhost:8080/api/auth/callback/google"],
  ])("with AUTH_URL=%s shows the redirect URI %s", async (AUTH_URL, expected) => {
    const { out } = await providers(["google"], { AUTH_URL })
    expect(out).toContain(`Redirect URI\n  ${expected}\n`)
  })

  it("shows a local redirect URI and how to get the site's one if AUTH_URL is not set", async () => {
    const { out } = await providers(["google"])
    expect(out).toContain(
      "  http://localhost:3000/auth/callback/google  (set AUTH_URL to see the redirect URI of your site)\n",
    )
  })

  it("accepts both the id and the file name of a provider", async () => {
    const { out } = await providers(["ory-hydra"])
    expect(out).toContain("/callback/hydra")
    expect((await providers(["hydra"])).out).toBe(out)
  })

  it("shows a provider without a redirect URI", async () => {
    const { code, out } = await providers(["resend"])
    expect(code).toBe(0)
    expect(out).not.toContain("Redirect URI")
  })

  it.each([
    [["githubb"], 'there is no provider "githubb"; did you mean github?'],
    [["entra"], 'there is no provider "entra"; did you mean microsoft-entra-id?'],
    [["zzz"], 'there is no provider "zzz": npx latchkey providers lists them'],
    [["github", "google"], "2 arguments, but the maximum is 1: [ID]"],
  ])("%j prints a one-line error", async (args, message) => {
    expect(await providers(args)).toEqual(wrongUsage(message))
  })

  it("rejects an AUTH_URL that is not a URL", async () => {
    const refused = await providers(["github"], { AUTH_URL: "localhost:3000" })
    expect(refused).toEqual(
      wrongUsage('AUTH_URL is "localhost:3000", which is not the address of a site: write "https://example.com"'),
    )
  })

  it("has its own help and is in the list of commands", async () => {
    expect((await providers(["--help"])).out).toContain("Usage: npx latchkey providers [ID]")
    expect((await project.latchkey(["--help"])).out).toMatch(/^ {2}providers +shows what a provider needs/m)
  })
})
