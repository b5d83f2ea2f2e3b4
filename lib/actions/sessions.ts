import { BadRequest, UnknownAction } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { sessionsPageProps } from "../pages/build-props.js"
import type { RegisteredSession, SessionRead, SessionRegistry } from "../sessions/session.js"
import type { Action, ActionRuntime, Handler } from "./action.js"
import { requireRecentAuthentication } from "./reauthentication.js"
import { redirectToSignIn } from "./redirect-to-sign-in.js"

/** The session of the browser, and the registry, which lists all sessions of the user. */
interface Context {
  readonly current: SessionRead
  readonly registry: SessionRegistry
  readonly runtime: ActionRuntime
}

/** Wraps a handler so that visitors without a session sign in first and then return to the page. */
const requireSession =
  (registry: SessionRegistry, handle: (call: AuthCall, context: Context) => Promise<Reply>): Handler =>
  async (call, runtime) => {
    // HEAD must not renew the session.
    if (call.method === "HEAD") return { status: 200, cookies: [] }
    const current = await runtime.sessions.read(call, { mode: "read" })
    if (!current.session) return redirectToSignIn(call, current.cookies)
    return withCookies(current.cookies, await handle(call, { current, registry, runtime }))
  }

/**
 * Returns the sessions of the current user. If the owner is unknown, as for a session that Auth.js created, returns
 * only the session of the browser.
 */
async function listOwn({ current: { id, owner }, registry }: Context): Promise<RegisteredSession[]> {
  if (owner !== undefined) return registry.list({ owner })
  const session = id === undefined ? undefined : await registry.find(id)
  return session ? [session] : []
}

async function show(call: AuthCall, context: Context): Promise<Reply> {
  const { current, runtime } = context
  const sessions = await listOwn(context)
  const devices = current.owner === undefined ? undefined : await runtime.secondFactor?.devices.list(current.owner)
  const facts = { sessions, devices: devices ?? [], currentId: current.id, now: runtime.now() }
  const props = sessionsPageProps(call, facts, runtime)
  return html(runtime.pages.render("sessions", props))
}

/** Ends another session of the user. Does nothing if that session has ended or belongs to a different user. */
async function endOne(id: unknown, context: Context): Promise<void> {
  const { current, registry } = context
  const sessions = await listOwn(context)
  const session = sessions.find((own) => own.id === id && own.id !== current.id)
  if (session) await registry.end(session.id)
}

/** Ends all other sessions of the user. */
async function endOthers({ current: { owner, id: except }, runtime }: Context): Promise<void> {
  if (owner !== undefined) await runtime.sessions.destroyAll(owner, { except })
}

/** Removes the trust in a browser of the user. The next sign-in in that browser asks for the second factor. */
async function distrust(id: unknown, { current: { owner }, runtime }: Context): Promise<void> {
  if (owner !== undefined) await runtime.secondFactor?.devices.remove(owner, String(id))
}

/** The changes, by the value of the form field `do`. */
const CHANGES: ReadonlyMap<unknown, (id: unknown, context: Context) => Promise<void>> = new Map([
  ["end", endOne],
  ["end-others", (_, context) => endOthers(context)],
  ["distrust", distrust],
])

async function change(call: AuthCall, context: Context): Promise<Reply> {
  const { do: operation, id } = call.body
  const run = CHANGES.get(operation)
  if (!run) throw new BadRequest('the form field "do" must be "end", "end-others" or "distrust"')
  // An attacker with a stolen session must not be able to end the user's own sessions (ASVS 7.5.2).
  const refused = await requireRecentAuthentication(call, context.runtime)
  if (refused) return refused
  await run(id, context)
  return redirect(`${call.base}/sessions`)
}

/**
 * The current user's sessions. GET lists them. POST ends one other session or all other sessions, or removes the trust
 * in a browser.
 */
export const sessions: Action = (_, { sessions: { registry } }) => {
  if (!registry) throw new UnknownAction("there is no such action", { action: "sessions" })
  const guards = { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: false }
  return {
    GET: { guards, handle: requireSession(registry, show) },
    POST: { guards: { ...guards, needsCsrf: true, issuesCsrfToken: false }, handle: requireSession(registry, change) },
  }
}
