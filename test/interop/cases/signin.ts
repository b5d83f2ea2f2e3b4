/**
 * The sign-in page and the start of a sign-in.
 *
 * @module
 */
import type { Case } from "../support/case.js"
import { AS_SCRIPT, get, JSON_MODE, post, send } from "../support/requests.js"

const CALLBACK_URLS = [
  "/cart",
  "/cart?a=1&b=2#top",
  "http://app.test/cart",
  "http://app.test",
  "http://app.test/",
  "https://app.test/cart",
  "http://evil.test/cart",
  "//evil.test/cart",
  "/\\evil.test",
  "/\t/evil.test",
  "http://app.test@evil.test/",
  "http://ada:pw@app.test/",
  "http://app.test.evil.test/",
  "javascript:alert(1)",
  "data:text/html,x",
  "cart",
  "",
  "/ü?q=ß",
]

const page = (more: object) => () => ({ pages: more })

/** Queries of the sign-in request, whose parameters are forwarded to the provider. */
const QUERIES = [
  "prompt=consent",
  "login_hint=ada%40example.com&ui_locales=de",
  "scope=admin",
  "client_id=evil&redirect_uri=http%3A%2F%2Fevil.test%2F&response_type=token",
  "state=planted&nonce=planted&code_challenge=planted&code_challenge_method=plain",
  "response_mode=fragment&request=x&request_uri=y",
  "callbackUrl=%2Fcart",
]

