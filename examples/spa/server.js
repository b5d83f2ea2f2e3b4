/**
 * A JSON API, and a single-page app of another origin that uses it with the browser's cookies.
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

// The app's pages may read answers, and nobody else's. A list: never whatever `Origin` says, never "*".
// This stands first, so that a preflight is answered before anybody asks who is signed in.
api.use(cors({ origin: [appOrigin], credentials: true }))

api.use(
  authMiddleware({
    // A provider for development. Yours: `import Google from "latchkey/providers/google"`, and `providers: [Google]`.
    providers: [devProvider({ port: port + 1 })],
    callbacks: {
      // People land on the app after they have signed in, and nowhere else outside.
      redirect({ url, baseUrl }) {
        const target = new URL(url, baseUrl)
        return [baseUrl, appOrigin].includes(target.origin) ? target.href : appOrigin
      },
    },
  }),
)

// A program is told 401, as application/problem+json; only a person who opens the address is asked to sign in.
api.get("/me", requireAuth, (req, res) => res.json(req.auth.user))

const notes = []

// What changes something takes JSON alone. A form of another site can't send that, and a script there has to ask first:
// that is the preflight, and `cors` says no.
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
