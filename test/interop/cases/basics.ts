/**
 * Requests to actions without a provider, and requests that are not actions.
 *
 * @module
 */
import { encode } from "@auth/core/jwt"
import { type Case, SECRET, type Visitor } from "../support/case.js"

const JSON_ONLY = { headers: { accept: "*/*" } }
const JSON_MODE = { headers: { "x-auth-return-redirect": "1", accept: "*/*" } }

const NEWER = "the newer of two secrets, which seals and signs"

const get =
  (path: string, init: Parameters<Visitor["get"]>[1] = JSON_ONLY): Case["run"] =>
  ({ get }) =>
    get(path, init)

const send =
  (method: string, path: string, init: Parameters<Visitor["get"]>[1] = JSON_ONLY): Case["run"] =>
  ({ browser }) =>
    browser.request(path, { ...init, method })

export const BASICS: Case[] = [
  // csrf
  { name: "GET csrf", run: get("/auth/csrf") },
  { name: "GET csrf with a trailing slash", run: get("/auth/csrf/") },
  { name: "GET csrf with doubled slashes", run: get("/auth//csrf//") },
  {
    name: "GET csrf again",
    run: async ({ browser, get }) => {
      await browser.csrf()
      return get("/auth/csrf")
    },
  },
  {
    name: "GET csrf with a cookie of another secret",
    run: async ({ browser, get }) => {
      browser.setCookie("authjs.csrf-token", `${"a".repeat(64)}%7C${"b".repeat(64)}`)
      return get("/auth/csrf")
    },
  },
  { name: "GET csrf with a callbackUrl", run: get("/auth/csrf?callbackUrl=/cart") },
  { name: "GET csrf over https", origin: "https://app.test", run: get("/auth/csrf") },
  { name: "GET csrf, secure cookies over http", config: () => ({ useSecureCookies: true }), run: get("/auth/csrf") },
  {
    name: "GET csrf, plain cookies over https",
    origin: "https://app.test",
    config: () => ({ useSecureCookies: false }),
    run: get("/auth/csrf"),
  },
  {
    name: "GET csrf with other cookies",
    config: () => ({
      cookies: {
        csrfToken: { name: "x-csrf", options: { sameSite: "strict", path: "/auth", maxAge: 60 } },
        callbackUrl: { options: { domain: "app.test", priority: "high", partitioned: true } },
      },
    }),
    run: get("/auth/csrf"),
  },
  { name: "GET csrf without the check", config: ({ skipCSRFCheck }) => ({ skipCSRFCheck }), run: get("/auth/csrf") },
  { name: "POST csrf", run: ({ post }) => post("/auth/csrf", {}, JSON_ONLY) },
  { name: "GET csrf with a provider", run: get("/auth/csrf/oidc") },

  // providers
  { name: "GET providers", run: get("/auth/providers") },
  { name: "GET providers over https", origin: "https://app.test", run: get("/auth/providers") },
  { name: "GET providers with a callbackUrl", run: get("/auth/providers?callbackUrl=/cart") },
  { name: "GET providers, none", config: () => ({ providers: [] }), run: get("/auth/providers") },
  { name: "POST providers", run: ({ post }) => post("/auth/providers", {}, JSON_ONLY) },

  // verify-request
  { name: "GET verify-request", run: get("/auth/verify-request?provider=email&type=email") },
  {
    name: "GET verify-request on a custom page",
    config: () => ({ pages: { verifyRequest: "/check-mail" } }),
    run: get("/auth/verify-request?provider=email&type=email"),
  },
  { name: "POST verify-request", run: ({ post }) => post("/auth/verify-request", {}, JSON_ONLY) },

  // error
  ...["", "Configuration", "AccessDenied", "Verification", "Whatever", "<script>"].map(
    (error): Case => ({
      name: `GET error: ${error || "none"}`,
      run: get(`/auth/error${error && `?error=${encodeURIComponent(error)}`}`),
    }),
  ),
  ...["", "AccessDenied", "a b&c=d"].map(
    (error): Case => ({
      name: `GET error on a custom page: ${error || "none"}`,
      config: () => ({ pages: { error: "/oops" } }),
      run: get(`/auth/error${error && `?error=${encodeURIComponent(error)}`}`),
    }),
  ),
  {
    name: "GET error on a custom page with a query",
    config: () => ({ pages: { error: "/oops?from=auth" } }),
    run: get("/auth/error?error=AccessDenied"),
  },
  { name: "POST error", run: ({ post }) => post("/auth/error?error=AccessDenied", {}, JSON_ONLY) },

  // paths and methods that are not actions
  ...["/auth", "/auth/", "/auth/foo", "/auth/foo/oidc", "/auth/signin/a/b", "/auth/session/oidc", "/authsession"].map(
    (path): Case => ({ name: `GET ${path}`, run: get(path) }),
  ),
  { name: "GET foo as a browser navigation", run: get("/auth/foo", {}) },
  ...["PUT", "DELETE", "PATCH", "OPTIONS"].flatMap((method) =>
    ["session", "signin", "callback/oidc"].map(
      (action): Case => ({ name: `${method} ${action}`, run: send(method, `/auth/${action}`) }),
    ),
  ),
  ...["csrf", "session", "providers", "signin", "error?error=AccessDenied", "signout", "callback/oidc"].map(
    (action): Case => ({ name: `HEAD ${action}`, run: send("HEAD", `/auth/${action}`) }),
  ),
  { name: "PUT as a browser navigation", run: send("PUT", "/auth/session", {}) },

  // bodies
  ...["{", "[]", "null", '"text"', "1"].map(
    (body): Case => ({
      name: `POST session with the JSON ${body}`,
      run: send("POST", "/auth/session", { body, headers: { accept: "*/*", "content-type": "application/json" } }),
    }),
  ),
  {
    name: "POST signout with an empty JSON body",
    run: send("POST", "/auth/signout", { body: "", headers: { "content-type": "application/json" } }),
  },
  {
    name: "POST signout with a body without a type",
    run: send("POST", "/auth/signout", { body: "csrfToken=1", headers: { "content-type": "text/plain" } }),
  },
  {
    name: "POST signout with a multipart body",
    run: send("POST", "/auth/signout", {
      body: '--x\r\ncontent-disposition: form-data; name="csrfToken"\r\n\r\n1\r\n--x--\r\n',
      headers: { accept: "*/*", "content-type": "multipart/form-data; boundary=x" },
    }),
  },
  {
    name: "POST signout with a body of 200 kB",
    run: send("POST", "/auth/signout", {
      body: `csrfToken=${"a".repeat(200_000)}`,
      headers: { accept: "*/*", "content-type": "application/x-www-form-urlencoded" },
    }),
  },
  {
    name: "POST signout with a body of 80 kB",
    run: async ({ post }) => post("/auth/signout", { padding: "a".repeat(80_000) }, JSON_ONLY),
  },
  {
    name: "POST signout with the token twice",
    run: async ({ browser }) => {
      const token = await browser.csrf()
      return browser.request("/auth/signout", {
        method: "POST",
        body: `csrfToken=bad&csrfToken=${token}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
    },
  },

  // sign-out
  { name: "GET signout", run: get("/auth/signout", {}) },
  { name: "GET signout with a callbackUrl", run: get("/auth/signout?callbackUrl=/bye", {}) },
  {
    name: "GET signout on a custom page",
    config: () => ({ pages: { signOut: "/leave?a=1" } }),
    run: get("/auth/signout"),
  },
  { name: "POST signout, signed out", run: ({ post }) => post("/auth/signout") },
  {
    name: "POST signout",
    run: async ({ signIn, post }) => {
      await signIn()
      return post("/auth/signout")
    },
  },
  {
    name: "POST signout in JSON",
    run: async ({ signIn, browser }) => {
      await signIn()
      return browser.postJson("/auth/signout", { csrfToken: await browser.csrf() }, JSON_MODE)
    },
  },
  {
    name: "POST signout with a callbackUrl in the body",
    run: async ({ signIn, post }) => {
      await signIn()
      return post("/auth/signout", { callbackUrl: "/bye" })
    },
  },
  {
    name: "POST signout with a callbackUrl in the query",
    run: async ({ signIn, post }) => {
      await signIn()
      return post("/auth/signout?callbackUrl=/bye")
    },
  },
  {
    name: "POST signout with two callbackUrls",
    run: async ({ post }) => post("/auth/signout?callbackUrl=/query", { callbackUrl: "/body" }),
  },
  {
    name: "POST signout with a session cookie that cannot be decrypted",
    run: async ({ browser, post }) => {
      browser.setCookie("authjs.session-token", "garbage")
      return post("/auth/signout")
    },
  },
  {
    name: "POST signout with chunks",
    run: async ({ browser, post }) => {
      const sealed = await encode({ token: { notes: "x".repeat(4000) }, secret: SECRET, salt: "authjs.session-token" })
      browser.setCookie("authjs.session-token.0", sealed.slice(0, 3936))
      browser.setCookie("authjs.session-token.1", sealed.slice(3936))
      return post("/auth/signout")
    },
  },
  { name: "POST signout without the token", run: ({ browser }) => browser.post("/auth/signout") },
  { name: "POST signout with a wrong token", run: ({ post }) => post("/auth/signout", { csrfToken: "bad" }) },
  {
    name: "POST signout with the token in the query",
    run: async ({ browser }) => browser.post(`/auth/signout?csrfToken=${await browser.csrf()}`),
  },
  {
    name: "POST signout with a wrong token in JSON mode",
    run: ({ post }) => post("/auth/signout", { csrfToken: "bad" }, JSON_MODE),
  },
  {
    name: "POST signout with a wrong token and custom pages",
    config: () => ({ pages: { signIn: "/login?x=1", error: "/oops" } }),
    run: ({ post }) => post("/auth/signout", { csrfToken: "bad" }),
  },
  {
    name: "POST signout from another site with the right token",
    run: ({ post }) =>
      post("/auth/signout", {}, { headers: { origin: "https://evil.test", "sec-fetch-site": "cross-site" } }),
  },
  {
    name: "POST signout without the check",
    config: ({ skipCSRFCheck }) => ({ skipCSRFCheck }),
    run: ({ browser }) => browser.post("/auth/signout"),
  },
  {
    name: "GET csrf with a list of secrets",
    secrets: [NEWER, SECRET],
    config: () => ({ secret: [NEWER, SECRET] }),
    run: async ({ get }) => [await get("/auth/csrf"), await get("/auth/csrf")],
  },

  // hosts
  { name: "GET csrf, untrusted host", config: () => ({ trustHost: false }), run: get("/auth/csrf") },
  { name: "GET signin, untrusted host", config: () => ({ trustHost: false }), run: get("/auth/signin", {}) },
  {
    name: "GET signin, untrusted host, custom error page",
    config: () => ({ trustHost: false, pages: { error: "/oops" } }),
    run: get("/auth/signin", {}),
  },
]