export const SIGNIN: Case[] = [
  { name: "GET signin", run: get("/auth/signin", {}) },
  { name: "GET signin over https", origin: "https://app.test", run: get("/auth/signin", {}) },
  { name: "GET signin without providers", config: () => ({ providers: [] }), run: get("/auth/signin", {}) },
  { name: "GET signin with a provider", run: get("/auth/signin/oidc", {}) },
  { name: "GET signin with an unknown provider", run: get("/auth/signin/nobody", {}) },
  { name: "GET signin/undefined", run: get("/auth/signin/undefined", {}) },
  { name: "GET signin with an error", run: get("/auth/signin?error=CredentialsSignin&code=x", {}) },
  {
    name: "GET signin with view props in the query",
    run: get("/auth/signin?csrfToken=x&theme=y&email=a%40b.test", {}),
  },
  { name: "GET signin with props that crash", run: get("/auth/signin?providers=x", {}) },
  { name: "GET signin in JSON mode", run: get("/auth/signin", JSON_MODE) },
  {
    name: "GET signin on a custom page",
    config: page({ signIn: "/login" }),
    run: get("/auth/signin?callbackUrl=/cart"),
  },
  {
    name: "GET signin on a custom page with a query",
    config: page({ signIn: "/login?from=auth" }),
    run: get("/auth/signin?error=OAuthCallbackError"),
  },
  {
    name: "GET signin on an external page",
    config: page({ signIn: "https://accounts.example.com/login" }),
    run: get("/auth/signin?callbackUrl=/cart"),
  },
  {
    name: "GET signin on a custom page in JSON mode",
    config: page({ signIn: "/login" }),
    run: get("/auth/signin", JSON_MODE),
  },
  ...CALLBACK_URLS.map(
    (url): Case => ({
      name: `GET signin with the callbackUrl ${JSON.stringify(url)}`,
      run: get(`/auth/signin?callbackUrl=${encodeURIComponent(url)}`, {}),
    }),
  ),
  ...["http://evil.test/", "garbage", "/cart", "http://app.test/cart"].map(
    (url): Case => ({
      name: `GET signin with the callbackUrl cookie ${JSON.stringify(url)}`,
      run: async ({ browser, get }) => {
        browser.setCookie("authjs.callback-url", encodeURIComponent(url))
        return get("/auth/signin")
      },
    }),
  ),
  {
    name: "GET signin with a redirect callback that accepts everything",
    config: () => ({ callbacks: { redirect: ({ url }: { url: string }) => url } }),
    run: get("/auth/signin?callbackUrl=http://partner.test/x", {}),
  },
  {
    name: "GET signin with a redirect callback that returns a path",
    config: () => ({ callbacks: { redirect: () => "/always" } }),
    run: get("/auth/signin?callbackUrl=/cart", {}),
  },
  {
    name: "GET signin with a redirect callback that throws",
    config: () => ({
      callbacks: {
        redirect: () => {
          throw new Error("the application's own mistake")
        },
      },
    }),
    run: get("/auth/signin?callbackUrl=/cart", {}),
  },

  { name: "POST signin without a provider", run: post("/auth/signin") },
  { name: "POST signin with credentials", run: post("/auth/signin/credentials") },
  { name: "POST signin with an unknown provider", run: post("/auth/signin/nobody", {}, AS_SCRIPT) },
  { name: "POST signin without the token", run: send("POST", "/auth/signin/oidc") },
  {
    name: "POST signin without the token, with a callbackUrl",
    run: send("POST", "/auth/signin/oidc?callbackUrl=/cart"),
  },
  { name: "POST signin with oauth", run: post("/auth/signin/oauth") },
  { name: "POST signin with oidc", run: post("/auth/signin/oidc") },
  { name: "POST signin with oidc over https", origin: "https://app.test", run: post("/auth/signin/oidc") },
  { name: "POST signin in JSON mode", run: post("/auth/signin/oidc", {}, JSON_MODE) },
  {
    name: "POST signin in JSON",
    run: async ({ browser }) =>
      browser.postJson("/auth/signin/oidc", { csrfToken: await browser.csrf(), callbackUrl: "/cart" }, JSON_MODE),
  },
  { name: "POST signin with a callbackUrl", run: post("/auth/signin/oidc", { callbackUrl: "/cart" }) },
  {
    name: "POST signin with a foreign callbackUrl",
    run: post("/auth/signin/oidc", { callbackUrl: "http://evil.test/" }),
  },
  { name: "POST signin with a callbackUrl that is not a URL", run: post("/auth/signin/oidc", { callbackUrl: "cart" }) },
  ...QUERIES.map((query): Case => ({ name: `POST signin with ${query}`, run: post(`/auth/signin/oidc?${query}`) })),
  ...(
    [
      ["checks none", { checks: ["none"] }],
      ["checks state", { checks: ["state"] }],
      ["checks pkce", { checks: ["pkce"] }],
      ["checks nonce", { checks: ["nonce"] }],
      ["checks pkce, state, nonce", { checks: ["pkce", "state", "nonce"] }],
      ["no checks", { checks: [] }],
      ["authorization as parameters", { authorization: { params: { scope: "openid groups", prompt: "login" } } }],
      ["a claims parameter", { authorization: { params: { claims: { id_token: { email: null } } } } }],
      ["an undefined parameter", { authorization: { params: { prompt: undefined } } }],
      ["another id", { id: "mine" }],
    ] as const
  ).map(
    ([name, more]): Case => ({
      name: `POST signin with oidc and ${name}`,
      config: ({ op }) => ({ providers: [{ ...op.oidc(), ...more }] }),
      run: post(`/auth/signin/${"id" in more ? more.id : "oidc"}`),
    }),
  ),
  ...(
    [
      ["checks none", () => ({ checks: ["none"] })],
      ["checks state", () => ({ checks: ["state"] })],
      ["checks pkce and state", () => ({ checks: ["pkce", "state"] })],
      ["a scope in the address", (base: string) => ({ authorization: `${base}/authorize?scope=read` })],
      ["an empty scope", (base: string) => ({ authorization: `${base}/authorize?scope` })],
      [
        "an address and parameters",
        (base: string) => ({ authorization: { url: `${base}/authorize?a=1`, params: { scope: "read", b: 2 } } }),
      ],
      [
        "options over it",
        (base: string) => ({ options: { clientId: "other", authorization: `${base}/authorize?scope=x` } }),
      ],
      ["parameters in options", () => ({ options: { authorization: { params: { scope: "x" } } } })],
    ] as const
  ).map(
    ([name, more]): Case => ({
      name: `POST signin with oauth and ${name}`,
      config: ({ op }) => ({ providers: [{ ...op.oauth(), ...more(op.base) }] }),
      run: post("/auth/signin/oauth"),
    }),
  ),
  {
    name: "POST signin with form_post",
    config: ({ op }) => ({
      providers: [op.oidc({ authorization: { params: { response_mode: "form_post" } }, checks: ["state", "nonce"] })],
    }),
    run: post("/auth/signin/oidc"),
  },
  {
    name: "POST signin with a redirect proxy",
    config: () => ({ redirectProxyUrl: "https://proxy.example.com/auth" }),
    run: post("/auth/signin/oidc"),
  },
  {
    name: "POST signin when discovery fails",
    run: async ({ op, post }) => {
      op.set({ fault: { discovery: { status: 503 } } })
      return post("/auth/signin/oidc", { callbackUrl: "/cart" })
    },
  },
  {
    name: "POST signin when discovery fails, in JSON mode",
    run: async ({ op, post }) => {
      op.set({ fault: { discovery: "html" } })
      return post("/auth/signin/oidc", {}, JSON_MODE)
    },
  },
  {
    name: "POST signin when discovery names another issuer",
    run: async ({ op, post }) => {
      op.set({ discovery: (document) => ({ ...document, issuer: "http://evil.test" }) })
      return post("/auth/signin/oidc")
    },
  },
  {
    name: "POST signin from two tabs",
    run: async ({ post }) => [await post("/auth/signin/oidc"), await post("/auth/signin/oauth", { callbackUrl: "/b" })],
  },
]
