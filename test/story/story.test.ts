import type { Browser, Page } from "../support/browser.js"
import { type Person, signInAtProvider } from "../support/real-provider.js"
import { until } from "../support/wait.js"
import { type Line, PASSWORD, type StorySite, startStorySite, storyIn } from "./support/process.js"

let site: StorySite
beforeAll(async () => {
  site = await startStorySite({ DEBUG: "latchkey:*" })
})
afterAll(() => site.close())

/** The lines that came of what was done, once the last of them is there. */
async function toldOf<T>(work: () => Promise<T>, last: RegExp): Promise<Line[]> {
  const before = site.errors().length
  await work()
  const lines = () => storyIn(site.errors().slice(before))
  await until(() => lines().some(({ text }) => last.test(text)))
  return lines()
}

const flowsIn = (lines: readonly Line[]): string[] => [...new Set(lines.flatMap(({ flow }) => flow ?? []))]

/** A flow's lines as they are read: "1.1 oauth …". */
const storyOf = (lines: readonly Line[], flow: string | undefined): string[] =>
  lines.filter((line) => line.flow === flow).map(({ step, topic, text }) => `${step} ${topic}: ${text}`)

const onlyStory = (lines: readonly Line[]): string[] => {
  const flows = flowsIn(lines)
  expect(flows).toHaveLength(1)
  return storyOf(lines, flows[0])
}

/** What passed through browsers and opens something, or is a person's: none of it may stand in a story. */
const passed: string[] = []
const OPENING = ["code", "state", "nonce", "code_challenge", "token", "email"]

function note(browser: Browser, ...addresses: string[]): void {
  const params = addresses.flatMap((address) => [...new URL(address).searchParams])
  passed.push(
    ...browser.jar.all().map(({ value }) => value),
    ...params.filter(([name]) => OPENING.includes(name)).map(([, value]) => value),
  )
}

const begin = async (browser: Browser): Promise<Page> =>
  browser.post("/auth/signin/real", { csrfToken: await browser.csrf(), callbackUrl: "/me" })

/** Goes to the provider; gives the address that it sends the browser back to. */
async function agree(browser: Browser, authorizationUrl: string, who: Person): Promise<string> {
  const answer = await signInAtProvider(browser, authorizationUrl, who)
  note(browser, authorizationUrl, answer)
  return answer
}

async function comeBack(browser: Browser, answer: string): Promise<void> {
  await browser.get(answer, { from: "http://op.test" })
  note(browser)
}

const signIn = async (browser: Browser, who: Person): Promise<void> =>
  comeBack(browser, await agree(browser, (await begin(browser)).location, who))

/** Without what differs from run to run. */
const normal = (line: string): string =>
  line
    .replaceAll(site.origin, "SITE")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "OP")
    .replace(/authjs\.state\.[\w-]{16}/g, "authjs.state.PART")
    .replace(/\d+ ms$/, "MS")

