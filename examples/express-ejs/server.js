/**
 * The example application: four sign-in methods, a database, pages for signed-in users, and its own sign-in page.
 */
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import cookieParser from "cookie-parser"
import express from "express"
import { authMiddleware, optionalAuth, requireAuth } from "latchkey"
import { SqlAdapter } from "latchkey/adapters/sql"
import Credentials from "latchkey/providers/credentials"
import Passkey from "latchkey/providers/passkey"
import { devProvider, mailbox } from "latchkey/testing"
import { localSecret } from "./local-secret.js"
import { carol, checkPassword, clearPassword } from "./people.js"

const port = Number(process.env.PORT || 3000)
const isProduction = process.env.NODE_ENV === "production"
const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

// An OpenID provider for development, so that the example needs no account. In production:
// `import Google from "latchkey/providers/google"`, and `providers: [Google]` below.
const dev = isProduction ? undefined : devProvider({ port: port + 1 })
// Listen now instead of at the first sign-in, to report a port that is in use at once.
await dev?.listen().catch(giveUp)

// Users, accounts and sessions are in a file. For PostgreSQL: `SqlAdapter({ postgres: process.env.DATABASE_URL })`.
const databaseFile = process.env.DATABASE_FILE || beside("example.db")
const adapter = SqlAdapter({ sqlite: databaseFile })
await adapter.migrate()

// A session belongs to a user in the database, so users with a password must exist there. Yours register first.
if (!isProduction && !(await adapter.getUser(carol.id))) await adapter.createUser(carol)

// Emails are shown at /dev/mails instead of sent. Never in production: any reader of an email can sign in with it.
const mails = isProduction ? undefined : mailbox()

const app = express()
app.set("view engine", "ejs")
app.set("views", beside("views"))
app.locals.mailsUrl = mails && "/dev/mails"

// Blocks scripts of other sites, and framing.
app.use((_req, res, next) => {
  res.set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; frame-ancestors 'none'")
  next()
})
app.use(express.static(beside("public")))

// The colour scheme that the visitor has chosen on the front page. latchkey reads its own cookies without cookie-parser.
const SCHEMES = ["light", "dark"]
app.use(cookieParser(), (req, res, next) => {
  res.locals.scheme = SCHEMES.find((scheme) => scheme === req.cookies.scheme)
  next()
})
app.post("/scheme", express.urlencoded({ extended: false }), (req, res) => {
  const year = 365 * 24 * 60 * 60 * 1000
  const options = { httpOnly: true, sameSite: "lax", secure: isProduction }
  const { scheme } = req.body ?? {}
  if (SCHEMES.includes(scheme)) res.cookie("scheme", scheme, { ...options, maxAge: year })
  else res.clearCookie("scheme", options)
  res.redirect(303, "/")
})

app.use(
  authMiddleware({
    // In production remove this line and set AUTH_SECRET.
    secret: isProduction || process.env.AUTH_SECRET ? undefined : localSecret(databaseFile),
    adapter,
    providers: [
      // With an SMTP server, `npm install nodemailer` and:
      //   import Nodemailer from "latchkey/providers/nodemailer"
      //   Nodemailer({ server: "smtp://user:password@smtp.example.com:587", from: "Example <no-reply@example.com>" }),
      ...(mails ? [mails.provider] : []),
      // Needs `npm install @simplewebauthn/server`.
      Passkey,
      ...(dev ? [dev] : []),
      Credentials({
        name: "password",
        credentials: {
          username: { label: "User name", autocomplete: "username" },
          password: { label: "Password", type: "password", autocomplete: "current-password" },
        },
        authorize: async ({ username, password }) => {
          const id = await checkPassword(username, password)
          return id ? adapter.getUser(id) : null
        },
      }),
    ],
    callbacks: {
      // The user in req.getSession() and /auth/session. Without this callback it has no id.
      session: ({ session, user: { id, name, email } }) => ({
        user: { id, name, email },
        expires: session.expires.toISOString(),
      }),
    },
    // The owner has verified the address. A stranger may have registered with it before, and know the password.
    events: { confirmEmailOwner: ({ user }) => clearPassword(user.id) },
    // The pages below. Without this line you get the built-in ones; BUILT_IN_PAGES=1 shows them.
    pages: process.env.BUILT_IN_PAGES ? {} : { signIn: "/login", verifyRequest: "/check-email", newUser: "/welcome" },
  }),
)

