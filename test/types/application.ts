/**
 * Compiled only: an application in TypeScript, as it is written.
 *
 * @module
 */
import { createServer } from "node:http"
import express, { type Request, type RequestHandler, type Response } from "express"
import {
  type AuthConfig,
  type AuthenticatedLocals,
  type AuthenticatedRequest,
  authHandlers,
  authMiddleware,
  CredentialsSignin,
  endSessions,
  getSession,
  migrateSession,
  optionalAuth,
  type RequestAuth,
  requireAuth,
  type Session,
} from "latchkey"
import { decode, encode, getToken } from "latchkey/jwt"
import Credentials from "latchkey/providers/credentials"
import GitHub from "latchkey/providers/github"

type Plan = "free" | "paid"

// Members of a name that no other program beside this one declares: all are compiled together.
declare module "latchkey" {
  interface User {
    plan?: Plan | undefined
  }
  interface Session {
    upstream?: string | undefined
  }
  interface JWT {
    plan?: Plan | undefined
  }
}

class Locked extends CredentialsSignin {
  override code = "locked"
}

const config: AuthConfig = {
  providers: [
    GitHub,
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      async authorize({ username, password }, request) {
        if (typeof username !== "string" || typeof password !== "string") return null
        if (username === "locked") throw new Locked()
        return { id: "1", name: username, plan: "paid", email: request.headers.get("x-email") }
      },
    }),
  ],
  callbacks: {
    jwt({ token, user, account, trigger }) {
      if (trigger === "signIn" && user.plan) token.plan = user.plan
      return account?.access_token ? { ...token, accessToken: account.access_token } : token
    },
    session({ session, token }) {
      const plan: Plan | undefined = token.plan
      if (session.user && plan) session.user.plan = plan
      if (typeof token["accessToken"] === "string") session.upstream = token["accessToken"]
      return session
    },
    signIn: ({ account, profile }) => account?.provider !== "github" || profile?.email_verified === true,
    redirect: ({ url, baseUrl }) => (url.startsWith(baseUrl) ? url : baseUrl),
  },
  events: {
    signIn: ({ user, isNewUser }) => console.log(user.plan, isNewUser),
    async signOut(message) {
      if ("token" in message) console.log(message.token?.plan)
      else console.log(message.session ? message.session.userId : "none")
    },
  },
}

/** The code of a warning is a string, not `any`: an unknown member of it does not compile. */
export const logged: AuthConfig["logger"] = {
  // @ts-expect-error A string has no such member.
  warn: (code) => console.warn(code.toUppercase()),
}

/** As the documentation writes them: members are taken apart where the parameter stands. */
export const signedOut: AuthConfig["events"][] = [
  { signOut: ({ token }) => console.log(token?.plan, token?.sub) },
  { signOut: ({ session }) => console.log(session ? session.userId : "none") },
]

const { NEW_SECRET, OLD_SECRET, REDIRECT_PROXY } = process.env
/** What stands in the environment, or does not. */
export const configured: AuthConfig = {
  providers: [GitHub({ clientId: process.env["ID"], clientSecret: process.env["SECRET"] })],
  secret: [NEW_SECRET, OLD_SECRET],
  jwt: { secret: OLD_SECRET },
  pages: { signIn: process.env["SIGN_IN"] },
  theme: { logo: process.env["LOGO"] },
  session: { maxAge: OLD_SECRET ? 60 : undefined },
  redirectProxyUrl: REDIRECT_PROXY,
  adapter: undefined,
}

export const app = express()
app.use(
  migrateSession(config, {
    cookie: ["session", "session.sig"],
    cookieOptions: { domain: "example.com" },
    until: new Date("2030-01-01"),
    read: async (req: Request, res: Response) => {
      const name: unknown = req.query["name"] ?? res.locals["name"]
      if (typeof name !== "string") return null
      return { user: { name, plan: "paid" }, account: { provider: "a", providerAccountId: "1", type: "oidc" } }
    },
    end: ({ headers }) => console.log(headers.cookie),
  }),
)
app.use(authMiddleware(config))
app.use("/account", authMiddleware({ ...config, basePath: "/account" }))
app.all("/auth/{*any}", authMiddleware(config))

app.get("/", async (req, res) => {
  const session: Session | null = await req.getSession()
  const token: string | undefined = session?.upstream
  const plan: Plan | undefined = session?.user?.plan
  res.json({ token, plan, name: session?.user?.name, expires: session?.expires })
})

app.get("/me", requireAuth, (req, res) => {
  const { name, plan } = req.auth.user
  const expires: string = req.auth.session.expires
  res.json({ name, plan, expires })
})
app.use(["/a", "/b"], requireAuth({ redirectTo: "/" }))
app.use("/admin", requireAuth({ authorize: ({ user }) => user.plan === "paid" }), express.static("admin"))
app.get(
  "/items/:id",
  requireAuth({ authorize: async ({ session }, req) => session.user?.name === req.headers["x-name"] }),
  (req, res) => void res.send(req.params.id),
)
const router = express.Router()
router.use(requireAuth)
router.get("/x", requireAuth, (req: AuthenticatedRequest<Request>, res: Response) => void res.json(req.auth.user))
app.use("/router", router)

