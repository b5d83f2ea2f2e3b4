import type { TrustedUser } from "../accounts/trusted-user.js"
import { asError, ConfigurationError } from "../errors/errors.js"
import { requireRuntime } from "../runtime/runtime.js"
import type { Account, AuthConfig, Awaitable } from "../types.js"
import { migrationProblems } from "./check-migration.js"
import type { LegacyCookieOptions } from "./legacy-cookie.js"
import type { Middleware, NodeRequest, NodeResponse } from "./node.js"
import { SessionMigration } from "./session-migration.js"

/** The user of an old session. */
export interface LegacySession {
  /**
   * With an adapter: the stored user with this `id`, else with this `email`, else a new user. Set an id only if the
   * adapter created it. The email address is treated as verified by your application. If the stored user's address was
   * unverified, the user's sessions end, and accounts and passkeys that do not verify the address are removed, as when
   * an email link is opened. With `emailVerified: null` the address is unverified, and no user is looked up by it.
   */
  user: TrustedUser
  /**
   * The account that the user signed in with. The `jwt` callback gets it, and an adapter stores it, so that a later
   * sign-in with the account leads to the same user. @default an account of type "credentials"
   */
  account?: Pick<Account, "provider" | "providerAccountId" | "type"> & Partial<Account>
}

/** The options of `migrateSession`. */
export interface MigrateSessionOptions {
  /**
   * The name of the old cookie, for example "appSession"; its chunks such as `appSession.0` are included. A list if the
   * session uses several cookies: `["session", "session.sig"]`.
   */
  cookie: string | readonly string[]
  /** The attributes of the old cookie. Browsers clear it only with the same domain and path. @default { path: "/" } */
  cookieOptions?: LegacyCookieOptions
  /** Old sessions are migrated until this date, at most a year ahead: the day on which the last old session ends. */
  until: Date
  /**
   * Returns the user of the request's old session, or null if the session is invalid, expired, signed out or anonymous.
   * It must not end the old session. If it throws or takes longer than 5 s, the error is passed to `next`, and nothing
   * changes.
   */
  read(req: NodeRequest, res: NodeResponse): Awaitable<LegacySession | null | undefined>
  /**
   * Deletes the request's old session from its store. Called when the browser sends its new session; it may be called
   * more than once.
   */
  end?(req: NodeRequest, res: NodeResponse): Awaitable<void>
}

/**
 * Creates middleware that converts sessions of another library, so that users need not sign in again. Mount it before
 * `authMiddleware`, with the same configuration, and after static files.
 *
 * A request with an old cookie and without a session cookie of this package is signed in as the user that `read`
 * returns, and its response sets a new session cookie. The old session is ended and its cookie cleared only when the
 * browser has sent the new cookie, so that a lost response does not sign the user out. The same old cookie never
 * creates a second session in a browser.
 *
 * The `createUser` and `linkAccount` events are emitted if the adapter stores a new user or account. The `signIn`
 * callback and event are not called.
 *
 * @throws ConfigurationError with all problems of the configuration and the options
 * @example
 * app.use(migrateSession(config, {
 *   cookie: "connect.sid",
 *   until: new Date("2027-02-01"),
 *   read: async (req) => toLegacySession(await store.get(sessionId(req))),
 *   end: (req) => store.destroy(sessionId(req)),
 * }))
 * app.use(authMiddleware(config))
 */
export function migrateSession(config: AuthConfig, options: MigrateSessionOptions): Middleware {
  const runtime = requireRuntime(config)
  const problems = migrationProblems(options, runtime)
  if (problems.length > 0) throw new ConfigurationError(problems)
  const migration = new SessionMigration(runtime, options)
  if (migration.hasEnded)
    runtime.logger.warn(
      "migration-over",
      `migrateSession has migrated no sessions since ${options.until.toISOString()}. Remove it, with the old library and its secret`,
    )
  return function migrate(req, res, next) {
    const handled = migration.handle(req, res)
    if (!handled) return next()
    handled.then(
      () => next(),
      (error: unknown) => next(asError(error)),
    )
  }
}
