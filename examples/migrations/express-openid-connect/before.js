/**
 * An application on express-openid-connect: one provider, the session in an encrypted cookie.
 */
import express from "express"
import openid from "express-openid-connect"

const { PORT = "3000", ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET } = process.env

const app = express()
app.use(
  openid.auth({
    issuerBaseURL: ISSUER,
    baseURL: `http://localhost:${PORT}`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SESSION_SECRET,
    authRequired: false,
    authorizationParams: { response_type: "code", scope: "openid profile email" },
  }),
)

app.get("/", (req, res) => {
  if (req.oidc.isAuthenticated()) res.type("text").send(`Hello, ${req.oidc.user.name}`)
  else res.send('<a href="/login">Sign in</a>')
})
app.get("/me", (req, res) => {
  if (!req.oidc.isAuthenticated()) return res.status(401).json({ error: "Sign in first." })
  const { sub, name, email } = req.oidc.user
  res.json({ id: sub, name, email })
})

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`))
