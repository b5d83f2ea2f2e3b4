/**
 * Hono, as an example of frameworks with web-standard requests.
 */
import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { Hono } from "hono"
import { authHandlers, getSession } from "latchkey"
import { authConfig, port } from "./auth.js"

const { GET, POST } = authHandlers(authConfig)

const app = new Hono()

app.on(["GET", "POST"], "/api/auth/*", async (c, next) => {
  // A web Request does not contain the client's address, which the limit on attempts needs.
  const event = { request: c.req.raw, clientAddress: getConnInfo(c).remote.address }
  return (await (c.req.method === "POST" ? POST : GET)(event)) ?? next()
})

app.get("/", async (c) => {
  const session = await getSession(c.req.raw, authConfig)
  return c.json(session ? { signedInAs: session.user.name } : { signIn: "/api/auth/signin" })
})

// The guard of the routes.
app.use("/me", async (c, next) => {
  const session = await getSession(c.req.raw, authConfig)
  if (!session) return c.redirect(`/api/auth/signin?${new URLSearchParams({ callbackUrl: c.req.path })}`)
  c.set("user", session.user)
  await next()
})
app.get("/me", (c) => c.json(c.get("user")))

serve({ fetch: app.fetch, port }, () => console.log(`Open http://localhost:${port}`))
