/**
 * The same application on latchkey. Users stay signed in.
 */
import express from "express"
import { authMiddleware, migrateSession, optionalAuth, requireAuth } from "latchkey"
import { readOldSession } from "./old-session.js"

const { PORT = "3000", ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET } = process.env

const provider = {
  ...{ id: "company", name: "Company", type: "oidc" },
  ...{ issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
}

const config = {
  providers: [provider],
  callbacks: {
    // The provider's id of the user, as in the old application, for sign-ins and for migrated sessions.
    jwt: ({ token, account }) => (account ? { ...token, sub: account.providerAccountId } : token),
    session: ({ session, token }) => ({ ...session, user: { id: token.sub, name: token.name, email: token.email } }),
  },
}

const app = express()
app.use(
  migrateSession(config, {
    cookie: "appSession",
    // A fixed day: the day of the change plus the week of an old session.
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
  // As text, because a name may contain HTML.
  if (req.auth) res.type("text").send(`Hello, ${req.auth.user.name}`)
  else res.send('<a href="/auth/signin">Sign in</a>')
})
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
