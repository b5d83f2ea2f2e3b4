/**
 * The callback, which completes a sign-in.
 *
 * @module
 */
import type { Case, Stage, Visitor } from "../support/case.js"
import { AS_SCRIPT, get, JSON_MODE, post, send } from "../support/requests.js"

const fail = () => {
  throw new Error("the application's own mistake")
}
const signInCallback = (signIn: unknown) => () => ({ callbacks: { signIn } })

/** Credentials with the `authorize` function of a case. */
const withAuthorize =
  (
    authorize: (stage: Stage) => (credentials: Record<string, unknown>, request: Request) => unknown,
    more: object = {},
  ) =>
  (stage: Stage) => ({
    providers: [
      {
        id: "credentials",
        name: "Credentials",
        type: "credentials",
        credentials: { name: {} },
        authorize: authorize(stage),
      },
    ],
    ...more,
  })

/** Behaves like a server of plain OAuth 2, whose response has no `iss` (RFC 9207). */
const PLAIN_OAUTH = {
  plainOAuth: true,
  authorizationResponse: (parameters: Record<string, unknown>) => ({ ...parameters, iss: undefined }),
}
const PLAIN = ({ op }: Visitor) => op.set(PLAIN_OAUTH)

const via =
  (id: string, change?: (answer: URL) => void, prepare: (visitor: Visitor) => void = () => {}): Case["run"] =>
  (visitor) => {
    prepare(visitor)
    return visitor.viaProvider(id, change)
  }

/** The provider with other options. Most cases set `checks`, because the defaults of the two packages differ. */
const oidcWith =
  (more: object) =>
  ({ op }: Stage) => ({ providers: [{ ...op.oidc(), ...more }] })
const oauthWith =
  (more: object) =>
  ({ op }: Stage) => ({ providers: [{ ...op.oauth(), ...more }] })
const ALL = { checks: ["pkce", "state", "nonce"] }
const BOTH = { checks: ["pkce", "state"] }

