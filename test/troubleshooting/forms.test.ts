import express, { type RequestHandler } from "express"
import { requireAuth } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import { signIn } from "../express/support/servers.js"
import { EXPRESS, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

const RIGHT = { username: "ada", password: "right" }

describe.each(EXPRESS)("forms on %s", (_version, create) => {
  it.each<[string, RequestHandler[]]>([
    ["parsers for forms and JSON", [express.json(), express.urlencoded({ extended: true })]],
    ["a parser of all bodies as text", [express.text({ type: "*/*" })]],
    ["a parser of all bodies as bytes", [express.raw({ type: "*/*" })]],
  ])("sign-in works after %s", async (_name, parsers) => {
    const app = await start({ create, setup: (server) => server.use(...parsers) })
    expect((await signIn(app.browser())).location).toBe(`${app.address}/`)
    expect(terminal.text()).toBe("")
  })

  it("a body consumed by earlier middleware is logged once with the correct mount order", async () => {
    const consume: RequestHandler = (req, _res, next) => void req.resume().on("end", () => next())
    const app = await start({ create, setup: (server) => server.use(consume) })
    for (let i = 0; i < 2; i++) expect((await signIn(app.browser())).location).toContain("error=MissingCSRF")
    const [line = "", ...more] = terminal.lines("[latchkey][warn][body-consumed]")
    expect(more).toEqual([])
    expect(line).toMatch(
      /has not set req\.body.*Mount the middleware before that code.*app\.use\(express\.urlencoded\(\)\)/,
    )
  })

  it("a guard before the middleware responds with the line to add", async () => {
    const app = await start({ create, setup: (server) => server.get("/private", requireAuth) })
    const page = await app.browser().get("/private")
    expect([page.status, await textOf(page)]).toEqual([500, expect.stringContaining("app.use(authMiddleware(config))")])
  })
})

it("a form without its CSRF token can be repeated, and the log has the code to add", async () => {
  const app = await start({})
  const browser = app.browser()
  await browser.csrf()
  const page = await browser.post("/auth/callback/credentials", RIGHT, { follow: true })
  expect([page.status, await textOf(page)]).toEqual([200, expect.stringContaining("Please try again")])
  expect(terminal.text()).toMatch(
    /^\[latchkey\]\[warn\]\[csrf-token-missing\] MissingCSRF: .*put res\.locals\.auth\.csrfField\(\) into the form/,
  )
})

const failing = (authorize: () => never) => Credentials({ credentials: { username: {} }, authorize })

it("a database error shows only a reference to the user, and the log has the details with that reference", async () => {
  const provider = failing(() => {
    throw new Error("connect ECONNREFUSED 10.0.0.5:5432")
  })
  const app = await start({ config: { providers: [provider] } })
  const browser = app.browser()
  const fields = { csrfToken: await browser.csrf(), username: "ada" }
  const page = await browser.post("/auth/callback/credentials", fields, { follow: true })
  const text = await textOf(page)
  expect([page.status, text]).toEqual([500, expect.stringMatching(/isn't your fault\. Please try again later/)])
  expect(text).not.toContain("ECONNREFUSED")
  const reference = /Reference: (\S+)/.exec(text)?.[1]
  expect(terminal.text()).toContain("[latchkey][error][callback-failed] CallbackRouteError: authorize failed")
  expect(terminal.text()).toContain("[latchkey][cause] Error: connect ECONNREFUSED 10.0.0.5:5432")
  expect(terminal.text()).toContain(`"reference":"${reference}"`)
  expect(terminal.text()).toContain("forms.test.ts")
})

it("a wrong password shows one sentence to the user and logs one warning", async () => {
  const app = await start({})
  const browser = app.browser()
  const fields = { ...RIGHT, csrfToken: await browser.csrf(), password: "wrong" }
  const page = await browser.post("/auth/callback/credentials", fields, { follow: true })
  expect(await textOf(page)).toContain("We couldn't sign you in with these details. Please check them and try again.")
  expect(terminal.text()).toBe(
    '[latchkey][warn][credentials-refused] CredentialsSignin: authorize refused {"provider":"credentials"}',
  )
})
