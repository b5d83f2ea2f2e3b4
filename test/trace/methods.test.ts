import { register, signIn, startPasskeySite } from "../flows/support/passkeys.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

/** The lines that belong to flows, with each flow id replaced by its index. */
function readFlows(debugged: readonly (readonly unknown[])[]): string[] {
  const ids: string[] = []
  return debugged.map(String).flatMap((line) => {
    const [, id, rest] = /^flow (\S+) (.*?),?$/.exec(line) ?? []
    if (!id || rest === undefined) return []
    if (!ids.includes(id)) ids.push(id)
    return `${ids.indexOf(id) + 1}: ${rest}`
  })
}

describeServer("trace in the application's own logger", "Auth()", (start) => {
  it("traces the options and the response of a passkey as two requests of one flow", async () => {
    const { app, debugged } = await startPasskeySite(start)
    const { passkey } = await register(app.browser(), app.origin, { email: "ada@example.com" })
    expect(readFlows(debugged)).toContain(
      "1: 1.2 the browser registers a passkey for a new user, for the relying party app.test",
    )
    debugged.length = 0
    await signIn(app.browser(), passkey, app.origin)
    expect(readFlows(debugged)).toEqual([
      "1: 1.1 GET /auth/webauthn-options/passkey at http://app.test, without cookies",
      "1: 1.2 the browser may use any passkey, for the relying party app.test",
      expect.stringMatching(/^1: 1\.3 answered 200; .*sets authjs\.challenge\.[\w-]{16} \(\d+ characters\)$/),
      "1: 2.1 POST /auth/callback/passkey at http://app.test, with the cookies authjs.callback-url, authjs.csrf-token, authjs.challenge",
      "1: 2.2 the response belongs to a pending ceremony (authenticate)",
      "1: 2.3 the passkey response is valid",
      expect.stringMatching(/^1: 2\.4 the account belongs to user [\w-]+; no user is signed in: use$/),
      expect.stringMatching(/^1: 2\.5 user [\w-]+ signs in with passkey$/),
      expect.stringMatching(/^1: 2\.6 a session is created /),
      expect.stringMatching(/^1: 2\.7 answered 302, going to \/me; .*sets authjs\.session-token/),
    ])
  })

  it("traces that the session's cookie ends with the browser", async () => {
    const { app, debugged } = await startPasskeySite(start, { session: { remember: false } })
    await register(app.browser(), app.origin, { email: "ada@example.com" })
    expect(readFlows(debugged)).toContainEqual(
      expect.stringMatching(/^1: 2\.\d a session is created in the database and its cookie ends with the browser$/),
    )
  })

  it("traces a form_post response as three requests of one flow", async () => {
    const { logger, debugged } = recordingLogger()
    const provider = op.oidc({ authorization: { params: { response_mode: "form_post" } } })
    const app = await start({ providers: [provider], secret: TEST_SECRET, logger })
    const browser = app.browser()
    const { location } = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
    const { action, fields } = await op.authorizeByForm(location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    await browser.get(posted.location, { from: op.issuer })
    const trace = readFlows(debugged)
    expect(new Set(trace.map((line) => line.split(":")[0]))).toEqual(new Set(["1"]))
    expect(trace.filter((line) => / \d\.1 /.test(line)).map((line) => line.split(" ").slice(1, 4))).toEqual([
      ["1.1", "POST", "/auth/signin/oidc"],
      ["2.1", "POST", "/auth/callback/oidc"],
      ["3.1", "GET", "/auth/callback/oidc"],
    ])
    expect(trace.join("\n")).toMatch(
      /^1: 3\.2 the authorization response has code, state.*; this browser started the flow$/m,
    )
    expect(debugged.map(String).join("\n")).not.toContain(String(fields["code"]))
  })
})
