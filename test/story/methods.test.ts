import { register, signIn, startPasskeySite } from "../flows/support/passkeys.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

/** The lines of the flows alone, each flow's name replaced by its place. */
function flowsOf(debugged: readonly (readonly unknown[])[]): string[] {
  const names: string[] = []
  return debugged.map(String).flatMap((line) => {
    const [, name, rest] = /^flow (\S+) (.*?),?$/.exec(line) ?? []
    if (!name || rest === undefined) return []
    if (!names.includes(name)) names.push(name)
    return `${names.indexOf(name) + 1}: ${rest}`
  })
}

describeServer("the story for a logger of the application's own", "Auth()", (start) => {
  it("of a passkey has the question as its first request and the answer as its second", async () => {
    const { app, debugged } = await startPasskeySite(start)
    const { passkey } = await register(app.browser(), app.origin, { email: "ada@example.com" })
    expect(flowsOf(debugged)).toContain(
      "1: 1.2 the browser registers a passkey for somebody new, for the relying party app.test",
    )
    debugged.length = 0
    await signIn(app.browser(), passkey, app.origin)
    expect(flowsOf(debugged)).toEqual([
      "1: 1.1 GET /auth/webauthn-options/passkey at http://app.test, with no cookies at all",
      "1: 1.2 the browser may answer with any passkey, for the relying party app.test",
      expect.stringMatching(/^1: 1\.3 answered 200; .*sets authjs\.challenge\.[\w-]{16} \(\d+ characters\)$/),
      "1: 2.1 POST /auth/callback/passkey at http://app.test, with the cookies authjs.callback-url, authjs.csrf-token, authjs.challenge",
      "1: 2.2 the browser answers the challenge of this ceremony, to authenticate",
      "1: 2.3 the passkey's answer holds",
      expect.stringMatching(/^1: 2\.4 the account is of user [\w-]+; nobody is signed in: use$/),
      expect.stringMatching(/^1: 2\.5 the user, [\w-]+, signs in with passkey$/),
      expect.stringMatching(/^1: 2\.6 a session begins /),
      expect.stringMatching(/^1: 2\.7 answered 302, going to \/me; .*sets authjs\.session-token/),
    ])
  })

  it("of an answer by form_post has one request more", async () => {
    const { logger, debugged } = recordingLogger()
    const provider = op.oidc({ authorization: { params: { response_mode: "form_post" } } })
    const app = await start({ providers: [provider], secret: TEST_SECRET, logger })
    const browser = app.browser()
    const { location } = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
    const { action, fields } = await op.authorizeByForm(location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    await browser.get(posted.location, { from: op.issuer })
    const story = flowsOf(debugged)
    expect(new Set(story.map((line) => line.split(":")[0]))).toEqual(new Set(["1"]))
    expect(story.filter((line) => / \d\.1 /.test(line)).map((line) => line.split(" ").slice(1, 4))).toEqual([
      ["1.1", "POST", "/auth/signin/oidc"],
      ["2.1", "POST", "/auth/callback/oidc"],
      ["3.1", "GET", "/auth/callback/oidc"],
    ])
    expect(story.join("\n")).toMatch(/^1: 3\.2 the provider's answer has code, state.*; this browser began the flow$/m)
    expect(debugged.map(String).join("\n")).not.toContain(String(fields["code"]))
  })
})
