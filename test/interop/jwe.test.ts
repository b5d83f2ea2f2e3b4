import type { AuthConfig as AuthjsConfig } from "@auth/core"
import * as authjs from "@auth/core/jwt"
import Credentials from "@auth/core/providers/credentials"
import * as latchkey from "../../lib/jwt.js"
import type { AuthConfig } from "../../lib/types.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { moveTo, type Site, startAuthjs, startLatchkey } from "./support/sites.js"

failOnUnhandled()

const SECRET = "the secret of an application that has been there for years"
const NEWER = "the secret that takes over from the one before it this week"
const FOREIGN = "a secret that neither of the two applications has ever seen"
const NAME = "authjs.session-token"
const CLAIMS = { name: "Ada", email: "ada@example.com", picture: null, sub: "42", roles: ["a", "ü"], deep: { x: [1] } }
/** Needs two cookie chunks when it is encrypted. */
const LARGE = { ...CLAIMS, notes: "long ".repeat(900) }

const { encode: byAuthjs, decode: toAuthjs } = authjs
const { encode: byLatchkey, decode: toLatchkey } = latchkey

interface Direction {
  from: string
  to: string
  encode(params: latchkey.JWTEncodeParams): Promise<string>
  decode(params: latchkey.JWTDecodeParams): Promise<latchkey.JWT | null>
  getToken(params: latchkey.GetTokenParams): Promise<string | latchkey.JWT | null>
}

/** Both directions, so that each test covers both. */
const DIRECTIONS: Direction[] = [
  { from: "Auth.js", to: "latchkey", encode: byAuthjs, decode: toLatchkey, getToken: latchkey.getToken },
  { from: "latchkey", to: "Auth.js", encode: byLatchkey, decode: toAuthjs, getToken: authjs.getToken },
]

const withoutTimes = (claims: object | null) => {
  const { iat: _i, exp: _e, jti: _j, ...rest } = Object(claims)
  return rest
}

