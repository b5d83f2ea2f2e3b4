/**
 * The variants by name: the file in bench/variants, and the function that gets sessions of its clients.
 *
 * @module
 */
import { COOKIE, SESSIONS, sessionTokenOf } from "../variants/constants.mjs"
import { sealedCookies } from "./sessions.mjs"
import { byIssuer, byRoute, bySignUp } from "./sign-in.mjs"

const sealed = (_entrant, count) => sealedCookies(count)

const stored = async () => Array.from({ length: SESSIONS }, (_, index) => `${COOKIE}=${sessionTokenOf(index)}`)

/** The number of sessions, limited because a sign-in is slow. A thousand would not be more accurate. */
const SIGN_INS = 20

const signedIn = (signIn) => async (entrant, count) => {
  const cookies = []
  for (let index = 0; index < Math.min(count, SIGN_INS); index++) cookies.push(await signIn(entrant, index))
  return cookies
}

const database = (file, title) => (store) => ({
  title: `${title}, ${store}`,
  file,
  env: { BENCH_STORE: store },
  cookies: stored,
})
const ownDatabase = database("latchkey-database", "latchkey")
const bareQuery = database("bare-query", "bare query")
const grown = (title, env) => ({ title: `latchkey, ${title}`, file: "latchkey", env, cookies: sealed })

export const VARIANTS = {
  bare: { title: "bare Express", file: "bare", cookies: sealed, isOpen: true },
  latchkey: { title: "latchkey", file: "latchkey", cookies: sealed },
  limit: { title: "handwritten", file: "limit", cookies: sealed },
  authjs: { title: "@auth/express", file: "authjs", cookies: sealed },

  "authjs-database": { title: "@auth/express, database in memory", file: "authjs-database", cookies: stored },
  "better-auth": { title: "better-auth, database in memory", file: "better-auth", cookies: signedIn(bySignUp) },
  "better-auth-cache": {
    title: "better-auth, cookie cache",
    file: "better-auth",
    env: { BENCH_COOKIE_CACHE: "true" },
    cookies: signedIn(bySignUp),
  },
  passport: { title: "express-session and passport", file: "passport", cookies: signedIn(byRoute) },
  "iron-session": { title: "iron-session", file: "iron-session", cookies: signedIn(byRoute) },
  "express-openid-connect": {
    title: "express-openid-connect",
    file: "express-openid-connect",
    companion: "sign-in-provider",
    user: "Ada Lovelace",
    cookies: signedIn(byIssuer),
  },
  "cookie-session": { title: "cookie-session", file: "cookie-session", cookies: signedIn(byRoute) },

  "20-providers": grown("20 providers", { BENCH_PROVIDERS: "20" }),
  "100-providers": grown("100 providers", { BENCH_PROVIDERS: "100" }),
  "3-secrets": grown("3 secrets", { BENCH_SECRETS: "3" }),

  memory: ownDatabase("memory"),
  sqlite: ownDatabase("sqlite"),
  postgres: ownDatabase("postgres"),
  redis: ownDatabase("redis"),
  "bare-memory": bareQuery("memory"),
  "bare-sqlite": bareQuery("sqlite"),
  "bare-postgres": bareQuery("postgres"),
  "bare-redis": bareQuery("redis"),
}

/** Bare Express is first, because it is the base. These variants need only installed packages. */
export const OURS = ["bare", "latchkey", "limit", "authjs"]

export const PEERS = [
  "authjs-database",
  "better-auth",
  "better-auth-cache",
  "passport",
  "iron-session",
  "express-openid-connect",
  "cookie-session",
]
