import type { Browser, Page } from "../support/browser.js"
import { type Person, signInAtProvider } from "../support/real-provider.js"
import { until } from "../support/wait.js"
import { PASSWORD, startTracedSite, type TracedSite, type TraceLine, traceLines } from "./support/process.js"

let site: TracedSite
beforeAll(async () => {
  site = await startTracedSite({ DEBUG: "latchkey:*" })
})
afterAll(() => site.close())

/** Runs `work`, waits for the line that matches `last`, and returns the new lines. */
async function linesFrom<T>(work: () => Promise<T>, last: RegExp): Promise<TraceLine[]> {
  const before = site.errors().length
  await work()
  const lines = () => traceLines(site.errors().slice(before))
  await until(() => lines().some(({ text }) => last.test(text)))
  return lines()
}

const flowIds = (lines: readonly TraceLine[]): string[] => [...new Set(lines.flatMap(({ flow }) => flow ?? []))]

/** The lines of one flow, as "1.1 oauth: …". */
const stepsOf = (lines: readonly TraceLine[], flow: string | undefined): string[] =>
  lines.filter((line) => line.flow === flow).map(({ step, topic, text }) => `${step} ${topic}: ${text}`)

const stepsOfOnlyFlow = (lines: readonly TraceLine[]): string[] => {
  const flows = flowIds(lines)
  expect(flows).toHaveLength(1)
  return stepsOf(lines, flows[0])
}

/** The cookies, codes and addresses that browsers received or sent. None of them may appear in the trace. */
const browserSecrets: string[] = []
const SECRET_PARAMS = ["code", "state", "nonce", "code_challenge", "token", "email"]

function recordSecrets(browser: Browser, ...addresses: string[]): void {
  const params = addresses.flatMap((address) => [...new URL(address).searchParams])
  browserSecrets.push(
    ...browser.jar.all().map(({ value }) => value),
    ...params.filter(([name]) => SECRET_PARAMS.includes(name)).map(([, value]) => value),
  )
}

const begin = async (browser: Browser): Promise<Page> =>
  browser.post("/auth/signin/real", { csrfToken: await browser.csrf(), callbackUrl: "/me" })

/** Signs in at the provider, and returns the redirect back to the application. */
async function consent(browser: Browser, authorizationUrl: string, person: Person): Promise<string> {
  const answer = await signInAtProvider(browser, authorizationUrl, person)
  recordSecrets(browser, authorizationUrl, answer)
  return answer
}

async function returnToSite(browser: Browser, answer: string): Promise<void> {
  await browser.get(answer, { from: "http://op.test" })
  recordSecrets(browser)
}

const signIn = async (browser: Browser, person: Person): Promise<void> =>
  returnToSite(browser, await consent(browser, (await begin(browser)).location, person))

/** Replaces the parts that differ between runs. */
const normalize = (line: string): string =>
  line
    .replaceAll(site.origin, "SITE")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "OP")
    .replace(/authjs\.state\.[\w-]{16}/g, "authjs.state.PART")
    .replace(/\d+ ms$/, "MS")

