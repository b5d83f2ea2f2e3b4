/**
 * The same application on latchkey. Who was signed in still is.
 */
import express from "express"
import { adoptSession, authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { readOldSession } from "./old-session.js"

const { PORT = "3000", ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET } = process.env

const provider = {
  ...{ id: "company", name: "Company", type: "oidc" },
  ...{ issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
}

const config = {
  providers: [provider],
  callbacks: {
    // The provider's name for a person, as in the old application, at a sign-in and for who is taken over.
    jwt: ({ token, account }) => (account ? { ...token, sub: account.providerAccountId } : token),
    session: ({ session, token }) => ({ ...session, user: { id: token.sub, name: token.name, email: token.email } }),
  },
}

const app = express()
app.use(
  adoptSession(config, {
    cookie: "appSession",
    // A day, written down: that of the change and the week for which an old session may last.
    until: new Date(process.env.ADOPT_UNTIL),
    read: async (req) => {
      const claims = await readOldSession(req.headers.cookie, SESSION_SECRET)
      if (!claims) return null
      const { sub, name, email } = claims
      return {
        user: { id: sub, name, email },
        account: { provider: provider.id, providerAccountId: sub, type: "oidc" },
      }
    },
  }),
)
app.use(authMiddleware(config))

// Links and bookmarks of the old application.
app.get("/login", (_req, res) => res.redirect("/auth/signin"))
app.get("/logout", (_req, res) => res.redirect("/auth/signout"))

app.get("/", optionalAuth, (req, res) => {
  res.send(req.auth ? `Hello, ${req.auth.user.name}` : '<a href="/auth/signin">Sign in</a>')
})
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
