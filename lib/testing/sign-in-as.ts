import { createSessionFor, findOrCreateTestUser, type TrustedUser } from "../accounts/trusted-user.js"
import type { Runtime } from "../runtime/runtime.js"
import { getOrCreateCsrfToken } from "../security/csrf.js"
import type { Account, Session, User } from "../types.js"
import { type AgentOptions, resolveTarget } from "./agent-target.js"
import type { Agent } from "./agents/agent.js"
import { type SessionTraits, sessionsWith } from "./test-sessions.js"

export interface SignInAsOptions extends AgentOptions, SessionTraits {
  /**
   * The account of the sign-in, for `callbacks.jwt`: `{ provider: "github", access_token: "…" }`. Nothing is linked.
   */
  readonly account?: Partial<Account>
}

/** The result of `signInAs`. */
export interface SignedInAs {
  /** The user from the adapter, with an id. */
  readonly user: User
  /** For requests without the agent: `fetch(url, { headers })`. */
  readonly headers: { readonly cookie: string }
}

/** Completes the account's type from the configured provider. */
function createAccount({ account }: SignInAsOptions, { providers }: Runtime): Partial<Account> | undefined {
  const provider = providers.get(account?.provider ?? "")?.provider
  return provider ? { type: provider.type, ...account } : account
}

/**
 * Creates a session for the agent without a sign-in, with the application's secret, `jwt` callback, cookies and
 * adapter.
 *
 * With an adapter, the user is found by `id`, otherwise by `email`, otherwise created. An existing session of the agent
 * ends. Neither the callback nor the event `signIn` is called.
 *
 * @param agent `request.agent(app)` of supertest, a context of Playwright, a `fetchAgent`, or the URL of the site
 * @throws TypeError with the missing option, Error with NODE_ENV=production, AdapterError when the adapter fails
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
  const { runtime, browser } = target
  const sessions = sessionsWith(options, runtime)
  const account = createAccount(options, runtime)
  const found = await findOrCreateTestUser(user, runtime)
  const created = await createSessionFor(found, { runtime: { ...runtime, sessions }, browser, account })
  await target.apply(created.cookies)
  return { user: created.user, headers: { cookie: await target.cookieHeader() } }
}

/**
 * Signs the agent out like a click on "Sign out": the event `signOut` is emitted, and a stored session is deleted.
 *
 * @throws TypeError with the missing option, Error with NODE_ENV=production, SignOutError when the adapter fails
 * @example
 * await signOut(agent)
 * await agent.get("/profile").expect(401)
 */
export async function signOut(agent: Agent, options: AgentOptions = {}): Promise<void> {
  const { runtime, browser, apply } = await resolveTarget(agent, options, "signOut")
  await apply(await runtime.sessions.destroy(browser))
}

/**
 * Returns the session of the agent, or null, as `req.getSession()` does in its next request.
 *
 * @throws TypeError with the missing option, Error with NODE_ENV=production, AuthError as `getSession`
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
 * Returns the CSRF token for the form field `csrfToken` and stores its cookie in the agent. Call it before creating the
 * request, because a supertest agent adds cookies when the request is created.
 *
 * @throws TypeError with the missing option, Error with NODE_ENV=production
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
