/**
 * SES-25, SES-26, SES-27: changes of the list of secrets.
 *
 * @module
 */
import { decode } from "../../../lib/jwt.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, type Start } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, mailbox, openLink } from "../support/mail.js"
import { memoryStore, ownMethods } from "../support/memory-adapter.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const NAME = "authjs.session-token"
const CSRF = "authjs.csrf-token"
const [A, B, C, D] = ["first", "second", "third", "fourth"].map(
  (word) => `the ${word} secret, of fifty letters or a little more`,
) as [string, string, string, string]
type Secrets = string | string[]

const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const kid = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid

/** Changes of the list, and whether values that were signed before the change stay valid. */
const CHANGES: readonly [string, Secrets, Secrets, boolean][] = [
  ["a secret put before the only one", A, [B, A], true],
  ["a secret put before two", [B, A], [C, B, A], true],
  ["the middle one of three removed, which was not used", [C, B, A], [C, A], true],
  ["the last of three removed, which was not used", [C, B, A], [C, B], true],
  ["the order reversed", [B, A], [A, B], true],
  ["a list of one instead of a string", A, [A], true],
  ["the same secret twice", A, [A, A], true],
  ["an empty secret put before the only one", A, ["", A], true],
  ["the middle one of three removed, which was used", [B, A], [C, A, D], false],
  ["all three changed", [C, B, A], [D, A, B], false],
  ["a trailing space added", A, `${A} `, false],
  ["the letters changed to upper case", A, A.toUpperCase(), false],
  ["two secrets joined into one", [B, A], `${B},${A}`, false],
]

