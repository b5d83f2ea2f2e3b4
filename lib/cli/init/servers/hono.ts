import { SAY_WHERE, type ServerFor } from "./server.js"

export const honoServer: ServerFor = () => ({
  imports: [
    { from: "@hono/node-server", names: ["serve"] },
    { from: "hono", names: ["Hono"] },
  ],
  mountImports: [{ from: "@hono/node-server/conninfo", names: ["getConnInfo"] }],
  names: ["authHandlers", "getSession"],
  create: "const app = new Hono()",
  mount: `
const { GET, POST } = authHandlers(authConfig)

app.on(["GET", "POST"], "/api/auth/*", async (c, next) => {
  const event = { request: c.req.raw, clientAddress: getConnInfo(c).remote.address }
  return (await (c.req.method === "POST" ? POST : GET)(event)) ?? next()
})`.trim(),
  routes: `
app.get("/", async (c) => {
  const session = await getSession(c.req.raw, authConfig)
  return c.json(session ? { signedInAs: session.user } : { signIn: "/api/auth/signin" })
})

app.get("/me", async (c) => {
  const session = await getSession(c.req.raw, authConfig)
  if (!session) return c.redirect(\`/api/auth/signin?\${new URLSearchParams({ callbackUrl: c.req.path })}\`)
  return c.json(session.user)
})`.trim(),
  listen: `serve({ fetch: app.fetch, port }, ${SAY_WHERE})`,
})
