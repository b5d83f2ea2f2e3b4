import { SAY_WHERE, type ServerFor } from "./server.js"

export const expressServer: ServerFor = () => ({
  imports: [{ from: "express", whole: "express" }],
  mountImports: [],
  names: ["authMiddleware", "requireAuth"],
  create: "const app = express()",
  mount: "app.use(authMiddleware(authConfig))",
  routes: `
app.get("/", async (req, res) => {
  const session = await req.getSession()
  res.json(session ? { signedInAs: session.user } : { signIn: "/auth/signin" })
})

app.get("/me", requireAuth, (req, res) => {
  res.json(req.auth.user)
})`.trim(),
  listen: `app.listen(port, ${SAY_WHERE})`,
})
