/**
 * Sign-in with a store: the user to whom a sign-in belongs, sessions in the store, and the order of calls to the
 * application.
 *
 * @module
 */
import { type Case, recordingCallbacks, type Stage, type Visitor } from "../support/case.js"
import { AS_SCRIPT } from "../support/requests.js"

const CHECKS = { checks: ["pkce", "state", "nonce"] }

interface Options {
  oidc?: object
  more?: object
}

/** A configuration with a store, two providers, and callbacks that record their calls. */
const withStore =
  ({ oidc = {}, more = {} }: Options = {}) =>
  (stage: Stage) => ({
    adapter: stage.store.adapter,
    providers: [
      { ...stage.op.oidc(), ...CHECKS, ...oidc },
      { ...stage.op.oidc(), ...CHECKS, id: "second" },
    ],
    ...recordingCallbacks(stage),
    ...more,
  })

const JWT = { session: { strategy: "jwt" } }

/** Adds a user who has an address but no account. */
const addUser = ({ store }: Visitor, more: object = {}) =>
  store.users.push({ id: "user-1", email: "alice@example.com", emailVerified: new Date(0), name: "Alice B.", ...more })

const sessionCookie = "authjs.session-token"

/** Stores a session that expires after this many seconds, and sets its cookie in the browser. */
function addSession({ store, browser }: Visitor, secondsLeft: number): void {
  const sessionToken = "0b5e5d3a-9a3a-4f86-8b6e-1f0a3c5d7e9f"
  store.sessions.push({ sessionToken, userId: "user-1", expires: new Date(Date.now() + secondsLeft * 1000) })
  browser.setCookie(sessionCookie, sessionToken)
}

const DAY = 86_400

/** Reads or updates the session of a stored user. */
const sessionCase = (name: string, secondsLeft: number, more: object = {}, method: "GET" | "POST" = "GET"): Case => ({
  name,
  config: withStore({ more }),
  run: async (visitor) => {
    addUser(visitor)
    addSession(visitor, secondsLeft)
    return method === "GET" ? visitor.get("/auth/session", AS_SCRIPT) : visitor.post("/auth/session", {}, AS_SCRIPT)
  },
})

