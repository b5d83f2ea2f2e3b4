import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { loadedBy } from "./support/loaded.js"

const DIST = resolve("dist")

/** Prints whether `@whatwg-node/server` is loaded: at first, after a request to the application, and after an endpoint. */
const LOADED = `
  import { createServer } from "node:http"
  import { createRequire } from "node:module"
  const { cache } = createRequire(process.cwd() + "/")
  const { authMiddleware } = await import(process.argv[1])
  const auth = authMiddleware({ providers: [], secret: "a secret of more than thirty-two characters" })
  const server = createServer((req, res) => auth(req, res, () => req.getSession().then(() => res.end("application"))))
  server.listen(0, "127.0.0.1", async () => {
    const isLoaded = () => Object.keys(cache).some((file) => file.includes("@whatwg-node"))
    const loaded = [isLoaded()]
    for (const path of ["/", "/auth/csrf"]) {
      const headers = { cookie: "authjs.session-token=x" }
      await (await fetch("http://127.0.0.1:" + server.address().port + path, { headers })).text()
      loaded.push(isLoaded())
    }
    console.log(JSON.stringify(loaded))
    process.exit()
  })
`

describe.each([".js", ".cjs"])("importing the package, %s", (format) => {
  const files = [...loadedBy(join(DIST, `index${format}`), "at once")]
  const texts = files.map((file) => readFileSync(file, "utf8")).join("\n")

  it("loads the middleware", () => {
    expect(texts).toContain("function authMiddleware(")
  })

  it("loads @whatwg-node/server with the first request for an endpoint", () => {
    const file = pathToFileURL(join(DIST, `index${format}`)).href
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", LOADED, file], {
      encoding: "utf8",
      stdio: "pipe",
    })
    expect(JSON.parse(output)).toEqual([false, false, true])
  })

  it("loads no module that has its own import path", () => {
    const names = files.map((file) => relative(DIST, file).replace(/\.c?js$/, ""))
    const parts = names.filter((name) => /^(?:adapters|providers)\/|^(?:testing|cli|jwt|config-child)$/.test(name))
    expect(parts).toEqual([])
  })

  it.each([
    ["the development provider", "authorization_response_iss_parameter_supported: true"],
    ["the adapter tests", "node:assert"],
  ])("does not load %s", (_, mark) => {
    expect(texts).not.toContain(mark)
  })
})