describeServers("A list of secrets", (start, stage) => {
  // The changes do not depend on the server: all of them run on one server, the first and the last on the others.
  const rows = <T>(all: readonly T[]) => (stage === "Express 5" ? all : [...all.slice(0, 1), ...all.slice(-1)])
  const op = useProvider()

  const origin = "http://app.test"
  const startBrowser = async (secret: Secrets, over: Partial<AuthConfig> = {}, start_: Start = start) =>
    (await start_(configOf({ secret, ...over }), { origin })).browser()
  /** Copies the cookies to a browser at the restarted application. */
  function copyCookies(from: Browser, to: Browser): void {
    for (const cookie of from.jar.all()) to.jar.put(cookie)
  }

  it.each(rows(CHANGES))(
    "SES-25, SES-27: with %s, a session continues or ends as documented",
    async (_, before, after, staysValid) => {
      const filler = "x".repeat(4_000)
      for (const callbacks of [{}, { jwt: ({ token }) => ({ ...token, filler }) } satisfies AuthConfig["callbacks"]]) {
        const old = await startBrowser(before, { callbacks })
        await signIn(old)
        const kept = old.cookies().filter(({ name }) => name.startsWith(NAME))
        for (const path of ["/me", "/auth/session"]) {
          const { logger, records } = recordingLogger()
          const browser = await startBrowser(after, { callbacks, logger })
          copyCookies(old, browser)
          const page = await browser.get(path)
          expect([page.status, await page.json()]).toEqual([
            200,
            staysValid ? expect.objectContaining({ user: { name: "ada" } }) : null,
          ])
          const left = browser.cookies().filter(({ name }) => name.startsWith(NAME))
          expect([path, left.length]).toEqual([path, staysValid ? kept.length : 0])
          if (staysValid && path === "/auth/session") {
            const token = left.map(({ value }) => value).join("")
            const [first = ""] = [after].flat().filter(Boolean)
            expect(await decode({ token, secret: first, salt: NAME })).toMatchObject({ name: "ada" })
            const isChanged = [before].flat()[0] !== first
            expect(kid(token) !== kid(kept.map(({ value }) => value).join(""))).toBe(isChanged)
          }
          expect(records.map(({ code }) => code)).toEqual(staysValid ? [] : ["JWTSessionError"])
          // A user who was signed out can sign in again.
          if (!staysValid) await signIn(browser)
          expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
        }
      }
    },
  )

  it.each(rows(CHANGES))(
    "SES-26, SES-27: with %s, an open form stays valid or is refused once",
    async (_, before, after, staysValid) => {
      const old = await startBrowser(before)
      const csrfToken = await old.csrf()
      const browser = await startBrowser(after)
      copyCookies(old, browser)
      const fields = { username: "ada", password: "right" }
      const page = await browser.post("/auth/callback/credentials", { csrfToken, ...fields })
      expect(errorOf(page)).toBe(staysValid ? "" : "MissingCSRF")
      // A sign-in renews the token, and a refused form needs a new one.
      const renewed = await browser.csrf()
      expect(renewed).not.toBe(csrfToken)
      await browser.post("/auth/callback/credentials", { csrfToken: renewed, ...fields })
      expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    },
  )

  it.each(rows(CHANGES))(
    "SES-26, SES-27: with %s, the CSRF cookie is signed with the first secret or replaced",
    async (_, before, after, staysValid) => {
      const old = await startBrowser(before)
      const csrfToken = await old.csrf()
      const browser = await startBrowser(after)
      copyCookies(old, browser)
      const token = await browser.csrf()
      expect(token === csrfToken).toBe(staysValid)
      const last = await startBrowser([after].flat().filter(Boolean)[0] ?? "")
      last.setCookie(CSRF, browser.cookie(CSRF) ?? "")
      expect(await last.csrf()).toBe(token)
    },
  )

  it.each(rows(CHANGES))(
    "SES-26, SES-27: with %s, a sign-in link stays valid or becomes invalid",
    async (_, before, after, staysValid) => {
      const [store, mail] = [memoryStore(), mailbox()]
      const over = {
        adapter: { ...store.adapter, ...ownMethods(store) },
        providers: [mail.provider],
        rateLimit: false as const,
      }
      for (const isSame of [true, false]) {
        const old = await startBrowser(before, over)
        await askForLink(old, "ada@x.test")
        const browser = await startBrowser(after, over)
        if (isSame) copyCookies(old, browser)
        const page = await openLink(browser, mail.linkTo("ada@x.test"))
        expect(errorOf(page)).toBe(staysValid ? "" : "Verification")
        expect((await read(browser)) !== null).toBe(staysValid)
        if (staysValid)
          expect(errorOf(await openLink(await startBrowser(after, over), mail.linkTo("ada@x.test")))).toBe(
            "Verification",
          )
        else {
          await askForLink(browser, "ada@x.test")
          await openLink(browser, mail.linkTo("ada@x.test"))
          expect(await read(browser)).not.toBeNull()
        }
      }
    },
  )

  it.each(rows(CHANGES))(
    "SES-26, SES-27: with %s, a pending provider sign-in succeeds or can be repeated",
    async (_, before, after, staysValid) => {
      const over = { providers: [people(), op.oidc()] }
      const old = await startBrowser(before, over)
      const begin = async (browser: Browser) =>
        op.authorize((await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })).location)
      const back = await begin(old)
      const browser = await startBrowser(after, over)
      copyCookies(old, browser)
      const page = await browser.get(back, { from: op.issuer })
      expect([page.status, errorOf(page)]).toEqual([302, staysValid ? "" : "OAuthCallbackError"])
      expect((await read(browser)) !== null).toBe(staysValid)
      await browser.get(await begin(browser), { from: op.issuer })
      expect(await read(browser)).not.toBeNull()
    },
  )

  it("SES-25: jwt.secret can change without the secret of CSRF tokens", async () => {
    const old = await startBrowser(A, { jwt: { secret: C } })
    await signIn(old)
    const csrfToken = await old.csrf()
    const browser = await startBrowser(A, { jwt: { secret: [D, C] } })
    copyCookies(old, browser)
    expect([await read(browser), await browser.csrf()]).toEqual([
      expect.objectContaining({ user: { name: "ada" } }),
      csrfToken,
    ])
    expect(await decode({ token: browser.cookie(NAME) ?? "", secret: D, salt: NAME })).toMatchObject({ name: "ada" })
    const without = await startBrowser(A, { jwt: { secret: C } })
    copyCookies(browser, without)
    expect([await read(without), await without.csrf()]).toEqual([null, csrfToken])
  })

  it("SES-27: after the secret of a configuration object is changed in place, only the new one is valid", async () => {
    if (stage !== "Auth()") return
    const config = configOf({ secret: [B, A], trustHost: true, basePath: "/auth" })
    const { Auth } = await import("../../../lib/index.js")
    const get = async (cookie: string) =>
      (await Auth(new Request(`${origin}/auth/session`, { headers: { cookie } }), config)).json()
    const old = await startBrowser(A)
    await signIn(old)
    const cookie = `${NAME}=${old.cookie(NAME)}`
    for (let i = 0; i < 3; i++) expect(await get(cookie)).toMatchObject({ user: { name: "ada" } })
    config.secret = B
    for (let i = 0; i < 3; i++) expect(await get(cookie)).toBeNull()
  })
})
