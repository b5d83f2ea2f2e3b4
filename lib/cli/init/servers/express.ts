import { SAY_WHERE, type ServerFor } from "./server.js"

export const expressServer: ServerFor = () => ({
  imports: [{ from: "express", defaultName: "express" }],
  mountImports: [],
  names: ["authMiddleware", "optionalAuth", "requireAuth"],
  create: "const app = express()",
  mount: "app.use(authMiddleware(authConfig))",
  routes: `
app.get("/", optionalAuth, (req, res) => {
  res.json(req.auth ? { signedInAs: req.auth.user } : { signIn: "/auth/signin" })
})

app.get("/me", requireAuth, (req, res) => {
  res.json(req.auth.user)
})`.trim(),
  listen: `app.listen(port, ${SAY_WHERE})`,
})
