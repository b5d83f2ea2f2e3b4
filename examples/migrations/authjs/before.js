/**
 * An application on Auth.js: one provider, sessions in cookies, or in a database with DATABASE_FOLDER.
 */
import { ExpressAuth, getSession } from "@auth/express"
import { UnstorageAdapter } from "@auth/unstorage-adapter"
import express from "express"
import { createStorage } from "unstorage"
import files from "unstorage/drivers/fs-lite"

const { PORT = "3000", DATABASE_FOLDER } = process.env

// Set AUTH_LOCAL_ISSUER, AUTH_LOCAL_ID, AUTH_LOCAL_SECRET and AUTH_SECRET, and in
// production AUTH_URL too.
const config = {
  basePath: "/auth",
  providers: [{ id: "local", name: "Local provider", type: "oidc" }],
  ...(DATABASE_FOLDER && {
    adapter: UnstorageAdapter(createStorage({ driver: files({ base: DATABASE_FOLDER }) })),
  }),
}

const app = express()

app.use("/auth", ExpressAuth(config))

// Express 4 does not handle the rejection of an async handler, which would end the process: pass it on.
app.use((req, res, next) => {
  getSession(req, config).then((session) => {
    res.locals.session = session
    next()
  }, next)
})

app.get("/", (_req, res) => {
  const { session } = res.locals
  // As text, because a name may contain HTML.
  if (session) res.type("text").send(`Hello, ${session.user.name}`)
  else res.send('<a href="/auth/signin">Sign in</a>')
})

app.get("/me", (_req, res) => {
  const { session } = res.locals
  if (session) res.json(session.user)
  else res.status(401).json({ error: "Sign in first." })
})

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
