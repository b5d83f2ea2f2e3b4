/**
 * The example application: two ways to sign in, pages for signed-in people, a sign-in page of its own.
 */
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import express from "express"
import { authMiddleware, requireAuth } from "latchkey"
import Credentials from "latchkey/providers/credentials"
import { startLocalProvider } from "./local-provider.js"
import { checkPassword } from "./people.js"

const port = Number(process.env.PORT || 3000)

// An OpenID provider of our own, so that the example runs without an account anywhere. Yours is somebody else's:
// `import Google from "latchkey/providers/google"`, and `providers: [Google]` below.
const local = await startLocalProvider({ port: port + 1, appPort: port }).catch(giveUp)

const app = express()
app.set("view engine", "ejs")
app.set("views", fileURLToPath(new URL("views", import.meta.url)))

// No foreign scripts, and no other site may show our forms in a frame.
app.use((_req, res, next) => {
  res.set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; frame-ancestors 'none'")
  next()
})
app.use(express.static(fileURLToPath(new URL("public", import.meta.url))))

app.use(
  authMiddleware({
    // New at each start, which signs everybody out. In production leave this line away and set AUTH_SECRET.
    secret: randomBytes(33).toString("base64"),
    providers: [
      { id: "local", name: "Local provider", type: "oidc", ...local.client },
      Credentials({
        name: "password",
        credentials: {
          username: { label: "User name", autocomplete: "username" },
          password: { label: "Password", type: "password", autocomplete: "current-password" },
        },
        authorize: ({ username, password }) => checkPassword(username, password),
      }),
    ],
    // Our own sign-in page, see below. Without this line you get the built-in one; BUILT_IN_PAGES=1 shows it.
    pages: process.env.BUILT_IN_PAGES ? {} : { signIn: "/login" },
  }),
)

// Every page's header says who is signed in, so read the session for all of them. Such pages are not for caches.
app.use(async (req, res, next) => {
  await req.getSession()
  res.set("Cache-Control", "private, no-store")
  next()
})

app.get("/", (_req, res) => res.render("home"))

// One guarded page …
app.get("/profile", requireAuth, async (req, res) => {
  res.render("profile", { user: req.auth.user, expires: new Date(req.auth.session.expires) })
})

// … an address for scripts: 401 with application/problem+json when nobody is signed in …
app.get("/api/me", requireAuth, (req, res) => res.json(req.auth.user))

// … and whole parts of the site, with everything below them.
app.use(["/account", "/orders"], requireAuth)
app.get("/account", (_req, res) => res.render("account"))
app.get("/orders", (_req, res) => res.render("orders"))

/** What the sign-in page says, by the `error` it is called with. Never show that text itself: anybody can write it. */
const SIGN_IN_ERRORS = {
  CredentialsSignin: "This user name and password don’t go together. Please check them and try again.",
  OAuthCallbackError: "The sign-in was cancelled or took too long. Please try again.",
  SessionRequired: "Please sign in to see this page.",
}

app.get("/login", (req, res) => {
  if (res.locals.auth.user) return res.redirect("/")
  const { error, callbackUrl } = req.query
  res.render("login", {
    error: error && (SIGN_IN_ERRORS[error] ?? "Signing in didn’t work. Please try again."),
    wasRefused: error === "CredentialsSignin",
    // Where to go afterwards. The middleware checks that it is on this site.
    callbackUrl: typeof callbackUrl === "string" ? callbackUrl : "/",
  })
})

app.use((_req, res) => {
  res.status(404).render("error", { title: "Page not found", text: "There is nothing at this address." })
})

// Four parameters make it an error handler. latchkey's errors have a `status`; those of 500 and above are ours to mend.
app.use((error, _req, res, next) => {
  if (res.headersSent) return next(error)
  const status = error.status ?? 500
  if (status >= 500) console.error(error)
  const title = status >= 500 ? "Something went wrong" : "That didn’t work"
  res.status(status).render("error", { title, text: error.expose ? error.message : "Please try again later." })
})

const server = createServer(app)
server.once("error", giveUp)
server.listen(port, () => {
  console.log(`The example runs at http://localhost:${port}`)
  console.log(`Sign in as Alice or Bob with the provider at ${local.client.issuer}, or as carol with "wonderland"`)
})

function giveUp(error) {
  if (error.code !== "EADDRINUSE") throw error
  console.error(`Port ${error.port} is taken; the example needs ${port} and ${port + 1}. Try: PORT=4000 npm start`)
  process.exit(1)
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const each of [server, local.server]) {
      each.close()
      each.closeAllConnections()
    }
  })
}
