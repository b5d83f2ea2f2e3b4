import { openSessionFor, requireTestUser, type TrustedUser } from "../accounts/trusted-user.js"
import type { Runtime } from "../runtime.js"
import { csrfTokenOf } from "../security/csrf.js"
import type { Account, Session, User } from "../types.js"
import type { Agent } from "./agents/agent.js"
import { type SessionTraits, sessionsWith } from "./opening.js"
import { type AgentOptions, placeOf } from "./place.js"

export interface SignInAsOptions extends AgentOptions, SessionTraits {
  /** How the person has signed in, for `callbacks.jwt`: `{ provider: "github", access_token: "…" }`. Nothing is linked. */
  readonly account?: Partial<Account>
}

/** Somebody who is signed in now. */
export interface SignedInAs {
  /** As the store has it, with an id. */
  readonly user: User
  /** For requests beside the agent: `fetch(url, { headers })`. */
  readonly headers: { readonly cookie: string }
}

/** The kind of account goes without saying where the provider is one of the configuration. */
function accountOf({ account }: SignInAsOptions, { providers }: Runtime): Partial<Account> | undefined {
  const provider = providers.get(account?.provider ?? "")?.provider
  return provider ? { type: provider.type, ...account } : account
}

/**
 * Signs somebody in without a sign-in: the agent gets a session that the application itself could have opened, with its
 * secret, its callback `jwt`, its cookies, and its store.
 *
 * With an adapter the user is the store's one of this `id`, else of this `email`, else a new one. A session that the
 * agent has ends. Neither callback nor event `signIn` is called.
 *
 * @param agent `request.agent(app)` of supertest, a context of Playwright, a `fetchAgent`, or the address of the site
 * @throws TypeError that says which option is missing, Error with NODE_ENV=production, AdapterError when the store fails
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
  const place = await placeOf(agent, options, "signInAs")
  const { runtime, browser } = place
  const sessions = sessionsWith(options, runtime)
  const account = accountOf(options, runtime)
  const found = await requireTestUser(user, runtime)
  const opened = await openSessionFor(found, { runtime: { ...runtime, sessions }, browser, account })
  await place.apply(opened.cookies)
  return { user: opened.user, headers: { cookie: await place.cookieHeader() } }
}

/**
 * Signs the agent out, as a click on "Sign out" would: the event `signOut` is told, a session in a store is deleted.
 *
 * @throws TypeError that says which option is missing, Error with NODE_ENV=production, SignOutError when the store fails
 * @example
 * await signOut(agent)
 * await agent.get("/profile").expect(401)
 */
export async function signOut(agent: Agent, options: AgentOptions = {}): Promise<void> {
  const { runtime, browser, apply } = await placeOf(agent, options, "signOut")
  await apply(await runtime.sessions.close(browser))
}

/**
 * The session of the agent, or null: what `req.getSession()` would give to its next request.
 *
 * @throws TypeError that says which option is missing, Error with NODE_ENV=production, AuthError as `getSession`
 * @example
 * expect(await sessionOf(agent)).toMatchObject({ user: { name: "Ada" } })
 */
export async function sessionOf(agent: Agent, options: AgentOptions = {}): Promise<Session | null> {
  const { runtime, browser, apply } = await placeOf(agent, options, "sessionOf")
  const { session, cookies } = await runtime.sessions.read(browser, { mode: "read" })
  await apply(cookies)
  return session
}

/**
 * The token that forms carry as `csrfToken`; the agent gets the cookie that belongs to it. Ask before the request is
 * made: an agent of supertest puts cookies into a request as soon as there is one.
 *
 * @throws TypeError that says which option is missing, Error with NODE_ENV=production
 * @example
 * const csrfToken = await csrf(agent)
 * await agent.post("/auth/signout").type("form").send({ csrfToken }).expect(302)
 */
export async function csrf(agent: Agent, options: AgentOptions = {}): Promise<string> {
  const { runtime, browser, apply } = await placeOf(agent, options, "csrf")
  const held = browser.cookies[browser.cookieSet.csrfToken.name]
  const { token, cookie } = csrfTokenOf(held, runtime.keys.secrets)
  if (cookie !== held) await apply([{ put: "csrfToken", value: cookie }])
  return token
}
