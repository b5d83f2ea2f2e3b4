/**
 * Connect in place of Express: the same middleware, the same guard.
 */
import { createServer } from "node:http"
import connect from "connect"
import { authMiddleware, requireAuth } from "latchkey"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)
const origin = `http://localhost:${port}`

const app = connect()

app.use(authMiddleware({ providers: [devProvider({ port: port + 1 })] }))

const answer = (res, value) => res.setHeader("Content-Type", "application/json").end(JSON.stringify(value))

app.use("/me", requireAuth)
app.use("/me", (req, res) => answer(res, req.auth.user))

app.use(async (req, res, next) => {
  // Connect takes every address below a path for that path.
  if (req.url !== "/") return next()
  try {
    const session = await req.getSession()
    answer(res, session ? { signedInAs: session.user.name } : { signIn: "/auth/signin" })
  } catch (error) {
    // Connect waits for no promise: what fails in one has to be handed on.
    next(error)
  }
})

createServer(app).listen(port, () => console.log(`Open ${origin}`))