const CREDENTIALS: Case[] = [
  { name: "credentials, right", run: ({ signIn }) => signIn() },
  { name: "credentials, right, over https", origin: "https://app.test", run: ({ signIn }) => signIn() },
  { name: "credentials, right, in JSON mode", run: post("/auth/callback/credentials", { name: "Ada" }, JSON_MODE) },
  {
    name: "credentials, right, as JSON",
    run: async ({ browser }) =>
      browser.postJson("/auth/callback/credentials", {
        csrfToken: await browser.csrf(),
        name: "Ada",
        callbackUrl: "/cart",
      }),
  },
  {
    name: "credentials with a callbackUrl",
    run: post("/auth/callback/credentials", { name: "Ada", callbackUrl: "/cart" }),
  },
  {
    name: "credentials after a page with a callbackUrl",
    run: async ({ get, post }) => {
      await get("/auth/signin?callbackUrl=/cart")
      return post("/auth/callback/credentials", { name: "Ada" })
    },
  },
  { name: "credentials, wrong", run: ({ signIn }) => signIn("nobody") },
  {
    name: "credentials, wrong, with a callbackUrl",
    run: post("/auth/callback/credentials", { name: "nobody", callbackUrl: "/cart" }),
  },
  { name: "credentials, wrong, in JSON mode", run: post("/auth/callback/credentials", { name: "nobody" }, JSON_MODE) },
  {
    name: "credentials, wrong, on a custom page",
    config: () => ({ pages: { signIn: "/login" } }),
    run: ({ signIn }) => signIn("nobody"),
  },
  {
    name: "credentials, wrong, on a page with a query",
    config: () => ({ pages: { signIn: "/login?a=1" } }),
    run: ({ signIn }) => signIn("nobody"),
  },
  { name: "credentials without the token", run: send("POST", "/auth/callback/credentials") },
  { name: "credentials by GET", run: get("/auth/callback/credentials?name=Ada") },
  { name: "credentials by HEAD", run: send("HEAD", "/auth/callback/credentials") },
  {
    name: "credentials after too many wrong ones",
    run: async ({ signIn }) => {
      for (let i = 0; i < 10; i++) await signIn("nobody")
      return signIn("nobody")
    },
  },
  { name: "credentials of an authorize that throws", config: withAuthorize(() => fail), run: ({ signIn }) => signIn() },
  {
    name: "credentials of an authorize that throws, with custom pages",
    config: withAuthorize(() => fail, { pages: { signIn: "/login", error: "/oops" } }),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials of an authorize that throws CredentialsSignin",
    config: withAuthorize(({ CredentialsSignin }) => () => {
      throw new CredentialsSignin()
    }),
    run: ({ signIn }) => signIn(),
  },
  ...["locked", "a b&c", "x".repeat(40)].map(
    (code): Case => ({
      name: `credentials of an authorize that throws the code ${code}`,
      config: withAuthorize(({ CredentialsSignin }) => {
        class Refused extends CredentialsSignin {
          override code = code
        }
        return () => {
          throw new Refused()
        }
      }),
      run: ({ signIn }) => signIn(),
    }),
  ),
  {
    name: "credentials of a user without an id",
    config: withAuthorize(() => () => ({ name: "Ada" })),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials of a user whose id is a number",
    config: withAuthorize(() => () => ({ id: 42, name: "Ada", image: "/a.png" })),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials of a user whose id is an object",
    config: withAuthorize(() => () => ({ id: {}, name: "Ada" })),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials as passed to authorize",
    config: withAuthorize(() => async (given, request) => ({
      id: "1",
      name: JSON.stringify(Object.keys(given).sort()),
      email: [request.method, new URL(request.url).pathname, new URL(request.url).search].join(" "),
    })),
    run: post("/auth/callback/credentials?next=1", { name: "Ada", extra: "x" }),
  },
  { name: "credentials, signIn returns false", config: signInCallback(() => false), run: ({ signIn }) => signIn() },
  {
    name: "credentials, signIn returns a URL",
    config: signInCallback(() => "/blocked"),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials, signIn returns a foreign URL",
    config: signInCallback(() => "http://evil.test/"),
    run: ({ signIn }) => signIn(),
  },
  { name: "credentials, signIn throws", config: signInCallback(fail), run: ({ signIn }) => signIn() },
  {
    name: "credentials, signIn throws CredentialsSignin",
    config: ({ CredentialsSignin }) => ({
      callbacks: {
        signIn: () => {
          throw new CredentialsSignin()
        },
      },
    }),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials, jwt returns null",
    config: () => ({ callbacks: { jwt: () => null } }),
    run: ({ signIn }) => signIn(),
  },
  { name: "credentials, jwt throws", config: () => ({ callbacks: { jwt: fail } }), run: ({ signIn }) => signIn() },
  {
    name: "credentials, a session of 9 kB",
    config: () => ({ callbacks: { jwt: () => ({ name: "Ada", filler: "x".repeat(6_500) }) } }),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials, arguments of jwt",
    config: () => ({
      callbacks: {
        jwt: ({ token, ...rest }: { token: object }) => ({ ...token, seen: Object.keys(rest).sort(), ...rest }),
      },
    }),
    run: ({ signIn }) => signIn(),
  },
  { name: "credentials, an event throws", config: () => ({ events: { signIn: fail } }), run: ({ signIn }) => signIn() },
  { name: "credentials, newUser", config: () => ({ pages: { newUser: "/welcome" } }), run: ({ signIn }) => signIn() },
  {
    name: "credentials of a session in several cookies",
    config: () => ({ callbacks: { jwt: ({ token }: { token: object }) => ({ ...token, notes: "x".repeat(4000) }) } }),
    run: ({ signIn }) => signIn(),
  },
  {
    name: "credentials with custom cookies",
    config: () => ({
      cookies: { sessionToken: { name: "sid", options: { sameSite: "strict", domain: "app.test", maxAge: 60 } } },
    }),
    run: ({ signIn }) => signIn(),
  },
]