describe.each(DIRECTIONS)("a token encoded by $from and decoded by $to", ({ encode, decode, getToken }) => {
  it.each([
    ["plain claims", CLAIMS],
    ["no claims", {}],
    ["claims of several chunks", LARGE],
  ])("opens with %s", async (_, token) => {
    const sealed = await encode({ token, secret: SECRET, salt: NAME })
    const opened = await decode({ token: sealed, secret: SECRET, salt: NAME })
    expect(withoutTimes(opened)).toEqual(token)
    expect(opened).toMatchObject({ iat: expect.any(Number), exp: expect.any(Number), jti: expect.any(String) })
    expect(Number(opened?.exp) - Number(opened?.iat)).toBe(30 * 24 * 60 * 60)
  })

  it("has the same header members", async () => {
    const headers = await Promise.all(
      [byAuthjs, byLatchkey].map(async (seal) => {
        const sealed = await seal({ token: CLAIMS, secret: SECRET, salt: NAME })
        return Buffer.from(sealed.split(".")[0] ?? "", "base64url").toString()
      }),
    )
    expect(headers[0]).toBe(headers[1])
  })

  it("has the given lifetime", async () => {
    const sealed = await encode({ token: CLAIMS, secret: SECRET, salt: NAME, maxAge: 60 })
    const opened = await decode({ token: sealed, secret: SECRET, salt: NAME })
    expect(Number(opened?.exp) - Number(opened?.iat)).toBe(60)
  })

  it("is rejected 15 seconds after its expiry and accepted before", async () => {
    const late = await encode({ token: CLAIMS, secret: SECRET, salt: NAME, maxAge: -20 })
    await expect(decode({ token: late, secret: SECRET, salt: NAME })).rejects.toThrow()
    const justOver = await encode({ token: CLAIMS, secret: SECRET, salt: NAME, maxAge: -5 })
    await expect(decode({ token: justOver, secret: SECRET, salt: NAME })).resolves.toMatchObject(CLAIMS)
  })

  it.each([
    ["a list with the old secret second", SECRET, [NEWER, SECRET]],
    ["a list with the old secret first", SECRET, [SECRET, NEWER]],
    ["only the first secret of the list that encrypted it", [NEWER, SECRET], NEWER],
    ["the list that encrypted it", [NEWER, SECRET], [NEWER, SECRET]],
  ])("opens with %s", async (_, sealing, opening) => {
    const sealed = await encode({ token: CLAIMS, secret: sealing, salt: NAME })
    await expect(decode({ token: sealed, secret: opening, salt: NAME })).resolves.toMatchObject(CLAIMS)
  })

  it.each<[string, string | string[], string]>([
    ["another secret", FOREIGN, NAME],
    ["a list without the secret that encrypted it", [FOREIGN, NEWER], NAME],
    ["the salt of the secure cookie", SECRET, `__Secure-${NAME}`],
  ])("does not open with %s", async (_, secret, salt) => {
    const sealed = await encode({ token: CLAIMS, secret: SECRET, salt: NAME })
    await expect(decode({ token: sealed, secret, salt })).rejects.toThrow("no matching decryption secret")
  })

  it.each([0, 1, 2, 3, 4])("is rejected if part %i was changed", async (part) => {
    const parts = (await encode({ token: CLAIMS, secret: SECRET, salt: NAME })).split(".")
    const text = parts[part] ?? ""
    parts[part] = (text.startsWith("A") ? "B" : "A") + text.slice(1)
    await expect(decode({ token: parts.join("."), secret: SECRET, salt: NAME })).rejects.toThrow()
  })

  it("is found by getToken in the plain, chunked, secure and custom cookie, and as a bearer token", async () => {
    const chunked = (name: string, sealed: string) =>
      [sealed.slice(0, 3936), sealed.slice(3936)].map((value, i) => `${name}.${i}=${value}`).join("; ")
    const seal = (salt: string, token: Record<string, unknown> = CLAIMS) => encode({ token, secret: SECRET, salt })
    const read = (headers: Record<string, string>, more: object = {}) =>
      getToken({ req: { headers: new Headers(headers) }, secret: SECRET, ...more })

    await expect(read({ cookie: `a=b; ${NAME}=${await seal(NAME)}` })).resolves.toMatchObject(CLAIMS)
    await expect(read({ cookie: chunked(NAME, await seal(NAME, LARGE)) })).resolves.toMatchObject(LARGE)
    const secure = `__Secure-${NAME}`
    const inSecure = { cookie: `${secure}=${await seal(secure)}` }
    await expect(read(inSecure, { secureCookie: true })).resolves.toMatchObject(CLAIMS)
    await expect(read(inSecure)).resolves.toBeNull()
    const own = { cookie: `sid=${await seal("sid")}` }
    await expect(read(own, { cookieName: "sid" })).resolves.toMatchObject(CLAIMS)
    const bearer = { authorization: `Bearer ${encodeURIComponent(await seal(NAME))}` }
    await expect(read(bearer)).resolves.toMatchObject(CLAIMS)
    await expect(read({})).resolves.toBeNull()
    await expect(read({ cookie: `${NAME}=x.y` })).resolves.toBeNull()
  })
})

/** An application with one form field; the user `large` has a session of several cookies. */
const settings = (more: object = {}) => ({
  trustHost: true,
  secret: SECRET,
  logger: { error() {}, warn() {}, debug() {} },
  callbacks: {
    jwt: ({ token, user }: { token: Record<string, unknown>; user?: { name?: string | null } }) =>
      user?.name === "large" ? { ...token, notes: LARGE.notes } : token,
    session: ({ session, token }: { session: object; token: Record<string, unknown> }) => ({
      ...session,
      sub: token["sub"],
      notes: String(token["notes"] ?? "").length,
    }),
  },
  providers: [
    Credentials({
      credentials: { name: {} },
      authorize: ({ name }) => ({ id: "42", name: String(name), email: "ada@example.com" }),
    }),
  ],
  ...more,
})

/** Both packages accept the same configuration, which is tested here. */
const asAuthjs = (config: object) => config as AuthjsConfig
const asLatchkey = (config: object) => config as AuthConfig

async function signIn(browser: Browser, name: string): Promise<void> {
  const page = await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), name })
  expect([page.status, page.location]).toEqual([302, `${new URL(page.url).origin}/`])
}

const readSession = async (browser: Browser): Promise<unknown> => (await browser.get("/me")).json()
const readAtEndpoint = async (browser: Browser): Promise<unknown> => (await browser.get("/auth/session")).json()
const sessionCookies = (browser: Browser, name: string): string[] =>
  browser
    .cookies("/")
    .map((cookie) => cookie.name)
    .filter((found) => found.startsWith(name))
    .sort()

