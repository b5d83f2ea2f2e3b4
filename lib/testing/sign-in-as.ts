import type { Authentication } from "../accounts/identity.js"
import { createSessionFor, findOrCreateTestUser, type TrustedUser } from "../accounts/trusted-user.js"
import type { Account, JWT, Session, User } from "../base/types.js"
import { createSessions, type Runtime } from "../runtime/runtime.js"
import { getOrCreateCsrfToken } from "../security/csrf.js"
import type { SessionStrategy } from "../sessions/session.js"
import { type AgentOptions, resolveTarget } from "./agent-target.js"
import type { Agent } from "./agents/agent.js"

/** The options of a test session. */
export interface SessionTraits {
  /** The age of the session in seconds. @default 0 */
  readonly age?: number
  /** Claims of the encrypted cookie that override those of `callbacks.jwt`. */
  readonly claims?: Partial<JWT>
}

/** The options of `signInAs`. */
export interface SignInAsOptions extends AgentOptions, SessionTraits {
  /**
   * The account that `callbacks.jwt` receives: `{ provider: "github", access_token: "…" }`. It is not linked to the
   * user.
   */
  readonly account?: Partial<Account>
  /**
   * The `User-Agent` header of the browser. `listSessions` and the page of sessions read browser and platform from it:
   * "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0". @default unknown
   */
  readonly userAgent?: string
  /** With `session.remember: "ask"`: whether the user has chosen to stay signed in. @default true */
  readonly remember?: boolean
  /** 2 for a user who has used two factors (`amr` is "mfa"), for `requireAuth({ factors: 2 })`. @default one factor */
  readonly factors?: 2
  /**
   * When the user was authenticated, in seconds since 1970, for `requireAuth({ freshWithin: "10m" })`. @default the
   * beginning of the session
   */
  readonly authTime?: number
}

/** The result of `signInAs`. */
export interface SignedInAs {
  /** The user from the adapter, with an id. */
  readonly user: User
  /** The id of the session, for `endSession`. Undefined if the `jwt` callback has ended the session. */
  readonly sessionId: string | undefined
  /** For requests without the agent: `fetch(url, { headers })`. */
  readonly headers: { readonly cookie: string }
}

/**
 * Returns a session strategy that creates sessions with the given age and claims. Without both, returns the runtime's
 * own session strategy.
 *
 * @throws TypeError when the session strategy does not support the age or the claims
 */
function sessionsWith({ age, claims }: SessionTraits, runtime: Runtime): SessionStrategy {
  if (age === undefined && claims === undefined) return runtime.sessions
  if (age !== undefined) requireAge(age, runtime)
  if (claims !== undefined) requireClaims(claims, runtime)
  return createSessions({
    ...runtime,
    now: () => runtime.now() - (age ?? 0) * 1000,
    callbacks: { ...runtime.callbacks, jwt: async (params) => withClaims(await runtime.callbacks.jwt(params), claims) },
  })
}

/** Adds the claims to the result of the `jwt` callback, which is null if there is no session. */
const withClaims = (token: JWT | null, claims?: Partial<JWT>): JWT | null => token && { ...token, ...claims }

function requireAge(age: number, { config }: Runtime): void {
  if (!Number.isFinite(age) || age < 0)
    throw new TypeError(`signInAs: age is ${String(age)}. Write the age of the session in seconds, 0 or more`)
  if (config.jwt.encode && config.session.strategy === "jwt")
    throw new TypeError("signInAs: age has no effect, because jwt.encode of the configuration uses its own clock")
}

function requireClaims(claims: Partial<JWT>, { config }: Runtime): void {
  if (config.session.strategy === "jwt") return
  const names = Object.keys(claims).join(", ")
  throw new TypeError(
    `signInAs: claims (${names}) are part of an encrypted cookie, but session.strategy is "database". Set them on the user, as columns of the adapter: signInAs(agent, { …, role: "admin" })`,
  )
}

/** Returns the account of the options. Adds the type of its provider, if the provider is configured. */
function createAccount({ account }: SignInAsOptions, { providers }: Runtime): Partial<Account> | undefined {
  const provider = providers.get(account?.provider ?? "")?.provider
  return provider ? { type: provider.type, ...account } : account
}

/**
 * Returns how the user was authenticated.
 *
 * @throws TypeError for invalid options
 */