export const STORE: Case[] = [
  { name: "store: a new user", config: withStore(), run: ({ viaProvider }) => viaProvider("oidc") },
  {
    name: "store: a new user of a provider that may link by address",
    config: withStore({ oidc: { allowDangerousEmailAccountLinking: true } }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: a new user, sessions in cookies",
    config: withStore({ more: JWT }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: a new user, newUser page",
    config: withStore({ more: { pages: { newUser: "/welcome" } } }),
    run: async (visitor) => {
      await visitor.get("/auth/signin?callbackUrl=/cart")
      return visitor.viaProvider("oidc")
    },
  },
  {
    name: "store: a new user, newUser page with a query",
    config: withStore({ more: { pages: { newUser: "/welcome?a=1" } } }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: a known account",
    config: withStore(),
    run: async ({ viaProvider, browser }) => {
      await viaProvider("oidc")
      browser.jar.forget()
      return viaProvider("oidc")
    },
  },
  {
    name: "store: a known account, signed in as its user",
    config: withStore(),
    run: async ({ viaProvider }) => {
      await viaProvider("oidc")
      return viaProvider("oidc")
    },
  },
  {
    name: "store: a known account, sessions in cookies, signed in as its user",
    config: withStore({ more: JWT }),
    run: async ({ viaProvider }) => {
      await viaProvider("oidc")
      return viaProvider("oidc")
    },
  },
  {
    name: "store: a second account of the current user",
    config: withStore(),
    run: async ({ viaProvider }) => {
      await viaProvider("oidc")
      return viaProvider("second")
    },
  },
  {
    name: "store: a second account of the current user, sessions in cookies",
    config: withStore({ more: JWT }),
    run: async ({ op, viaProvider }) => {
      // Only a recently authenticated user can link an account. A time in the future is treated as now.
      op.set({ claims: (claims) => ({ ...claims, auth_time: 4_102_444_800 }) })
      await viaProvider("oidc")
      return viaProvider("second")
    },
  },
  {
    name: "store: the second account of the same address, signed out",
    config: withStore(),
    run: async ({ viaProvider, browser }) => {
      await viaProvider("oidc")
      browser.jar.forget()
      return viaProvider("second")
    },
  },
  {
    name: "store: an account of another user, signed in",
    config: withStore(),
    run: async ({ op, viaProvider }) => {
      await viaProvider("oidc")
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      await viaProvider("second")
      op.set({ user: { sub: "carol", name: "Carol", email: "carol@example.com" } })
      return viaProvider("second")
    },
  },
  {
    name: "store: another user's account while signed in",
    config: withStore(),
    run: async ({ op, viaProvider, browser }) => {
      await viaProvider("oidc")
      browser.jar.forget()
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      await viaProvider("second")
      op.reset()
      return viaProvider("oidc")
    },
  },
  {
    name: "store: a known address",
    config: withStore(),
    run: (visitor) => {
      addUser(visitor)
      return visitor.viaProvider("oidc")
    },
  },
  ...(
    [
      ["verified on both sides", {}, true],
      ["not verified here", { emailVerified: null }, true],
      ["not verified there", {}, false],
      ["of which the provider says nothing", {}, undefined],
    ] as const
  ).map(
    ([name, more, isVerified]): Case => ({
      name: `store: a known address that may link, ${name}`,
      config: withStore({ oidc: { allowDangerousEmailAccountLinking: true } }),
      run: (visitor) => {
        addUser(visitor, more)
        visitor.op.set({ claims: (claims) => ({ ...claims, email_verified: isVerified }) })
        return visitor.viaProvider("oidc")
      },
    }),
  ),
  {
    name: "store: an account without an email address",
    config: withStore(),
    run: ({ op, viaProvider }) => {
      op.set({ user: { sub: "alice", name: "Alice" } })
      return viaProvider("oidc")
    },
  },
  {
    name: "store: an address in capitals",
    config: withStore(),
    run: ({ op, viaProvider }) => {
      op.set({ user: { sub: "alice", name: "Alice", email: "Alice@Example.COM" } })
      return viaProvider("oidc")
    },
  },
  {
    name: "store: tokens as account() keeps them",
    config: withStore({ oidc: { account: ({ scope }: { scope?: string }) => ({ scope }) } }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: no tokens, as account() says",
    config: withStore({ oidc: { account: () => undefined } }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: custom session tokens",
    config: withStore({ more: { session: { generateSessionToken: () => "chosen" } } }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: signIn rejects the user",
    config: (stage) => ({
      ...withStore()(stage),
      callbacks: { ...recordingCallbacks(stage).callbacks, signIn: () => false },
    }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "store: a store that fails at sign-in",
    config: (stage) => ({
      ...withStore()(stage),
      adapter: { ...stage.store.adapter, getUserByAccount: () => Promise.reject(new Error("the store is down")) },
    }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },

  sessionCase("store: GET session", 20 * DAY),
  sessionCase("store: GET session that is due", 28 * DAY),
  sessionCase("store: GET session, just renewed", 30 * DAY),
  sessionCase("store: GET session, ended", -1),
  sessionCase("store: POST session", 30 * DAY, {}, "POST"),
  sessionCase("store: GET session with other ages", 3600, { session: { maxAge: 7200, updateAge: 60 } }),
  {
    name: "store: GET session of an unknown token",
    config: withStore(),
    run: ({ browser, get }) => {
      browser.setCookie(sessionCookie, "unknown")
      return get("/auth/session", AS_SCRIPT)
    },
  },
  {
    name: "store: GET session with a store that fails",
    config: (stage) => ({
      ...withStore()(stage),
      adapter: { ...stage.store.adapter, getSessionAndUser: () => Promise.reject(new Error("the store is down")) },
    }),
    run: ({ browser, get }) => {
      browser.setCookie(sessionCookie, "unknown")
      return get("/auth/session", AS_SCRIPT)
    },
  },
  {
    name: "store: GET session with a custom session callback",
    config: (stage) => ({
      ...withStore()(stage),
      callbacks: {
        session: ({ session, user, ...rest }: Record<string, object>) => ({
          session: Object.keys(session ?? {}).sort(),
          user: Object.keys(user ?? {}).sort(),
          rest: Object.keys(rest).sort(),
        }),
      },
    }),
    run: async (visitor) => {
      addUser(visitor)
      addSession(visitor, 30 * DAY)
      return visitor.get("/auth/session", AS_SCRIPT)
    },
  },
  {
    name: "store: POST signout",
    config: withStore(),
    run: async (visitor) => {
      addUser(visitor)
      addSession(visitor, 30 * DAY)
      return visitor.post("/auth/signout")
    },
  },
  {
    name: "store: POST signout with a store that fails",
    config: (stage) => ({
      ...withStore()(stage),
      adapter: { ...stage.store.adapter, deleteSession: () => Promise.reject(new Error("the store is down")) },
    }),
    run: async (visitor) => {
      addUser(visitor)
      addSession(visitor, 30 * DAY)
      return visitor.post("/auth/signout")
    },
  },

  // the order of calls without a store
  {
    name: "calls: credentials",
    config: (stage) => recordingCallbacks(stage),
    run: ({ post }) => post("/auth/callback/credentials", { name: "Ada", callbackUrl: "/cart" }),
  },
  {
    name: "calls: oidc",
    config: (stage) => ({ providers: [{ ...stage.op.oidc(), ...CHECKS }], ...recordingCallbacks(stage) }),
    run: ({ viaProvider }) => viaProvider("oidc"),
  },
  {
    name: "calls: session",
    config: (stage) => recordingCallbacks(stage),
    run: async ({ signIn, get }) => {
      await signIn()
      return get("/auth/session?callbackUrl=/cart", AS_SCRIPT)
    },
  },
  {
    name: "calls: session update",
    config: (stage) => recordingCallbacks(stage),
    run: async ({ signIn, post }) => {
      await signIn()
      return post("/auth/session", {}, AS_SCRIPT)
    },
  },
  {
    name: "calls: sign-out",
    config: (stage) => recordingCallbacks(stage),
    run: async ({ signIn, post }) => {
      await signIn()
      return post("/auth/signout", { callbackUrl: "/bye" })
    },
  },
  {
    name: "calls: sign-out with a cookie that cannot be decrypted",
    config: (stage) => recordingCallbacks(stage),
    run: ({ browser, post }) => {
      browser.setCookie(sessionCookie, "garbage")
      return post("/auth/signout")
    },
  },
  {
    name: "store: credentials",
    config: (stage) => ({ adapter: stage.store.adapter, session: { strategy: "jwt" }, ...recordingCallbacks(stage) }),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "store: credentials with sessions in the store",
    config: (stage) => ({ adapter: stage.store.adapter, ...recordingCallbacks(stage) }),
    run: async ({ signIn, get, store }) => {
      store.users.push({ id: "42", email: "ada@example.com", emailVerified: null, name: "Ada" })
      return [await signIn(), await get("/auth/session", AS_SCRIPT)]
    },
  },
]