const OAUTH: Case[] = [
  { name: "oidc with default checks", run: via("oidc") },
  { name: "oauth with default checks", run: via("oauth", undefined, PLAIN) },
  { name: "oidc with all checks", config: oidcWith(ALL), run: via("oidc") },
  { name: "oidc with all checks, over https", origin: "https://app.test", config: oidcWith(ALL), run: via("oidc") },
  {
    name: "oauth with both checks",
    config: oauthWith(BOTH),
    run: via("oauth", undefined, PLAIN),
  },
  {
    name: "oauth that names its issuer",
    config: oauthWith(BOTH),
    run: via("oauth", undefined, ({ op }) => op.set({ plainOAuth: true })),
  },
  { name: "oidc without checks", config: oidcWith({ checks: ["none"] }), run: via("oidc") },
  {
    name: "oidc with a callbackUrl",
    config: oidcWith(ALL),
    run: async (visitor) => {
      await visitor.get("/auth/signin?callbackUrl=/cart")
      return visitor.viaProvider("oidc")
    },
  },
  {
    name: "oidc as passed to jwt",
    config: (stage) => ({
      ...oidcWith(ALL)(stage),
      callbacks: {
        jwt: ({ token, account, profile, user, ...rest }: Record<string, object>) => ({
          ...token,
          rest,
          user,
          account: Object.keys(account ?? {}).sort(),
          profile: Object.keys(profile ?? {}).sort(),
        }),
      },
    }),
    run: via("oidc"),
  },
  { name: "oidc with userinfo", config: oidcWith({ ...ALL, idToken: false }), run: via("oidc") },
  {
    name: "oidc with signed userinfo",
    config: oidcWith({ ...ALL, idToken: false }),
    run: via("oidc", undefined, ({ op }) => op.set({ userinfoJwt: {} })),
  },
  {
    name: "oidc with a custom profile()",
    config: oidcWith({
      ...ALL,
      profile: ({ sub }: { sub: string }) => ({ id: `x-${sub}`, name: "X", email: "X@Example.COM" }),
    }),
    run: via("oidc"),
  },
  { name: "oidc with a profile() that throws", config: oidcWith({ ...ALL, profile: fail }), run: via("oidc") },
  {
    name: "oidc with a profile() without an id",
    config: oidcWith({ ...ALL, profile: () => ({ name: "X" }) }),
    run: via("oidc"),
  },
  {
    name: "oauth with a custom userinfo request and URL",
    config: (stage) =>
      oauthWith({
        ...BOTH,
        userinfo: { url: `${stage.op.base}/userinfo`, request: () => ({ id: 7, name: "Seven" }) },
      })(stage),
    run: via("oauth", undefined, PLAIN),
  },
  {
    name: "oauth with only a userinfo request",
    config: oauthWith({ ...BOTH, userinfo: { request: () => ({ id: 7, name: "Seven" }) } }),
    run: get("/auth/providers"),
  },
  {
    name: "oauth with userinfo that fails",
    config: oauthWith(BOTH),
    run: via("oauth", undefined, ({ op }) => op.set({ ...PLAIN_OAUTH, fault: { userinfo: { status: 500 } } })),
  },
  {
    name: "oidc whose token endpoint rejects the code",
    config: oidcWith(ALL),
    run: via("oidc", undefined, ({ op }) =>
      op.set({ fault: { token: { status: 400, body: { error: "invalid_grant" } } } }),
    ),
  },
  {
    name: "oidc whose token endpoint is down",
    config: oidcWith(ALL),
    run: via("oidc", undefined, ({ op }) => op.set({ fault: { token: { status: 503 } } })),
  },
  {
    name: "oidc without an id_token",
    config: oidcWith(ALL),
    run: via("oidc", undefined, ({ op }) => op.set({ omitIdToken: true })),
  },
  {
    name: "oidc with an id_token with a foreign signature",
    config: oidcWith(ALL),
    run: via("oidc", undefined, ({ op }) => op.set({ sig: "other-key" })),
  },
  {
    name: "oidc with userinfo with a foreign signature",
    config: oidcWith({ ...ALL, idToken: false }),
    run: via("oidc", undefined, ({ op }) => op.set({ userinfoJwt: { sig: "other-key" } })),
  },
  {
    name: "oidc with an id_token of alg none",
    config: oidcWith(ALL),
    run: via("oidc", undefined, ({ op }) => op.set({ alg: "none" })),
  },
  ...(
    [
      ["another nonce", (claims: object) => ({ ...claims, nonce: "other" })],
      ["another audience", (claims: object) => ({ ...claims, aud: "other" })],
      ["another issuer", (claims: object) => ({ ...claims, iss: "http://evil.test" })],
      ["an end long past", (claims: object) => ({ ...claims, exp: 1 })],
    ] as const
  ).map(
    ([name, claims]): Case => ({
      name: `oidc with an id_token of ${name}`,
      config: oidcWith(ALL),
      run: via("oidc", undefined, ({ op }) => op.set({ claims })),
    }),
  ),
  {
    name: "oidc that responds with an error",
    config: oidcWith(ALL),
    run: via("oidc", (answer) => {
      answer.searchParams.delete("code")
      answer.searchParams.set("error", "access_denied")
    }),
  },
  {
    name: "oidc that responds with an error after a callbackUrl",
    config: oidcWith(ALL),
    run: async (visitor) => {
      await visitor.get("/auth/signin?callbackUrl=/cart")
      return visitor.viaProvider("oidc", (answer) => {
        answer.searchParams.delete("code")
        answer.searchParams.set("error", "server_error")
      })
    },
  },
  {
    name: "oidc without a code",
    config: oidcWith(ALL),
    run: via("oidc", (answer) => answer.searchParams.delete("code")),
  },
  {
    name: "oidc with another state",
    config: oidcWith(ALL),
    run: via("oidc", (answer) => answer.searchParams.set("state", "other")),
  },
  {
    name: "oidc without a state",
    config: oidcWith(ALL),
    run: via("oidc", (answer) => answer.searchParams.delete("state")),
  },
  {
    name: "oidc with another iss",
    config: oidcWith(ALL),
    run: via("oidc", (answer) => answer.searchParams.set("iss", "http://evil.test")),
  },
  {
    name: "oidc with tokens in the URL",
    config: oidcWith(ALL),
    run: via("oidc", (answer) => answer.searchParams.set("id_token", "x")),
  },
  {
    name: "oidc with the same response twice",
    config: oidcWith(ALL),
    run: async (visitor) => {
      let answer = ""
      await visitor.viaProvider("oidc", (url) => {
        answer = url.href
      })
      return visitor.get(answer)
    },
  },
  {
    name: "oidc in another browser",
    config: oidcWith(ALL),
    run: async ({ browser, op, post, get }) => {
      const start = await post("/auth/signin/oidc")
      const answer = await op.authorize(start.location)
      browser.jar.forget()
      return get(answer)
    },
  },
  {
    name: "oidc with another provider's response",
    config: ({ op }) => ({
      providers: [
        { ...op.oidc(), ...ALL },
        { ...op.oidc(), ...ALL, id: "other" },
      ],
    }),
    run: via("oidc", (answer) => {
      answer.pathname = "/auth/callback/other"
    }),
  },
  { name: "oidc without a pending sign-in", run: get("/auth/callback/oidc?code=1") },
  { name: "oidc without a pending sign-in, with an error", run: get("/auth/callback/oidc?error=access_denied") },
  {
    name: "oidc without a pending sign-in, with an error, without checks",
    config: oidcWith({ checks: ["none"] }),
    run: get("/auth/callback/oidc?error=access_denied"),
  },
  { name: "oidc without parameters", run: get("/auth/callback/oidc") },
  { name: "oidc without a pending sign-in, in JSON mode", run: get("/auth/callback/oidc?code=1", JSON_MODE) },
  {
    name: "oidc without a pending sign-in, with custom pages",
    config: () => ({ pages: { signIn: "/login", error: "/oops" } }),
    run: get("/auth/callback/oidc?code=1"),
  },
  { name: "oidc by POST", run: post("/auth/callback/oidc", { code: "1" }) },
  { name: "callback without a provider", run: get("/auth/callback") },
  { name: "callback of an unknown provider", run: get("/auth/callback/nobody?code=1") },
  { name: "callback of an unknown provider in JSON mode", run: get("/auth/callback/nobody?code=1", JSON_MODE) },
  { name: "POST callback of an unknown provider", run: post("/auth/callback/nobody", {}, AS_SCRIPT) },
  {
    name: "oidc, signIn returns false",
    config: (stage) => ({ ...oidcWith(ALL)(stage), ...signInCallback(() => false)() }),
    run: via("oidc"),
  },
  {
    name: "oidc, signIn throws",
    config: (stage) => ({ ...oidcWith(ALL)(stage), ...signInCallback(fail)() }),
    run: via("oidc"),
  },
  {
    name: "oidc, signIn returns a URL",
    config: (stage) => ({ ...oidcWith(ALL)(stage), ...signInCallback(() => "/blocked?x=1")() }),
    run: via("oidc"),
  },
  {
    name: "oidc, signIn returns false, custom pages",
    config: (stage) => ({ ...oidcWith(ALL)(stage), ...signInCallback(() => false)(), pages: { error: "/oops" } }),
    run: via("oidc"),
  },
  {
    name: "oidc, newUser without a store",
    config: (stage) => ({ ...oidcWith(ALL)(stage), pages: { newUser: "/welcome" } }),
    run: via("oidc"),
  },
  {
    name: "oidc over a session of another user",
    config: (stage) => ({
      providers: [
        ...oidcWith(ALL)(stage).providers,
        withAuthorize(() => () => ({ id: "1", name: "Bob" }))(stage).providers[0],
      ],
    }),
    run: async (visitor) => {
      await visitor.signIn()
      return visitor.viaProvider("oidc")
    },
  },
  {
    name: "oidc with form_post",
    origin: "https://app.test",
    config: oidcWith({ authorization: { params: { response_mode: "form_post" } }, checks: ["state", "nonce"] }),
    run: async ({ browser, op, post, get }) => {
      const start = await post("/auth/signin/oidc")
      const { action, fields } = await op.authorizeByForm(start.location)
      const first = await browser.post(action, fields, { from: new URL(op.issuer).origin })
      // latchkey redirects once more than Auth.js.
      const second = first.status === 303 ? await browser.get(first.location) : first
      return [first, second, await get("/auth/session", AS_SCRIPT)]
    },
  },
]

export const CALLBACK: Case[] = [...CREDENTIALS, ...OAUTH]
