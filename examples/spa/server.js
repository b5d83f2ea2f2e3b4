/**
 * A JSON API, and a single-page app on another origin that uses it with the browser's cookies.
 */
import { fileURLToPath } from "node:url"
import cors from "cors"
import express from "express"
import { authMiddleware, requireAuth } from "latchkey"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)
// In production these are https://api.example.com and https://app.example.com: two origins of one site.
const apiOrigin = `http://localhost:${port}`
const appOrigin = `http://localhost:${port + 2}`

const api = express()

// Only the app's pages may read responses. Use a list, never the value of `Origin` and never "*".
// This is first, because a preflight has no session.
api.use(cors({ origin: [appOrigin], credentials: true }))

api.use(
  authMiddleware({
    // For development. In production: `import Google from "latchkey/providers/google"`, and `providers: [Google]`.
    providers: [devProvider({ port: port + 1 })],
    callbacks: {
      // The app is the only other origin that a return URL may have.
      redirect({ url, baseUrl }) {
        const target = new URL(url, baseUrl)
        return [baseUrl, appOrigin].includes(target.origin) ? target.href : appOrigin
      },
    },
  }),
)

// Scripts get 401 as application/problem+json. Only navigations are redirected to the sign-in page.
api.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

const notes = []

// Changes accept only JSON. A form of another site can't send JSON, and a script of another site needs a preflight,
// which `cors` refuses.
const jsonOnly = (req, res, next) => (req.is("json") ? next() : res.sendStatus(415))

api.post("/notes", jsonOnly, requireAuth, express.json(), (req, res) => {
  notes.push({ by: req.auth.user.name, text: String(req.body.text) })
  res.status(201).json(notes)
})

const app = express()
app.get("/config.json", (_req, res) => res.json({ apiOrigin }))
app.use(express.static(fileURLToPath(new URL("public", import.meta.url))))

api.listen(port)
app.listen(port + 2, () => console.log(`The app is at ${appOrigin}, its API at ${apiOrigin}`))