interface Pair {
  issuer: Site
  reader: Site
}

/** Runs tests for moving a session between the two applications in both directions. */
function describeMoves(
  name: string,
  make: () => { first: object; second?: object; origin?: string },
  tests: (pair: () => Pair, to: string) => void,
): void {
  describe.each(["latchkey", "Auth.js"])(`${name}, when the browser moves to %s`, (to) => {
    let pair: Pair
    beforeAll(async () => {
      const { first, second = make().first, origin } = make()
      const options = origin === undefined ? {} : { origin }
      const [issuer, reader] = await Promise.all(
        to === "latchkey"
          ? [startAuthjs(asAuthjs(first), options), startLatchkey(asLatchkey(second), options)]
          : [startLatchkey(asLatchkey(first), options), startAuthjs(asAuthjs(second), options)],
      )
      pair = { issuer, reader }
    })
    afterAll(() => Promise.all([pair.issuer.close(), pair.reader.close()]))
    tests(() => pair, to)
  })
}

describeMoves(
  "a live session",
  () => ({ first: settings() }),
  (pair) => {
    it("remains valid", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "Ada")
      const after = moveTo(pair().reader, before)
      const session = { user: { name: "Ada", email: "ada@example.com" }, sub: "42", notes: 0 }
      expect(await readSession(after)).toMatchObject(session)
      expect(await readAtEndpoint(after)).toMatchObject(session)
      // After a renewal by one package, the other accepts it again.
      expect(await readAtEndpoint(moveTo(pair().issuer, after))).toMatchObject(session)
    })

    it("remains valid in several cookies, and shrinks to one without leftovers", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "large")
      expect(sessionCookies(before, NAME)).toEqual([`${NAME}.0`, `${NAME}.1`])
      const after = moveTo(pair().reader, before)
      expect(await readSession(after)).toMatchObject({ notes: LARGE.notes.length })
      expect(await readAtEndpoint(after)).toMatchObject({ notes: LARGE.notes.length })
      expect(sessionCookies(after, NAME)).toEqual([`${NAME}.0`, `${NAME}.1`])
      await signIn(after, "Ada")
      expect(sessionCookies(after, NAME)).toEqual([NAME])
      expect(await readAtEndpoint(after)).toMatchObject({ notes: 0 })
    })

    it("ends with a sign-out at the other package", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "large")
      const after = moveTo(pair().reader, before)
      const page = await after.post("/auth/signout", { csrfToken: await after.csrf() })
      expect(page.status).toBe(302)
      expect(sessionCookies(after, NAME)).toEqual([])
      expect(await readSession(after)).toBeNull()
    })

    it("can be updated by the other package", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "Ada")
      const after = moveTo(pair().reader, before)
      const page = await after.postJson("/auth/session", { csrfToken: await after.csrf(), data: {} })
      expect([page.status, await page.json()]).toMatchObject([200, { user: { name: "Ada" } }])
    })

    it("keeps its CSRF token, which the other package accepts in forms", async () => {
      const before = pair().issuer.browser()
      const csrfToken = await before.csrf()
      const after = moveTo(pair().reader, before)
      const page = await after.get("/auth/csrf")
      expect(await page.json()).toEqual({ csrfToken })
      expect(page.headers.getSetCookie().filter((cookie) => cookie.startsWith("authjs.csrf-token"))).toEqual([])
      const posted = await after.post("/auth/callback/credentials", { csrfToken, name: "Ada" })
      expect(posted.location).toBe("http://app.test/")
      expect(await readSession(after)).toMatchObject({ user: { name: "Ada" } })
    })

    it("keeps the callback URL", async () => {
      const before = pair().issuer.browser()
      await before.get("/auth/signin?callbackUrl=%2Fcart%3Fa%3D1%26b%3D%C3%BC")
      const after = moveTo(pair().reader, before)
      const page = await after.post("/auth/callback/credentials", { csrfToken: await after.csrf(), name: "Ada" })
      expect(page.location).toBe("http://app.test/cart?a=1&b=%C3%BC")
    })
  },
)

