/**
 * An application on Auth.js: one provider, sessions in cookies, or in a store with DATABASE_FOLDER.
 */
import { ExpressAuth, getSession } from "@auth/express"
import { UnstorageAdapter } from "@auth/unstorage-adapter"
import express from "express"
import { createStorage } from "unstorage"
import files from "unstorage/drivers/fs-lite"

const { PORT = "3000", DATABASE_FOLDER } = process.env

// Its issuer, id and secret are in AUTH_LOCAL_ISSUER, AUTH_LOCAL_ID and AUTH_LOCAL_SECRET, and AUTH_SECRET is set; in
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

app.get("/", async (req, res) => {
  const session = await getSession(req, config)
  res.send(session ? `Hello, ${session.user.name}` : '<a href="/auth/signin">Sign in</a>')
})

app.get("/me", async (req, res) => {
  const session = await getSession(req, config)
  if (session) res.json(session.user)
  else res.status(401).json({ error: "Sign in first." })
})

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
