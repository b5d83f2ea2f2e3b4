/**
 * A Keycloak realm: its roles decide who is admitted, a route calls its API with the user's access token, and signing
 * out ends the session there too.
 */
import express from "express"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import Keycloak from "latchkey/providers/keycloak"
import { MemoryStore } from "latchkey/stores/memory"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)
const site = process.env.AUTH_URL ? new URL(process.env.AUTH_URL).origin : `http://localhost:${port}`

// A provider for development replaces the realm, so that the example runs without one. To use your realm, set
// AUTH_KEYCLOAK_ISSUER=https://keycloak.example.com/realms/my-realm, AUTH_KEYCLOAK_ID and
// AUTH_KEYCLOAK_SECRET. In production set AUTH_URL and AUTH_SECRET too.
const isDevelopment = !process.env.AUTH_KEYCLOAK_ISSUER
const realm = isDevelopment
  ? await devProvider({
      port: port + 1,
      users: {
        ada: { name: "Ada", email: "ada@example.com", email_verified: true, realm_access: { roles: ["admin"] } },
        bob: { name: "Bob", email: "bob@example.com", email_verified: true, realm_access: { roles: ["member"] } },
      },
    }).listen()
  : { issuer: process.env.AUTH_KEYCLOAK_ISSUER, clientId: process.env.AUTH_KEYCLOAK_ID }
const { issuer, clientId, clientSecret } = realm

// The endpoints do not change while the process runs.
const { end_session_endpoint, userinfo_endpoint } = await (
  await fetch(`${issuer}/.well-known/openid-configuration`)
).json()

/** The URL that ends the session at Keycloak. Register `site` there as "Valid post logout redirect URI". */
const endThere = `${end_session_endpoint}?${new URLSearchParams({
  client_id: clientId,
  post_logout_redirect_uri: `${site}/`,
})}`

const app = express()

app.use(
  authMiddleware({
    // Only for development; undefined means AUTH_SECRET.
    secret: isDevelopment ? crypto.randomUUID() : undefined,
    // Access tokens are kept in the store. With several processes use another one: docs/stores.md.
    store: MemoryStore(),
    // The API of the realm, or of your own services.
    providers: [Keycloak({ issuer, clientId, clientSecret, apiOrigins: [new URL(userinfo_endpoint).origin] })],
    callbacks: {
      // `profile` is present at sign-in only, so copy what later requests need into the token. For a real realm turn on
      // "Add to ID token" in the client scope "roles", mapper "realm roles".
      jwt: ({ token, profile }) => (profile ? { ...token, roles: profile.realm_access?.roles ?? [] } : token),
      session: ({ session, token }) => ({ ...session, user: { ...session.user, roles: token.roles } }),
      redirect: ({ url, baseUrl }) => (url === endThere || new URL(url, baseUrl).origin === baseUrl ? url : baseUrl),
    },
  }),
)

app.get("/", optionalAuth, (req, res) => {
  const { auth } = res.locals
  res.send(
    req.auth
      ? `<form method="post" action="${auth.signOutUrl}">${auth.csrfField()}
          <input type="hidden" name="callbackUrl" value="${endThere.replaceAll("&", "&amp;")}">
          <button>Sign out, at Keycloak too</button></form> <a href="/admin">Administration</a>`
      : '<a href="/auth/signin">Sign in</a>',
  )
})

const isAdmin = (session) => session.user.roles.includes("admin")

app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
app.get("/admin", requireAuth({ authorize: isAdmin }), (req, res) => res.json({ hello: req.auth.user.name }))

// A token that has expired is renewed first.
app.get("/userinfo", requireAuth({ provider: "keycloak" }), (req, res, next) => {
  const callApi = req.authorizedFetch("keycloak")
  callApi(userinfo_endpoint)
    .then((response) => response.json())
    .then((claims) => res.json(claims), next)
})

app.listen(port, () => console.log(`Open http://localhost:${port}`))
