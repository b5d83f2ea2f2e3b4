/**
 * Lists and ends the sessions of a user.
 *
 * @module
 */
import type { AuthConfig } from "./config/auth-config.js"
import { MissingAdapterMethods, UnsupportedStrategy } from "./errors/errors.js"
import { requireRuntime } from "./runtime/runtime.js"
import type { RegisteredSession, SessionRegistry } from "./sessions/session.js"

/** A session of a user, in any browser. */
export interface SessionInfo {
  /** The session's id, as in `req.auth.sessionId`. It is no secret. */
  readonly id: string
  /** When the user signed in. */
  readonly createdAt: Date
  /** When the session was last used, precise to five minutes. */
  readonly lastSeenAt: Date
  /** When the session ends if it is not used again. */
  readonly expires: Date
  /** For example "Firefox"; undefined if it is unknown. */
  readonly browser: string | undefined
  /** For example "Windows"; undefined if it is unknown. */
  readonly platform: string | undefined
  /** The client's IP address or network, with `session.recordAddress`. */
  readonly address: string | undefined
  /** The id of the provider. Undefined, as the next two, for a session of Auth.js. */
  readonly provider: string | undefined
  /** The type of the provider: "oauth", "oidc", "email", "credentials" or "webauthn". */
  readonly method: string | undefined
  /** The authentication methods (RFC 8176). */
  readonly amr: readonly string[]
}

const toInfo = ({ id, origin, ...session }: RegisteredSession): SessionInfo => ({
  id,
  createdAt: new Date(session.createdAt),
  lastSeenAt: new Date(session.lastSeenAt),
  expires: new Date(session.expires),
  browser: session.browser,
  platform: session.platform,
  address: session.address,
  provider: origin?.provider,
  method: origin?.method,
  amr: origin?.amr ?? [],
})

function requireRegistry(config: AuthConfig, name: string): SessionRegistry {
  const { registry } = requireRuntime(config).sessions
  if (registry) return registry
  throw new UnsupportedStrategy(
    `${name} needs the records of sessions in a store. Write { store: RedisStore(redis) }, or another store of docs/stores.md, without session.revocable: false`,
  )
}

/**
 * An undefined owner or id would end nothing, without an error. Some adapters have numeric ids.
 *
 * @throws TypeError with what to pass
 */
function requireId(value: unknown, name: string, source: string): asserts value is string {
  if ((typeof value !== "string" && typeof value !== "number") || value === "")
    throw new TypeError(`${name} is ${value === "" ? "empty" : String(value)}. Pass ${source}`)
}

/**
 * Returns the sessions of a user in all browsers, last used first.
 *
 * @param config the same object as for the middleware
 * @param owner `req.auth.owner`: with an adapter the user's id
 * @throws UnsupportedStrategy without a store; AdapterError (status 503) if the store fails; TypeError without an owner;
 * ConfigurationError
 * @example
 * const sessions = await listSessions(config, req.auth.owner)
 * // [{ id: "q1…", browser: "Firefox", platform: "Windows", provider: "github", lastSeenAt: 2030-01-31T12:00:00.000Z, … }]
 */
export async function listSessions(config: AuthConfig, owner: string | undefined): Promise<SessionInfo[]> {
  const registry = requireRegistry(config, "listSessions")
  requireId(owner, "the owner", "req.auth.owner")
  return (await registry.list({ owner })).map(toInfo)
}

/**
 * Ends one session. A second later no process accepts it. Resolves to false if there was no such session.
 *
 * @param config the same object as for the middleware
 * @param id the id of the session, from `listSessions`. Check first that the session is in the list of its user
 * @throws UnsupportedStrategy without a store; AdapterError (status 503) if the adapter or the store fails; TypeError
 * without an id; ConfigurationError
 * @example
 * const sessions = await listSessions(config, req.auth.owner)
 * if (sessions.some(({ id }) => id === req.body.id)) await endSession(config, req.body.id)
 */
export async function endSession(config: AuthConfig, id: string | undefined): Promise<boolean> {
  const registry = requireRegistry(config, "endSession")
  requireId(id, "the id", "the id of a session, from listSessions")
  return (await registry.end(id)) !== undefined
}

/**
 * Ends all sessions of a user, also those whose sign-in is in progress. A second later no process accepts them. Use it
 * for a button "Sign out everywhere", after a password change, and to sign out a banned user.
 *
 * @param config the same object as for the middleware
 * @param owner `req.auth.owner`: with an adapter the user's id
 * @param options `except`: the id of a session that continues, such as `req.auth.sessionId`
 * @throws UnsupportedStrategy or MissingAdapterMethods without a store; AdapterError (status 503) if the adapter or the
 * store fails, and sessions are still valid; TypeError without an owner; ConfigurationError
 * @example
 * // sameOrigin: "Forms of your own" in docs/express.md
 * app.post("/sign-out-elsewhere", sameOrigin, requireAuth, (req, res, next) => {
 *   const { owner, sessionId } = req.auth
 *   endSessions(config, owner, { except: sessionId }).then(() => res.redirect("/"), next)
 * })
 */
export async function endSessions(
  config: AuthConfig,
  owner: string | undefined,
  options: { readonly except?: string | undefined } = {},
): Promise<void> {
  const { sessions } = requireRuntime(config)
  requireId(owner, "the owner", "req.auth.owner")
  await sessions.destroyAll(owner, options)
}

/**
 * Deletes a user: ends all sessions, then deletes the provider tokens, the second factor, and the adapter's user with the
 * accounts. The tokens are revoked at the providers that have an endpoint for that (RFC 7009).
 *
 * @param config the same object as for the middleware
 * @param userId the user's id in the adapter
 * @throws MissingAdapterMethods if the adapter lacks `deleteUser`; AdapterError (status 503) if the adapter or the store
 * fails: call it again; TypeError without an id; ConfigurationError
 * @example
 * await deleteUser(config, req.auth.owner)
 */
export async function deleteUser(config: AuthConfig, userId: string | undefined): Promise<void> {
  const { adapter, sessions, tokens, secondFactor } = requireRuntime(config)
  requireId(userId, "the user's id", "the id of the adapter's user")
  if (!adapter?.deleteUser) throw new MissingAdapterMethods("the adapter lacks deleteUser, which deleteUser needs")
  const removeRecords = async () => {
    if (sessions.registry) await sessions.destroyAll(userId)
    await tokens?.removeAll(String(userId))
    await secondFactor?.remove(String(userId))
  }
  await removeRecords()
  await adapter.deleteUser(userId)
  // A sign-in that was in progress may have created a session for the user in the meantime.
  await removeRecords()
}
