import type { AuthConfig } from "../config/auth-config.js"
import { asError, ConfigurationError } from "../errors/errors.js"
import { requireRuntime } from "../runtime/runtime.js"
import { migrationProblems } from "./check-migration.js"
import type { Middleware } from "./node.js"
import { type MigrateSessionOptions, SessionMigration } from "./session-migration.js"

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
 * callback and event are not called. If the user has to meet a requirement, the request is anonymous, and
 * `req.completeRequirement()` creates the session and emits `signIn`.
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
