/**
 * The session endpoint, with sessions in cookies.
 *
 * @module
 */
import { encode } from "@auth/core/jwt"
import { type Case, SECRET } from "../support/case.js"
import { AS_SCRIPT, get, JSON_MODE, post, send, signedIn } from "../support/requests.js"

const NAME = "authjs.session-token"

/** Reads the session with a cookie that contains this token. */
const withToken = (
  name: string,
  options: { token?: object; maxAge?: number; salt?: string; secret?: string; as?: string },
  more: Partial<Case> = {},
): Case => ({
  name,
  run: async ({ browser, get }) => {
    const { token = { name: "Ada", sub: "42" }, maxAge = 1000, salt = NAME, secret = SECRET, as = NAME } = options
    browser.setCookie(as, await encode({ token: { ...token }, maxAge, salt, secret }))
    return get("/auth/session", AS_SCRIPT)
  },
  ...more,
})

const withCookies = (name: string, cookies: Record<string, string>): Case => ({
  name,
  run: async ({ browser, get }) => {
    for (const [key, value] of Object.entries(cookies)) browser.setCookie(key, value)
    return get("/auth/session", AS_SCRIPT)
  },
})

const callbacks = (some: object) => () => ({ callbacks: some })
const fail = () => {
  throw new Error("the application's own mistake")
}

export const SESSION: Case[] = [
  { name: "GET session, signed out", run: get("/auth/session") },
  { name: "GET session, signed out, in JSON mode", run: get("/auth/session", JSON_MODE) },
  { name: "GET session with a callbackUrl", run: get("/auth/session?callbackUrl=/cart") },
  ...["javascript:alert(1)", "cart"].map((url) => ({
    name: `GET session with the callbackUrl ${JSON.stringify(url)}`,
    run: get(`/auth/session?callbackUrl=${encodeURIComponent(url)}`),
  })),
  { name: "GET session", run: signedIn(get("/auth/session")) },
  { name: "GET session over https", origin: "https://app.test", run: signedIn(get("/auth/session")) },
  {
    name: "GET session with a maxAge",
    config: () => ({ session: { maxAge: 3600 } }),
    run: signedIn(get("/auth/session")),
  },
  {
    name: "GET session with a maxAge of the jwt",
    config: () => ({ jwt: { maxAge: 3600 } }),
    run: signedIn(get("/auth/session")),
  },
  {
    name: "GET session before updateAge is over",
    config: () => ({ session: { updateAge: 3600 } }),
    run: signedIn(get("/auth/session")),
  },
  {
    name: "GET session, undefined options",
    config: () => ({ session: { maxAge: undefined } }),
    run: signedIn(get("/auth/session")),
  },
  {
    name: "GET session with another secret for the jwt",
    secrets: [SECRET, "a secret for the session alone, of many letters"],
    config: () => ({ jwt: { secret: "a secret for the session alone, of many letters" } }),
    run: signedIn(get("/auth/session")),
  },
  withToken("GET session of a token from elsewhere", {}),
  withToken("GET session of a token with all claims", {
    token: { name: "Ada", email: "a@b.test", picture: "/ada.png", sub: "42", role: "admin" },
  }),
  withToken("GET session of a token without claims", { token: {} }),
  withToken("GET session, expired", { maxAge: -60 }),
  withToken("GET session, expired within the tolerance", { maxAge: -5 }),
  withToken("GET session, another salt", { salt: `__Secure-${NAME}` }),
  withToken("GET session, another secret", { secret: "a secret of somebody else, which nobody knows here" }),
  withToken("GET session, under the secure name over http", { salt: `__Secure-${NAME}`, as: `__Secure-${NAME}` }),
  withToken("GET session, one chunk alone", { as: `${NAME}.0` }),
  withToken("GET session, as the third chunk alone", { as: `${NAME}.2` }),
  withToken("GET session under a longer name", { as: `${NAME}-other` }),
  withCookies("GET session, garbage", { [NAME]: "garbage" }),
  withCookies("GET session, garbage of five parts", { [NAME]: "a.b.c.d.e" }),
  withCookies("GET session, an empty cookie", { [NAME]: "" }),
  withCookies("GET session, a broken escape", { [NAME]: "%E0%A4%A" }),
  withCookies("GET session, garbage in chunks", { [`${NAME}.0`]: "a", [`${NAME}.1`]: "b" }),
  {
    name: "GET session next to an attacker's cookie of the same name",
    run: async ({ browser, signIn, get }) => {
      await signIn()
      browser.setCookie(`${NAME}-other`, "x")
      return get("/auth/session", AS_SCRIPT)
    },
  },
  {
    name: "GET session next to a stale chunk",
    run: async ({ browser, signIn, get }) => {
      await signIn()
      browser.setCookie(`${NAME}.1`, "stale")
      return get("/auth/session", AS_SCRIPT)
    },
  },
  {
    name: "GET session that grows",
    config: callbacks({ jwt: ({ token }: { token: object }) => ({ ...token, notes: "x".repeat(4000) }) }),
    run: signedIn(get("/auth/session")),
  },
  withToken(
    "GET session that grows beyond one cookie",
    {},
    { config: callbacks({ jwt: ({ token }: { token: object }) => ({ ...token, notes: "x".repeat(4000) }) }) },
  ),
  withToken(
    "GET session with a jwt callback that adds",
    {},
    { config: callbacks({ jwt: ({ token }: { token: object }) => ({ ...token, n: 1 }) }) },
  ),
  withToken("GET session of a jwt callback that ends it", {}, { config: callbacks({ jwt: () => null }) }),
  withToken("GET session of a jwt callback that throws", {}, { config: callbacks({ jwt: fail }) }),
  withToken("GET session of a session callback that throws", {}, { config: callbacks({ session: fail }) }),
  withToken(
    "GET session with a session callback that adds",
    {},
    {
      config: callbacks({
        session: ({ session, token }: { session: object; token: { sub?: string } }) => ({ ...session, id: token.sub }),
      }),
    },
  ),
  withToken("GET session of a session event that throws", {}, { config: () => ({ events: { session: fail } }) }),
  withToken("GET session of a decode that gives null", {}, { config: () => ({ jwt: { decode: () => null } }) }),
  { name: "HEAD session, signed in", run: signedIn(send("HEAD", "/auth/session")) },

  { name: "POST session, signed out", run: post("/auth/session", {}, AS_SCRIPT) },
  { name: "POST session without the token", run: send("POST", "/auth/session") },
  { name: "POST session without the token, signed in", run: signedIn(send("POST", "/auth/session")) },
  { name: "POST session without the token, in JSON mode", run: send("POST", "/auth/session", JSON_MODE) },
  { name: "POST session", run: signedIn(post("/auth/session", {}, AS_SCRIPT)) },
  {
    name: "POST session with data",
    config: callbacks({
      jwt: ({ token, trigger, session }: { token: object; trigger?: string; session?: object }) =>
        trigger === "update" ? { ...token, ...session } : token,
      session: ({ session, token, ...rest }: { session: object; token: object }) => ({ ...session, token, ...rest }),
    }),
    run: signedIn(async ({ browser }) =>
      browser.postJson(
        "/auth/session",
        { csrfToken: await browser.csrf(), data: { name: "Countess", deep: { a: [1] } } },
        AS_SCRIPT,
      ),
    ),
  },
  {
    name: "POST session with a jwt callback that throws",
    config: callbacks({
      jwt: ({ token, trigger }: { token: object; trigger?: string }) => (trigger === "update" ? fail() : token),
    }),
    run: signedIn(post("/auth/session", {}, AS_SCRIPT)),
  },
]