describe("DEBUG=latchkey:* tells", () => {
  it("of a sign-in at a provider, over both of its requests", async () => {
    const browser = site.browser()
    const lines = await toldOf(() => signIn(browser, "alice"), /^answered 302, going to \/me/)
    expect(onlyStory(lines).map(normal)).toEqual([
      "1.1 request: POST /auth/signin/real at SITE, with the cookies authjs.callback-url, authjs.csrf-token",
      '1.2 oauth: asks OP/auth with client_id "story", redirect_uri "SITE/auth/callback/real", scope "openid profile email", checks pkce + state + nonce',
      expect.stringMatching(
        /^1.3 request: answered 200, going to OP\/auth; sets .*authjs.state.PART \(\d+ characters\)$/,
      ),
      "2.1 request: GET /auth/callback/real at SITE, with the cookies authjs.callback-url, authjs.csrf-token, authjs.state",
      "2.2 oauth: the provider's answer has code, state, iss; this browser began the flow",
      "2.3 oauth: POST OP/token answered 200 after MS",
      expect.stringMatching(/^2.4 oauth: the token answer has access_token, .*, good for 3600 s$/),
      expect.stringMatching(/^2.5 oauth: the id_token holds: RS256 by OP, made \d s (?:ago|ahead)/),
      expect.stringMatching(/^2.6 oauth: the profile has sub, name, .*; the provider says that the address is proved$/),
      "2.7 account: the account is not known yet; nobody has its address; nobody is signed in: create",
      expect.stringMatching(/^2.8 account: a new user, [\w-]+, signs in with real$/),
      "2.9 session: a session begins in an encrypted cookie, good for 2592000 s without use",
      expect.stringMatching(
        /^2.10 request: answered 302, going to \/me; clears authjs.state.PART, sets authjs.csrf-token \(129 characters\), sets authjs.session-token/,
      ),
    ])
  })

  it("of two sign-ins at once, each under its own name", async () => {
    const [one, other] = [site.browser(), site.browser()]
    const lines = await toldOf(async () => {
      const pages = await Promise.all([begin(one), begin(other)])
      const [first = "", second = ""] = pages.map(({ location }) => location)
      const answers = [await agree(other, second, "bob"), await agree(one, first, "alice")] as const
      await Promise.all([comeBack(other, answers[0]), comeBack(one, answers[1])])
      await site.browser().get("/auth/providers")
    }, /^GET \/auth\/providers/)
    const stories = flowsIn(lines).map((flow) => storyOf(lines, flow))
    expect(stories).toHaveLength(2)
    for (const story of stories) {
      const steps = story.map((line) => line.split(" ")[0])
      expect([steps.slice(0, 4), steps.at(-1)]).toEqual([["1.1", "1.2", "1.3", "2.1"], `2.${steps.length - 3}`])
      expect(story.at(-1)).toContain("going to /me")
    }
  })

  it("of a browser that comes back without its cookies, under the name of the flow that it began", async () => {
    const browser = site.browser()
    const lines = await toldOf(async () => {
      const answer = await agree(browser, (await begin(browser)).location, "alice")
      await site.browser().get(answer)
    }, /error=OAuthCallbackError/)
    expect(onlyStory(lines).slice(-4).map(normal)).toEqual([
      "2.1 request: GET /auth/callback/real at SITE, with no cookies at all",
      "2.2 oauth: the provider's answer has code, state, iss; no flow under way in this browser fits",
      expect.stringMatching(
        /^2.3 request: failed with InvalidCheck: pkceCodeVerifier could not be checked: this browser /,
      ),
      expect.stringMatching(/^2.4 request: answered 302, going to .auth.signin with error=OAuthCallbackError/),
    ])
  })

  it("of a link by e-mail, opened in another browser, with the address cut short", async () => {
    const browser = site.browser()
    const other = site.browser()
    const lines = await toldOf(async () => {
      await browser.post("/auth/signin/mail", { csrfToken: await browser.csrf(), email: "grace@example.com" })
      const page = await other.get((await until(() => site.links().at(-1))) ?? "")
      await other.submit(other.form(await page.text()))
    }, /^a session begins/)
    const story = onlyStory(lines)
    expect(story.map(normal)).toEqual(
      expect.arrayContaining([
        "1.2 email: g…@example.com asks for a link",
        "1.3 email: the link is stored, good for 86400 s; it goes to the sender",
        "1.4 email: the sender has taken the mail",
        "2.2 email: the link is opened in a browser that did not ask for it",
        "3.2 email: the link is confirmed in a browser that did not ask for it",
        "3.3 email: the link is good, and used up now: it was sent to g…@example.com",
        "3.4 account: nobody has its address; nobody is signed in: create",
      ]),
    )
  })

  it("of a password, right and wrong, by the names of the fields", async () => {
    const browser = site.browser()
    const submit = async (password: string) => {
      const fields = { csrfToken: await browser.csrf(), username: "ada", password }
      return browser.post("/auth/callback/credentials", fields)
    }
    const wrong = await toldOf(() => submit("a wrong password"), /error=CredentialsSignin/)
    expect(onlyStory(wrong).slice(1, 3)).toEqual([
      "1.2 credentials: the limit on attempts lets it pass; authorize gets the fields csrfToken, username, password",
      `1.3 request: failed with CredentialsSignin: authorize refused {"provider":"credentials"}`,
    ])
    const right = await toldOf(() => submit(PASSWORD), /^answered 302/)
    expect(onlyStory(right)).toContain("1.3 credentials: authorize gave a user")
    expect(site.errors()).not.toContain("a wrong password")
  })

  it("of what a hostile provider or visitor writes on one line, without the tokens and addresses in it", async () => {
    const browser = site.browser()
    const { location } = await begin(browser)
    const state = new URL(location).searchParams.get("state") ?? ""
    const text =
      "no\r\n1999-01-01T00:00:00.000Z latchkey:oauth flow AAAA 2.9 all is well %s%o \u001b[31m victim@example.com"
    const query = new URLSearchParams({ state, error: "access_denied", error_description: text })
    const lines = await toldOf(() => browser.get(`/auth/callback/real?${query}`), /error=OAuthCallbackError/)
    const forged = await toldOf(() => browser.get("/auth/callback/a%0Ab@c.example?x"), /^answered 404/)
    expect(forged.every(({ flow }) => flow !== "AAAA")).toBe(true)
    const story = onlyStory(lines).join("\n")
    expect(story).toContain("latchkey:oauth flow AAAA 2.9 all is well %s%o \\\\u001b[31m v…@example.com")
    expect(site.errors()).not.toContain("\u001b")
    expect(site.errors()).not.toMatch(/^1999/m)
  })

  it("of the configuration at the start, and why nobody is signed in", async () => {
    const [config] = storyIn(site.errors()).filter(({ topic }) => topic === "config")
    expect(config?.text).toMatch(
      /^providers real \(oidc\), credentials \(credentials\), mail \(email\); sessions in an encrypted/,
    )
    const browser = site.browser()
    const without = await toldOf(() => browser.get("/me"), /^GET \/me/)
    browser.setCookie("theme", "dark")
    const others = await toldOf(() => browser.get("/me"), /^GET \/me/)
    browser.setCookie("authjs.session-token", "nonsense")
    const broken = await toldOf(() => browser.get("/me"), /^GET \/me/)
    expect([without, others, broken].map(([line]) => line?.text)).toEqual([
      "GET /me: no session, for there is no authjs.session-token among the browser's 0 cookies",
      "GET /me: no session, for there is no authjs.session-token among the browser's 1 cookies",
      "GET /me: no session, for what authjs.session-token holds is none, or none any more",
    ])
  })

  afterAll(() => {
    expect(passed.length).toBeGreaterThan(20)
    const leaks = [...site.secrets, ...passed].filter((secret) => secret.length > 7 && site.errors().includes(secret))
    expect(leaks).toEqual([])
  })
})

it("says nothing where DEBUG names somebody else, or nobody", async () => {
  for (const DEBUG of ["express:none", ""]) {
    const silent = await startStorySite({ DEBUG })
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