/** `req.auth` is known behind the guard, regardless of its other handlers, and may be missing in other routes. */
export function guardedRoutes(): void {
  const isPaid = requireAuth({ authorize: ({ user }) => user.plan === "paid" })
  const limiter: RequestHandler = (_req, _res, next) => next()
  const log = (req: Request, _res: Response, next: () => void) => {
    console.log(req.params["id"], req.auth?.user.name)
    next()
  }
  app.post("/items/:id", express.json(), requireAuth, limiter, log, (req, res) => {
    const id: string | string[] | undefined = req.params["id"]
    const { user } = res.locals.auth
    res.json({ id, name: req.auth.user.name, plan: user.plan, own: res.locals["own"], body: req.body })
  })
  app.delete("/items/:id", isPaid, async (req, res) => void res.json(req.auth.session.expires))
  app.get("/items/:id", isPaid, (req, res) => {
    const id: string = req.params.id
    res.json({ id, auth: req.auth.user })
  })
  app.all(["/c", /d/], requireAuth, (req, res) => void res.json(req.auth.user))

  const show = (req: AuthenticatedRequest<Request<{ id: string }>>, res: Response) => {
    console.log(req.get("x"), readPath(req))
    res.json({ id: req.params.id, name: nameOf(req) })
  }
  app.get("/items/:id", requireAuth, show)
  app.get("/items/:id", requireAuth, limiter, show)
  app.route("/items/:id").get(requireAuth, show)
  app.use(requireAuth, (req: AuthenticatedRequest<Request>, res: Response) => void res.json(req.auth.user))
  app.use("/below", requireAuth, (req, res) => void res.json(req.auth.user))
  // @ts-expect-error this route has no guard
  app.get("/items/:id", show)
  // @ts-expect-error this one lets every request pass
  app.get("/items/:id", optionalAuth, show)

  interface TenantLocals extends AuthenticatedLocals {
    tenant: string
  }
  const ofTenant = (_req: Request, res: Response<unknown, TenantLocals>) => void res.json(res.locals.tenant)
  app.get("/tenant", requireAuth, ofTenant)

  app.get("/", optionalAuth, (req, res) => {
    const auth: RequestAuth | undefined = req.auth
    // @ts-expect-error without a session it is undefined
    res.json([auth?.user, req.auth.user])
    if (req.auth) res.json(req.auth.user)
  })
  app.get("/", (req, res) => {
    // @ts-expect-error nothing has read the session
    res.json(req.auth.user)
  })
}

const nameOf = (req: AuthenticatedRequest): string | null | undefined => req.auth.user.name
const readPath = (req: Request): string => req.path

/** Node's own request passes the guard too. */
export const guarded = createServer((req, res) => {
  requireAuth(req, res, () => res.end())
  requireAuth({ redirectTo: "/" })(req, res, () => res.end())
})
app.get("/view", (_req, res) => {
  const field: string = res.locals.auth.csrfField()
  res.send(`${field}${res.locals.auth.signInUrl}${res.locals.auth.providers.map(({ name }) => name)}`)
})

export async function outside(req: Request): Promise<void> {
  const session = await getSession(req, config)
  const token = await encode({ token: { sub: "1", plan: "paid" }, secret: "s", salt: "x" })
  const claims = await decode({ token, secret: "s", salt: "x" })
  const found = await getToken({ req, secret: "s" })
  const raw: string | null = await getToken({ req, secret: "s", raw: true })
  await getToken({ req, secret: process.env["AUTH_SECRET"] })
  await getToken({ req, secret: configured.secret })
  if (req.auth) await endSessions(config, req.auth.user.id)
  console.log(session?.user?.plan, claims?.plan, found?.plan, raw)
}

export const { GET, POST } = authHandlers({ ...config, session: { maxAge: 60 } })

export function wrongUses(req: Request): void {
  // @ts-expect-error it needs a configuration
  authMiddleware()
  // @ts-expect-error providers are not optional
  authMiddleware({})
  // @ts-expect-error a session is not there at once
  req.getSession().user
  // @ts-expect-error there is no such plan
  const plan: "gold" | undefined = req.auth?.user.plan
  // @ts-expect-error there is no such option
  requireAuth({ redirect: "/" })
  // @ts-expect-error old sessions have an end
  migrateSession(config, { cookie: "sid", read: () => null })
  // @ts-expect-error a user alone is no old session
  migrateSession(config, { cookie: "sid", until: new Date(), read: () => ({ name: "Ada" }) })
  // @ts-expect-error a guard decides by true and false
  requireAuth({ authorize: () => "yes" })
  Credentials({
    credentials: { username: {} },
    // @ts-expect-error what a form sent is not known to be text
    authorize: ({ username }) => ({ id: username }),
  })
  Credentials({
    credentials: { username: {} },
    // @ts-expect-error there is no such field
    authorize: ({ user }) => ({ id: String(user) }),
  })
  console.log(plan)
}

/** Node's own request has no `getSession` for the compiler. */
export const bare = createServer((req, res) => {
  authMiddleware(config)(req, res, async () => {
    const session = await getSession(req, config)
    res.end(session?.user?.name ?? "nobody")
  })
})