describe("trace with DEBUG=latchkey:*", () => {
  it("traces a sign-in at a provider across both of its requests", async () => {
    const browser = site.browser()
    const lines = await linesFrom(() => signIn(browser, "alice"), /^answered 302, going to \/me/)
    expect(stepsOfOnlyFlow(lines).map(normalize)).toEqual([
      "1.1 request: POST /auth/signin/real at SITE, with the cookies authjs.callback-url, authjs.csrf-token",
      '1.2 oauth: requests OP/auth with client_id "trace", redirect_uri "SITE/auth/callback/real", scope "openid profile email", checks pkce + state + nonce',
      expect.stringMatching(
        /^1.3 request: answered 200, going to OP\/auth; sets .*authjs.state.PART \(\d+ characters\)$/,
      ),
      "2.1 request: GET /auth/callback/real at SITE, with the cookies authjs.callback-url, authjs.csrf-token, authjs.state",
      "2.2 oauth: the authorization response has code, state, iss; this browser started the flow",
      "2.3 oauth: POST OP/token answered 200 after MS",
      expect.stringMatching(/^2.4 oauth: the token response has access_token, .*; expires in 3600 s$/),
      expect.stringMatching(/^2.5 oauth: the id_token is valid: RS256 by OP, issued \d s (?:ago|ahead)/),
      expect.stringMatching(
        /^2.6 oauth: the profile has sub, name, .*; the email address is verified by the provider$/,
      ),
      "2.7 account: the account is new; no user has the email address; no user is signed in: create",
      expect.stringMatching(/^2.8 account: new user [\w-]+ signs in with real$/),
      "2.9 session: a session is created in an encrypted cookie and expires after 2592000 s without use",
      expect.stringMatching(
        /^2.10 request: answered 302, going to \/me; clears authjs.state.PART, sets authjs.state.finished \(\d+ characters\), sets authjs.csrf-token \(129 characters\), sets authjs.session-token/,
      ),
    ])
  })

  it("gives two concurrent sign-ins different flow ids", async () => {
    const [alice, bob] = [site.browser(), site.browser()]
    const lines = await linesFrom(async () => {
      const pages = await Promise.all([begin(alice), begin(bob)])
      const [first = "", second = ""] = pages.map(({ location }) => location)
      const answers = [await consent(bob, second, "bob"), await consent(alice, first, "alice")] as const
      await Promise.all([returnToSite(bob, answers[0]), returnToSite(alice, answers[1])])
      await site.browser().get("/auth/providers")
    }, /^GET \/auth\/providers/)
    const stepsByFlow = flowIds(lines).map((flow) => stepsOf(lines, flow))
    expect(stepsByFlow).toHaveLength(2)
    for (const steps of stepsByFlow) {
      const numbers = steps.map((line) => line.split(" ")[0])
      expect([numbers.slice(0, 4), numbers.at(-1)]).toEqual([["1.1", "1.2", "1.3", "2.1"], `2.${steps.length - 3}`])
      expect(steps.at(-1)).toContain("going to /me")
    }
  })

  it("traces a callback without cookies under the id of its flow", async () => {
    const browser = site.browser()
    const lines = await linesFrom(async () => {
      const answer = await consent(browser, (await begin(browser)).location, "alice")
      await site.browser().get(answer)
    }, /error=OAuthCallbackError/)
    expect(stepsOfOnlyFlow(lines).slice(-4).map(normalize)).toEqual([
      "2.1 request: GET /auth/callback/real at SITE, without cookies",
      "2.2 oauth: the authorization response has code, state, iss; this browser has no matching flow",
      expect.stringMatching(
        /^2.3 request: failed with InvalidCheck: pkceCodeVerifier could not be checked: this browser /,
      ),
      expect.stringMatching(/^2.4 request: answered 302, going to .auth.signin with error=OAuthCallbackError/),
    ])
  })

  it("traces an email link that is opened in another browser, with the address truncated", async () => {
    const browser = site.browser()
    const other = site.browser()
    const lines = await linesFrom(async () => {
      await browser.post("/auth/signin/mail", { csrfToken: await browser.csrf(), email: "grace@example.com" })
      const page = await other.get((await until(() => site.links().at(-1))) ?? "")
      await other.submit(other.form(await page.text()))
    }, /^a session is created/)
    const steps = stepsOfOnlyFlow(lines)
    expect(steps.map(normalize)).toEqual(
      expect.arrayContaining([
        "1.2 email: g…@example.com requests a link",
        "1.3 email: the link is stored and expires in 86400 s; sending it",
        "1.4 email: sendVerificationRequest succeeded",
        "2.2 email: the link is opened in a browser that did not request it",
        "3.2 email: the link is confirmed in a browser that did not request it",
        "3.3 email: the link is valid and now consumed; it was sent to g…@example.com",
        "3.4 account: no user has the email address; no user is signed in: create",
      ]),
    )
  })

  it("traces only the field names of a right and a wrong password", async () => {
    const browser = site.browser()
    const submit = async (password: string) => {
      const fields = { csrfToken: await browser.csrf(), username: "ada", password }
      return browser.post("/auth/callback/credentials", fields)
    }
    const wrong = await linesFrom(() => submit("a wrong password"), /error=CredentialsSignin/)
    expect(stepsOfOnlyFlow(wrong).slice(1, 3)).toEqual([
      "1.2 credentials: no rate limit is reached; calling authorize with the fields csrfToken, username, password",
      `1.3 request: failed with CredentialsSignin: authorize refused {"provider":"credentials"}`,
    ])
    const right = await linesFrom(() => submit(PASSWORD), /^answered 302/)
    expect(stepsOfOnlyFlow(right)).toContain("1.3 credentials: authorize returned a user")
    expect(site.errors()).not.toContain("a wrong password")
  })

  it("writes hostile input on one line, without tokens and addresses", async () => {
    const browser = site.browser()
    const { location } = await begin(browser)
    const state = new URL(location).searchParams.get("state") ?? ""
    const text =
      "no\r\n1999-01-01T00:00:00.000Z latchkey:oauth flow AAAA 2.9 all is well %s%o \u001b[31m victim@example.com"
    const query = new URLSearchParams({ state, error: "access_denied", error_description: text })
    const lines = await linesFrom(() => browser.get(`/auth/callback/real?${query}`), /error=OAuthCallbackError/)
    const forged = await linesFrom(() => browser.get("/auth/callback/a%0Ab@c.example?x"), /^answered 404/)
    expect(forged.every(({ flow }) => flow !== "AAAA")).toBe(true)
    const steps = stepsOfOnlyFlow(lines).join("\n")
    expect(steps).toContain("latchkey:oauth flow AAAA 2.9 all is well %s%o \\\\u001b[31m v…@example.com")
    expect(site.errors()).not.toContain("\u001b")
    expect(site.errors()).not.toMatch(/^1999/m)
  })

  it("traces the configuration at startup, and why a request has no session", async () => {
    const [config] = traceLines(site.errors()).filter(({ topic }) => topic === "config")
    expect(config?.text).toMatch(
      /^providers real \(oidc\), credentials \(credentials\), mail \(email\); sessions in an encrypted/,
    )
    const browser = site.browser()
    const noCookie = await linesFrom(() => browser.get("/me"), /^GET \/me/)
    browser.setCookie("theme", "dark")
    const otherCookie = await linesFrom(() => browser.get("/me"), /^GET \/me/)
    browser.setCookie("authjs.session-token", "nonsense")
    const invalidCookie = await linesFrom(() => browser.get("/me"), /^GET \/me/)
    expect([noCookie, otherCookie, invalidCookie].map(([line]) => line?.text)).toEqual([
      "GET /me: no session: authjs.session-token is not among the browser's 0 cookies",
      "GET /me: no session: authjs.session-token is not among the browser's 1 cookies",
      "GET /me: no session: authjs.session-token is invalid or expired",
    ])
  })

  afterAll(() => {
    expect(browserSecrets.length).toBeGreaterThan(20)
    const leaks = [...site.secrets, ...browserSecrets].filter(
      (secret) => secret.length > 7 && site.errors().includes(secret),
    )
    expect(leaks).toEqual([])
  })
})

it("no trace is written if DEBUG does not match latchkey", async () => {
  for (const DEBUG of ["express:none", ""]) {
    const silent = await startTracedSite({ DEBUG })
    try {
      const browser = silent.browser()
      await browser.get("/auth/signin")
      await browser.get("/me")
      expect(silent.errors()).toBe("")
    } finally {
      await silent.close()
    }
  }
})
