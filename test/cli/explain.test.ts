import { Project } from "./support/project.js"

let project: Project
beforeAll(() => {
  project = new Project([])
})
afterAll(() => project.remove())

const explain = (...args: readonly string[]) => project.latchkey(["explain", ...args])

describe("npx latchkey explain", () => {
  it("shows the meaning, the cause, the fix and the documentation of a code", async () => {
    const { code, out, err } = await explain("secret-missing")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^secret-missing: The secret is missing\n\nNeither the option secret nor .+\n\n/)
    expect(out).toMatch(/\n\n {2}npx latchkey secret --write .+\n {2}node --env-file=\.env server\.js\n\n/)
    expect(out).toMatch(/\n\nMore: node_modules\/latchkey\/docs\/configuration\.md#secret\n$/)
    expect(out).not.toContain("`")
  })

  it("accepts several codes, brackets, and error types", async () => {
    const { out } = await explain("[provider-option-missing]", "MissingSecret", "secret-missing")
    expect(out.match(/^[a-z-]+: [A-Z]/gm)).toEqual(["provider-option-missing: A", "secret-missing: T"])
  })

  it.each([
    "[latchkey][error][redirect-uri-mismatch]",
    "[latchkey][warn][redirect-uri-mismatch] OAuthCallbackRouteError: the provider [example] refused",
  ])("accepts the prefix of a log line: %s", async (pasted) => {
    const { code, out } = await explain(pasted)
    expect(code).toBe(0)
    expect(out).toMatch(/^redirect-uri-mismatch: /)
  })

  it("lists all codes", async () => {
    const { code, out } = await explain()
    expect(code).toBe(0)
    expect(out).toMatch(/^Responses of providers$/m)
    expect(out).toMatch(/^ {2}redirect-uri-mismatch +The redirect URI is not registered at the provider$/m)
  })

  it("suggests a similar code", async () => {
    expect(await explain("secret-mising")).toEqual({
      code: 2,
      out: "",
      err: 'latchkey: there is no code "secret-mising"; did you mean secret-missing?\n',
    })
    expect((await explain("nonsense")).err).toBe(
      'latchkey: there is no code "nonsense": npx latchkey explain lists them\n',
    )
  })

  it("prints JSON with --json", async () => {
    const { codes } = JSON.parse((await explain("flow-cookie-missing", "--json")).out)
    expect(codes).toEqual([
      {
        code: "flow-cookie-missing",
        title: expect.any(String),
        cause: expect.any(String),
        fix: expect.any(String),
        docs: "oauth.md#checks",
      },
    ])
  })
})
