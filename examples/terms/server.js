/**
 * Users accept the terms before a sign-in creates a user or a session.
 */
import express from "express"
import { authMiddleware, requireAuth } from "latchkey"
import { MemoryStore } from "latchkey/stores/memory"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)
const accepted = new Set()
const app = express()

app.use(
  authMiddleware({
    providers: [devProvider({ port: port + 1 })],
    store: MemoryStore(),
    requirements: [{ name: "terms", isOpen: ({ user }) => !accepted.has(user.email), page: "/terms" }],
    events: { signIn: ({ user, data }) => void (data?.terms && accepted.add(user.email)) },
  }),
)
const page = ({ cancelUrl }) =>
  `<form method="post">Do you accept our terms? <button>Accept</button> <a href="${cancelUrl}">Cancel</a></form>`
app.get("/terms", (req, res, next) => {
  req.pendingSignIn().then((pending) => (pending ? res.send(page(pending)) : res.redirect("/auth/signin")), next)
})
app.post("/terms", (req, res, next) => {
  req.completeRequirement("terms", { version: 3 }).then(({ redirectTo }) => res.redirect(redirectTo), next)
})
app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
app.listen(port, () => console.log(`Open http://localhost:${port}/me`))