describeMoves(
  "a session over https",
  () => ({ first: settings(), origin: "https://app.test" }),
  (pair) => {
    it("remains valid under the secure cookie names", async () => {
      const before = pair().issuer.browser({ secure: true })
      await signIn(before, "Ada")
      expect(sessionCookies(before, "__")).toEqual([
        "__Host-authjs.csrf-token",
        "__Secure-authjs.callback-url",
        `__Secure-${NAME}`,
      ])
      const after = moveTo(pair().reader, before, { secure: true })
      expect(await readSession(after)).toMatchObject({ sub: "42" })
      expect(await after.csrf()).toBe(await before.csrf())
    })
  },
)

describeMoves(
  "a session with a custom cookie name",
  () => ({
    first: settings({
      useSecureCookies: false,
      cookies: { sessionToken: { name: "sid", options: { path: "/", sameSite: "strict" } }, csrfToken: { name: "x" } },
    }),
  }),
  (pair) => {
    it.each(["Ada", "large"])("remains valid for the user %s", async (name) => {
      const before = pair().issuer.browser()
      await signIn(before, name)
      expect(sessionCookies(before, "sid").length).toBe(name === "large" ? 2 : 1)
      const after = moveTo(pair().reader, before)
      expect(await readSession(after)).toMatchObject({ user: { name }, sub: "42" })
      expect(await after.csrf()).toBe(await before.csrf())
    })
  },
)

describeMoves(
  "a new secret before the old one",
  () => ({ first: settings(), second: settings({ secret: [NEWER, SECRET] }) }),
  (pair, to) => {
    it("keeps the session and encrypts it with the new secret", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "Ada")
      const after = moveTo(pair().reader, before)
      expect(await readAtEndpoint(after)).toMatchObject({ sub: "42" })
      const renewed = after.cookie(NAME) ?? ""
      await expect(toAuthjs({ token: renewed, secret: NEWER, salt: NAME })).resolves.toMatchObject({ sub: "42" })
      await expect(toLatchkey({ token: renewed, secret: NEWER, salt: NAME })).resolves.toMatchObject({ sub: "42" })
    })

    if (to === "latchkey")
      it("keeps the CSRF token, which Auth.js replaces", async () => {
        const before = pair().issuer.browser()
        const token = await before.csrf()
        expect(await moveTo(pair().reader, before).csrf()).toBe(token)
      })
  },
)

describeMoves(
  "a list of secrets",
  () => ({ first: settings({ secret: [NEWER, SECRET] }) }),
  (pair, to) => {
    it("is accepted by both packages", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "Ada")
      expect(await readSession(moveTo(pair().reader, before))).toMatchObject({ sub: "42" })
    })

    if (to === "latchkey")
      it("keeps the CSRF token that Auth.js signed with the joined list", async () => {
        const before = pair().issuer.browser()
        const csrfToken = await before.csrf()
        const after = moveTo(pair().reader, before)
        expect(await after.csrf()).toBe(csrfToken)
        const page = await after.post("/auth/callback/credentials", { csrfToken, name: "Ada" })
        expect(page.location).toBe("http://app.test/")
      })
  },
)

describeMoves(
  "custom functions jwt.encode and jwt.decode",
  () => ({
    first: settings({
      jwt: {
        encode: ({ token, salt }: { token?: object; salt: string }) =>
          Buffer.from(JSON.stringify({ ...token, salt })).toString("base64url"),
        decode: ({ token = "" }: { token?: string }) => JSON.parse(Buffer.from(token, "base64url").toString()),
      },
    }),
  }),
  (pair) => {
    it("are called with the same arguments", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "Ada")
      const after = moveTo(pair().reader, before)
      expect(await readSession(after)).toMatchObject({ user: { name: "Ada" }, sub: "42" })
      const kept: unknown = JSON.parse(Buffer.from(after.cookie(NAME) ?? "", "base64url").toString())
      expect(kept).toMatchObject({ name: "Ada", sub: "42", salt: NAME })
    })
  },
)

describeMoves(
  "a session with another application's secret",
  () => ({ first: settings({ secret: FOREIGN }), second: settings() }),
  (pair) => {
    it("is rejected", async () => {
      const before = pair().issuer.browser()
      await signIn(before, "Ada")
      const after = moveTo(pair().reader, before)
      expect(await readSession(after)).toBeNull()
      expect(await readAtEndpoint(after)).toBeNull()
      expect(sessionCookies(after, NAME)).toEqual([])
    })
  },
)
