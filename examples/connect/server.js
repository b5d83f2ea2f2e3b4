/**
 * Connect instead of Express: the same middleware, the same guard.
 */
import { createServer } from "node:http"
import connect from "connect"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)
const origin = `http://localhost:${port}`

const app = connect()

app.use(authMiddleware({ providers: [devProvider({ port: port + 1 })] }))

const answer = (res, value) => res.setHeader("Content-Type", "application/json").end(JSON.stringify(value))

app.use("/me", requireAuth)
app.use("/me", (req, res) => answer(res, req.auth.user))

app.use(optionalAuth)
app.use((req, res, next) => {
  // Connect matches every URL below a path.
  if (req.url !== "/") return next()
  answer(res, req.auth ? { signedInAs: req.auth.user.name } : { signIn: "/auth/signin" })
})

createServer(app).listen(port, () => console.log(`Open ${origin}`))
