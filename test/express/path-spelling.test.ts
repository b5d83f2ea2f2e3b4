import express, { type Express } from "express"
import express4 from "express4"
import { authMiddleware } from "../../lib/index.js"
import { Browser } from "../support/browser.js"
import { fc, PROPERTY_RUNS } from "../support/properties.js"
import { rawRequest } from "../support/raw-request.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { type Attempt, configOf, people, servers } from "./support/servers.js"

failOnUnhandled()
const serve = servers()
const EXACT = "/auth/callback/credentials"

/** Ways to mount the middleware below `/auth`. */
const MOUNTS: [string, (create: typeof express) => Express, (app: Express, middleware: express.Handler) => void][] = [
  ["Express 5, at the root", (e) => e(), (app, m) => app.use(m)],
  ["Express 5, at a path", (e) => e(), (app, m) => app.use("/auth", m)],
  ["Express 5, at a wildcard", (e) => e(), (app, m) => app.all("/auth/*splat", m)],
  ["Express 5, with strict routing", (e) => e().enable("strict routing"), (app, m) => app.use(m)],
  ["Express 4, at the root", () => express4(), (app, m) => app.use(m)],
  ["Express 4, at a path", () => express4(), (app, m) => app.use("/auth", m)],
  ["Express 4, at a wildcard", () => express4(), (app, m) => app.all("/auth/*", m)],
  ["Express 4, with strict routing", () => express4().enable("strict routing"), (app, m) => app.use(m)],
]

/** Other spellings that some parser may read as `EXACT`. */
const SPELLINGS = [
  ..."/auth//callback/credentials /auth/callback//credentials //auth/callback/credentials".split(" "),
  ..."/auth/callback/credentials// /auth/callback/credentials/ /auth/callback/credentials/// /auth///callback/credentials".split(
    " ",
  ),
  ..."/auth/callback/credentials/. /auth/./callback/credentials /auth/x/../callback/credentials".split(" "),
  ..."/auth/callback/%63redentials /auth/callback%2Fcredentials /auth%2Fcallback/credentials /auth/callback/credentials%2F".split(
    " ",
  ),
  ..."/auth/%2e/callback/credentials /auth/callback/%2e%2e/callback/credentials /auth/callback/credentials%20".split(
    " ",
  ),
  ..."/AUTH/callback/credentials /auth/Callback/credentials /auth/callback/CREDENTIALS".split(" "),
  ..."/auth/callback;a=1/credentials /auth/callback/credentials;a=1 /auth;a=1/callback/credentials".split(" "),
  ..."/auth/callback\\credentials /auth/callback/.\\credentials /auth/callback/x\\..\\credentials \\auth/callback/credentials".split(
    " ",
  ),
  ..."/auth/callback/credentials? /auth/callback/credentials# /auth/callback/credentials?/x http://evil.test/auth/callback/credentials".split(
    " ",
  ),
  "http://evil.test\\@x/auth/callback/credentials",
]

describe.each(MOUNTS)("a rate limiter that the application mounts on the exact path: %s", (_name, create, mount) => {
  async function start() {
    const attempts: Attempt[] = []
    let seen = 0
    const app = create(express)
    app.post(EXACT, (_req, _res, next) => {
      seen++
      next()
    })
    mount(app, authMiddleware(configOf({ providers: [people(attempts)], rateLimit: false })) as express.Handler)
    const { address } = await serve(app)
    const browser = new Browser({ origin: address })
    const csrfToken = await browser.csrf("/auth")
    const headers = { cookie: browser.cookieHeader(), "content-type": "application/x-www-form-urlencoded" }
    const body = new URLSearchParams({ csrfToken, username: "ada", password: "wrong" }).toString()
    /** Returns true if the request called `authorize` without passing the limiter. */
    return async (path: string): Promise<boolean> => {
      attempts.length = 0
      seen = 0
      await rawRequest(address, { method: "POST", path, headers, body })
      return attempts.length > seen
    }
  }

  it("counts every attempt, however its path is spelled", async () => {
    const bypasses = await start()
    const bypassing: string[] = []
    for (const path of SPELLINGS) if (await bypasses(path)) bypassing.push(path)
    expect(bypassing).toEqual([])
  })

  it("counts every attempt at a path with inserted characters (property)", async () => {
    const bypasses = await start()
    const addition = fc.constantFrom(
      "/",
      ".",
      "..",
      "\\",
      "%2f",
      "%5c",
      "%2e",
      ";",
      "?",
      "#",
      "//",
      "/./",
      "/x/..",
      "\\..\\",
    )
    const edits = fc.array(fc.record({ at: fc.nat(EXACT.length), text: addition }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(edits, async (list) => {
        const path = list.reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), EXACT)
        // Node.js sends no other request line.
        fc.pre(path.startsWith("/") || path.startsWith("\\"))
        expect([path, await bypasses(path)]).toEqual([path, false])
      }),
      { numRuns: Math.ceil(PROPERTY_RUNS / MOUNTS.length) },
    )
  })
})
