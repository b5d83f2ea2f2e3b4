/**
 * Functions to list and end the sessions of a user, and to delete a user.
 *
 * @module
 */
import type { AuthConfig } from "./config/auth-config.js"
import { MissingAdapterMethods, UnsupportedStrategy } from "./errors/errors.js"
import { requireRuntime } from "./runtime/runtime.js"
import type { RegisteredSession, SessionRegistry } from "./sessions/session.js"

/** A session of a user, as `listSessions` returns it. */
export interface SessionInfo {
  /** The session's id, as in `req.auth.sessionId`. The id is not a secret. */
  readonly id: string
  /** When the user signed in. */
  readonly createdAt: Date
  /** When the session was last used, with a precision of five minutes. */
  readonly lastSeenAt: Date
  /** When the session ends if it is not used again. */
  readonly expires: Date
  /** The browser, for example "Firefox"; undefined if it is unknown. */
  readonly browser: string | undefined
  /** The operating system, for example "Windows"; undefined if it is unknown. */
  readonly platform: string | undefined
  /** The client's IP address or network. Undefined unless `session.recordAddress` is set. */
  readonly address: string | undefined
  /** The id of the provider. Undefined if it is unknown, as for a session that Auth.js created. */
  readonly provider: string | undefined
  /** The type of the provider: "oauth", "oidc", "email", "credentials" or "webauthn". Undefined if `provider` is. */
  readonly method: string | undefined
  /** The authentication methods (RFC 8176). Empty if they are unknown. */
  readonly amr: readonly string[]
}

const toInfo = ({ id, authentication, ...session }: RegisteredSession): SessionInfo => ({
  id,
  createdAt: new Date(session.createdAt),
  lastSeenAt: new Date(session.lastSeenAt),
  expires: new Date(session.expires),
  browser: session.browser,
  platform: session.platform,
  address: session.address,
  provider: authentication?.provider,
  method: authentication?.method,
  amr: authentication?.amr ?? [],
})

function requireRegistry(config: AuthConfig, name: string): SessionRegistry {
  const { registry } = requireRuntime(config).sessions
  if (registry) return registry
  throw new UnsupportedStrategy(
    `${name} needs a store that records the sessions. Write { store: RedisStore(redis) }, or another store of docs/stores.md, and remove session.revocable: false`,
  )
}

/**
 * Checks an owner or id, because an undefined value would end no session and cause no error. Numbers are accepted,
 * because some adapters have numeric ids.
 *
 * @throws TypeError that states what to pass
 */
function requireId(value: unknown, name: string, source: string): asserts value is string {
  if ((typeof value !== "string" && typeof value !== "number") || value === "")
    throw new TypeError(`${name} is ${value === "" ? "empty" : String(value)}. Pass ${source}`)
}

/**
 * Returns the sessions of a user in all browsers. The session that was used last comes first.
 *
 * @param config the same object as for the middleware
 * @param owner `req.auth.owner`: with an adapter the user's id
 * @throws UnsupportedStrategy if there is no store, or with `session.revocable: false`; AdapterError (status 503) if
 * the store fails; TypeError if the owner is missing; ConfigurationError if the configuration is invalid
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
 * Ends one session. At most a second after the promise has resolved, all processes reject the session. Resolves to
 * false if there was no such session.
 *
 * @param config the same object as for the middleware
 * @param id the id of the session, from `listSessions`. First check that the session belongs to the current user
 * @throws UnsupportedStrategy if there is no store, or with `session.revocable: false`; AdapterError (status 503) if
 * the adapter or the store fails; TypeError if the id is missing; ConfigurationError if the configuration is invalid
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
 * Ends all sessions of a user. With a store, sign-ins of the user that are in progress then fail, so they create no
 * session. At most a second after the promise has resolved, all processes reject the sessions. Use this function for a
 * button "Sign out everywhere", after a password change, and to sign out a banned user.
 *
 * @param config the same object as for the middleware
 * @param owner `req.auth.owner`: with an adapter the user's id
 * @param options `except`: the id of a session that does not end, such as `req.auth.sessionId`
 * @throws AdapterError (status 503) if the adapter or the store fails: some sessions may still be valid; TypeError if
 * the owner is missing; ConfigurationError if the configuration is invalid. Without a store, or with
 * `session.revocable: false`: UnsupportedStrategy if sessions are encrypted cookies; MissingAdapterMethods for database
 * sessions if `except` is set, or if the adapter lacks `deleteSessionsByUserId`
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
 * Deletes a user. With a store, first ends all sessions of the user, and deletes the provider tokens and the second
 * factor. Then calls the adapter's `deleteUser`, which also deletes the user's accounts. The tokens are revoked at the
 * providers that have a revocation endpoint (RFC 7009). Without a store, or with `session.revocable: false`, encrypted
 * cookies stay valid until they expire.
 *
 * @param config the same object as for the middleware
 * @param userId the user's id in the adapter
 * @throws MissingAdapterMethods if the adapter lacks `deleteUser`; AdapterError (status 503) if the adapter or the
 * store fails: repeat the call; TypeError if the id is missing; ConfigurationError if the configuration is invalid
 * @example
 * await deleteUser(config, req.auth.owner)
 */
export async function deleteUser(config: AuthConfig, userId: string | undefined): Promise<void> {
  const { adapter, sessions, tokens, secondFactor } = requireRuntime(config)
  requireId(userId, "the user's id", "the id of the adapter's user")
  if (!adapter?.deleteUser)
    throw new MissingAdapterMethods("the adapter lacks deleteUser, the method that deleteUser(config, userId) calls")
  const removeRecords = async () => {
    if (sessions.registry) await sessions.destroyAll(userId)
    await tokens?.removeAll(String(userId))
    await secondFactor?.remove(String(userId))
  }
  await removeRecords()
  await adapter.deleteUser(userId)
  // A concurrent sign-in may have stored records of the user in the meantime.
  await removeRecords()
}