function createAuthentication({ factors, authTime, age = 0 }: SignInAsOptions, { now }: Runtime): Authentication {
  // In JavaScript, `factors` can be any value.
  const factorCount: unknown = factors
  if (factorCount !== undefined && factorCount !== 2)
    throw new TypeError(`signInAs: factors is ${String(factorCount)}. Write 2, or leave it out`)
  if (authTime !== undefined && !(Number.isInteger(authTime) && authTime > 0))
    throw new TypeError(`signInAs: authTime is ${String(authTime)}. Write seconds since 1970`)
  return { amr: factors === 2 ? ["mfa"] : [], authTime: authTime ?? Math.floor(now() / 1000 - age) }
}

/**
 * Creates a session for the agent without a sign-in, with the application's secret, `jwt` callback, cookies and
 * adapter.
 *
 * With an adapter, the user is found by `id`, otherwise by `email`. If there is no such user, the user is created. An
 * existing session of the agent ends. Neither the callback nor the event `signIn` is called.
 *
 * @param agent `request.agent(app)` of supertest, a context of Playwright, a `fetchAgent`, or the URL of the site
 * @throws TypeError when an option is missing or invalid; Error with NODE_ENV=production; AdapterError when the adapter
 * fails
 * @example
 * const agent = request.agent(app)
 * await signInAs(agent, { name: "Ada", email: "ada@example.com" })
 * await agent.get("/profile").expect(200)
 */
export async function signInAs(
  agent: Agent | string | URL,
  user: TrustedUser,
  options: SignInAsOptions = {},
): Promise<SignedInAs> {
  const target = await resolveTarget(agent, options, "signInAs")
  const { runtime } = target
  const browser = { ...target.browser, userAgent: options.userAgent }
  const sessions = sessionsWith(options, runtime)
  const account = createAccount(options, runtime)
  const found = await findOrCreateTestUser(user, runtime)
  const { remember = true } = options
  const authentication = createAuthentication(options, runtime)
  const creation = { runtime: { ...runtime, sessions }, browser, account, remember, authentication }
  const created = await createSessionFor(found, creation)
  await target.apply(created.cookies)
  return { user: created.user, sessionId: created.sessionId, headers: { cookie: await target.cookieHeader() } }
}

/**
 * Signs the agent out like a click on "Sign out": the event `signOut` is emitted, and a stored session is deleted.
 *
 * @throws TypeError that names a missing option; Error with NODE_ENV=production; SignOutError when the adapter fails
 * @example
 * await signOut(agent)
 * await agent.get("/profile").expect(401)
 */
export async function signOut(agent: Agent, options: AgentOptions = {}): Promise<void> {
  const { runtime, browser, apply } = await resolveTarget(agent, options, "signOut")
  const { cookies } = await runtime.sessions.destroy(browser)
  await apply(cookies)
}

/**
 * Returns the result that `req.getSession()` would have in the agent's next request: the session, or null.
 *
 * @throws TypeError that names a missing option; Error with NODE_ENV=production; AuthError for the same reasons as
 * `getSession`
 * @example
 * expect(await sessionOf(agent)).toMatchObject({ user: { name: "Ada" } })
 */
export async function sessionOf(agent: Agent, options: AgentOptions = {}): Promise<Session | null> {
  const { runtime, browser, apply } = await resolveTarget(agent, options, "sessionOf")
  const { session, cookies } = await runtime.sessions.read(browser, { mode: "read" })
  await apply(cookies)
  return session
}

/**
 * Returns the CSRF token for the form field `csrfToken`, and stores its cookie in the agent. Call it before you create
 * the request, because a supertest agent adds cookies when the request is created.
 *
 * @throws TypeError that names a missing option; Error with NODE_ENV=production
 * @example
 * const csrfToken = await csrf(agent)
 * await agent.post("/auth/signout").type("form").send({ csrfToken }).expect(302)
 */
export async function csrf(agent: Agent, options: AgentOptions = {}): Promise<string> {
  const { runtime, browser, apply } = await resolveTarget(agent, options, "csrf")
  const existing = browser.cookies[browser.cookieSet.csrfToken.name]
  const { token, cookie } = getOrCreateCsrfToken(existing, runtime.keys.secrets)
  if (cookie !== existing) await apply([{ put: "csrfToken", value: cookie }])
  return token
}
