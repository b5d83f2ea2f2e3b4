import type { AuthConfig } from "../config/auth-config.js"
import { asError, ConfigurationError } from "../errors/errors.js"
import { requireRuntime } from "../runtime/runtime.js"
import { migrationProblems } from "./check-migration.js"
import type { Middleware } from "./node.js"
import { type MigrateSessionOptions, SessionMigration } from "./session-migration.js"

/**
 * Creates middleware that replaces the sessions of another library with new sessions, so that users need not sign in
 * again. Mount it before `authMiddleware`, with the same configuration, and after static files.
 *
 * If a request has an old cookie and no session cookie of this package, the user that `read` returns is signed in for
 * this request, and the response sets a new session cookie. When the browser sends the new cookie, the old session is
 * ended and its cookie is cleared. Until then the old session stays valid, so that a lost response does not sign the
 * user out. An old cookie is not migrated a second time in the same browser.
 *
 * The events `createUser` and `linkAccount` are emitted if the adapter stores a new user or account. The callback and
 * the event `signIn` are not called. If the user has to meet a requirement, the request has no session;
 * `req.completeRequirement()` then creates the session and emits `signIn`.
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
  if (migration.isOver)
    runtime.logger.warn(
      "migration-over",
      `migrateSession no longer migrates sessions, because the date of its option until has passed: ${options.until.toISOString()}. Remove migrateSession, the old library and its secret`,
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
