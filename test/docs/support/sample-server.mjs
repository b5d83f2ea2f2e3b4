/**
 * Serves the samples of the documentation, each as an application of its own on a free port. `EXPRESS` is the package to
 * serve them with; the arguments are modules that the test has written. Prints the ports as JSON.
 *
 * @module
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { pathToFileURL } from "node:url"
import * as latchkey from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import { SqlAdapter } from "latchkey/adapters/sql"
import Credentials from "latchkey/providers/credentials"
import Passkey from "latchkey/providers/passkey"
import { devProvider, mailbox } from "latchkey/testing"

const { authMiddleware, requireAuth } = latchkey

const { default: express } = await import(process.env.EXPRESS)

const provider = await devProvider({ port: 0 }).listen()
// The claim of Google Workspace.
provider.always({ as: "alice", claims: { hd: "example.com" } })
const inbox = mailbox()

/** A mail service that delivers to the same mailbox. */
const mailer = createServer(async (req, res) => {
  const { to, ...mail } = await new Response(req).json()
  await inbox.send({ identifier: to, url: /https?:\S+/.exec(mail.text)[0], mail })
  res.end()
}).listen(0, "127.0.0.1")
await once(mailer, "listening")
globalThis.mailer = `http://127.0.0.1:${mailer.address().port}`

/** The development provider under a vendor's name. */
const vendor = (id) => (options) => ({ ...provider, ...options, id, name: id })

/** An email provider of the package that delivers to the test's mailbox. */
const mailed = async (name) => {
  const { default: factory } = await import(`latchkey/providers/${name}`)
  return (options) => factory({ from: "a@example.com", ...options, sendVerificationRequest: inbox.send })
}

/** An adapter whose store can fail. */
const breakable = (adapter, store) =>
  new Proxy(adapter, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== "function" || name === "migrate") return member
      return (...args) => (store.isDown ? Promise.reject(new Error("the store is down")) : member.apply(target, args))
    },
  })

const shared = {
  ...latchkey,
  ...{ express, Credentials, Passkey, inbox },
  mailbox: () => inbox,
  from: "a@example.com",
  server: "smtp://localhost:2525",
  GitHub: vendor("github"),
  Google: vendor("google"),
  MicrosoftEntraID: vendor("microsoft-entra-id"),
  OIDC: vendor("oidc"),
  example: vendor("example")(),
  Resend: await mailed("resend"),
  Nodemailer: await mailed("nodemailer"),
  ForwardEmail: await mailed("forwardemail"),
  Loops: await mailed("loops"),
  Mailgun: await mailed("mailgun"),
  Postmark: await mailed("postmark"),
  SendGrid: await mailed("sendgrid"),
  devProvider: () => provider,
  audit() {},
  listRepositories: async (token) => (token ? ["latchkey"] : []),
  mayEnter: () => true,
  signedOut: new Set(),
  signedOutBefore: async () => 0,
  credentials: { username: {}, password: { type: "password" } },
  users: { find: async () => ({ name: "Ada" }) },
  db: { clearPassword: async () => {} },
  checkPassword: (username, password) => (password === "right" ? { id: "7", name: username } : null),
}

const showUser = (req, res) => res.json({ user: req.auth.user })

/** What a sample assumes, with its own store. Samples with only routes get a site with sign-in. */
globalThis.given = (hasSignIn) => {
  const store = { isDown: false }
  const app = express()
  app.set("view engine", "ejs").set("views", process.env.VIEWS)
  app.use("/test/store", (req, res) => {
    store.isDown = req.query.away === "true"
    res.end()
  })
  app.use("/test/link", (req, res, next) => {
    inbox.link(req.query.to).then((link) => res.send(link), next)
  })
  app.use(express.json({ limit: "1mb" }), express.urlencoded({ extended: true, limit: "1mb" }))
  const adapter = breakable(MemoryAdapter(), store)
  // With an adapter, credentials users are among its users.
  const authorize = async ({ username, password }) => {
    const user = shared.checkPassword(username, password)
    return (
      user &&
      ((await adapter.getUserByEmail("ada@example.com")) ??
        adapter.createUser({ ...user, email: "ada@example.com", emailVerified: null }))
    )
  }
  const options = { credentials: shared.credentials, authorize }
  const config = {
    adapter,
    providers: [shared.GitHub],
    callbacks: { session: ({ session, user }) => ({ user, expires: session.expires.toISOString() }) },
  }
  if (hasSignIn) app.use(authMiddleware(config)).get("/me", requireAuth, showUser)
  return {
    ...shared,
    ...{ app, adapter, config, options, authorize },
    SqlAdapter: (options) => breakable(SqlAdapter({ ...options, postgres: undefined, sqlite: ":memory:" }), store),
    MemoryAdapter: () => breakable(MemoryAdapter(), store),
    PrismaAdapter: () => adapter,
  }
}

const ports = {}
for (const file of process.argv.slice(2)) {
  try {
    const { app } = await import(pathToFileURL(file).href)
    app.get?.(["/me", "/account/me"], requireAuth, showUser)
    const server = createServer(app).listen(0, "127.0.0.1")
    await once(server, "listening")
    ports[file] = server.address().port
  } catch (error) {
    console.error(file, error)
  }
}
console.log(JSON.stringify(ports))