// Every page shows the current user in its header, so read the session for all pages and don't cache them.
app.use(optionalAuth, (_req, res, next) => {
  res.set("Cache-Control", "private, no-store")
  next()
})

app.get("/", (_req, res) => res.render("home"))
if (mails) app.use("/dev/mails", mails.pages)

// One guarded page …
app.get("/profile", requireAuth, (req, res) => {
  res.render("profile", { user: req.auth.user, expires: new Date(req.auth.session.expires) })
})

// … a route for scripts: 401 with application/problem+json without a session …
app.get("/api/me", requireAuth, (req, res) => res.json(req.auth.user))

// … and whole parts of the site, with everything below them.
app.use(["/account", "/orders", "/welcome"], requireAuth)
app.get("/orders", (_req, res) => res.render("orders"))

/** Messages by the `error` in the query. Never show the query's own text: any visitor can write it. */
const MESSAGES = new Map([
  ["EmailSignInError", "There is something wrong with this email address. Please check how it is spelled."],
  ["EmailSignin", "The email couldn’t be sent. Please try again in a few minutes."],
  ["CredentialsSignin", "This user name and password don’t go together. Please check them and try again."],
  ["OAuthCallbackError", "The sign-in was cancelled or took too long. Please try again."],
  [
    "OAuthAccountNotLinked",
    "A user with this email address already exists. If that is you, sign in with a link by email: your account page can then link the other way to sign in.",
  ],
  [
    "AccountNotLinked",
    "A user with this email address already exists. If that is you, sign in as before: your account page can then add a passkey.",
  ],
  ["MissingCSRF", "This page was open for too long. Please try again."],
  ["SessionRequired", "Please sign in to see this page."],
])

const explain = (error, messages = MESSAGES) =>
  error && (messages.get(error) ?? "Signing in didn’t work. Please try again.")

app.get("/login", (req, res) => {
  const { error, callbackUrl } = req.query
  // A signed-in user with an error has tried to link an account.
  if (res.locals.auth.user) return res.redirect(error ? `/account?${new URLSearchParams({ error })}` : "/")
  res.render("login", {
    error: explain(error),
    refused: { CredentialsSignin: "password", EmailSignInError: "email", EmailSignin: "email" }[error],
    // The return URL. The middleware checks that it is on this site.
    callbackUrl: typeof callbackUrl === "string" ? callbackUrl : "/",
  })
})

app.get("/check-email", (_req, res) => res.render("check-email"))

// The page after a first sign-in. The callbackUrl is unchecked here: any visitor can write a link to this page.
app.get("/welcome", (req, res) => {
  const { origin } = new URL(res.locals.auth.signInUrl)
  const { callbackUrl } = req.query
  const isOurs = typeof callbackUrl === "string" && callbackUrl.startsWith(`${origin}/`)
  res.render("welcome", { next: isOurs ? callbackUrl : "/" })
})

/** Messages of the account page, where the user is signed in already. */
const LINKING_MESSAGES = new Map([
  ...MESSAGES,
  ["OAuthAccountNotLinked", "This account belongs to another user. To use it, sign out and sign in with it."],
])

// The accounts of this user. A sign-in with another account while signed in links it: see the form.
app.get("/account", (req, res, next) => {
  const { id } = req.auth.user
  Promise.all([adapter.getUser(id), adapter.listAccountsByUserId(id)])
    .then(([user, accounts]) => {
      res.render("account", { user, accounts, error: explain(req.query.error, LINKING_MESSAGES) })
    })
    .catch(next)
})

app.use((_req, res) => {
  res.status(404).render("error", { title: "Page not found", text: "There is nothing at this address." })
})

// Four parameters make it an error handler. latchkey's errors have a `status`; those of 500 and above are logged.
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
  if (dev) console.log(`Sign in as Alice or Bob with the provider at ${dev.issuer}, or as carol with "wonderland",`)
  if (mails) console.log(`or by email with any address: the emails are shown at http://localhost:${port}/dev/mails`)
})

function giveUp(error) {
  if (error.code !== "EADDRINUSE") throw error
  console.error(`Port ${error.port} is taken; the example needs ${port} and ${port + 1}. Try: PORT=4000 npm start`)
  process.exit(1)
}

server.once("close", () => adapter.close())
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
  })
}
