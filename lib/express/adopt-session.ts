import type { TrustedUser } from "../accounts/trusted-user.js"
import { asError, ConfigurationError } from "../errors.js"
import { requireRuntime } from "../runtime.js"
import type { Account, AuthConfig, Awaitable } from "../types.js"
import { Adoption } from "./adoption.js"
import { adoptionProblems } from "./check-adoption.js"
import type { Middleware, NodeRequest, NodeResponse } from "./node.js"
import type { OldCookieOptions } from "./old-cookie.js"

/** Whom an old session belongs to. */
export interface OldSession {
  /**
   * With an adapter the stored user with this `id`, else with this `email`, else a new user. Give an id only if it is the
   * store's. An address counts as proved by your application: a user who never proved it loses sessions, accounts and
   * passkeys that do not prove it, as when an email link is opened. With `emailVerified: null` it is not proved, and finds
   * no user.
   */
  user: TrustedUser
  /**
   * How the person signed in: the `jwt` callback gets it, and an adapter keeps it, so that the same account finds the
   * same user at the next sign-in. @default as with credentials
   */
  account?: Pick<Account, "provider" | "providerAccountId" | "type"> & Partial<Account>
}

/** What `adoptSession` has to know of the old sessions. */
export interface AdoptSessionOptions {
  /**
   * The name of the old cookie. Parts with a number belong to it: "appSession" is `appSession.0` too. A list where the
   * session is kept in several: `["session", "session.sig"]`.
   */
  cookie: string | readonly string[]
  /** The attributes that the old cookie was set with: without the same domain and path no browser clears it. @default { path: "/" } */
  cookieOptions?: OldCookieOptions
  /** From then on no old session is taken over. At most a year ahead: choose the day on which the last one has ended. */
  until: Date
  /**
   * Says whose the request's old session is, or null when it is none: forged, expired, signed out, nobody's. It must
   * not end it. What it throws goes to `next`, and nothing changes; so does an error when it takes longer than 5 s.
   */
  read(req: NodeRequest, res: NodeResponse): Awaitable<OldSession | null | undefined>
  /**
   * Ends the request's old session where it is kept, in a store. Called when the browser comes back with its new
   * session; it may be called more than once.
   */
  end?(req: NodeRequest, res: NodeResponse): Awaitable<void>
}

/**
 * Middleware for a change of libraries: whoever has a session of the old one gets a session here, and nobody has to
 * sign in again. Mount it before `authMiddleware`, with the same configuration, and after static files.
 *
 * The first request that brings the old cookie and none of ours gets a session for the user that `read` names, and is
 * signed in itself. The old session ends, and its cookie is cleared, with the first request that brings the new one: an
 * answer that was lost signs nobody out. A browser that has, or had, a session of ours is never given another for the
 * same old cookie.
 *
 * Events: `createUser` and `linkAccount` where the store gets somebody new. Neither the `signIn` callback nor its event:
 * nobody signs in.
 *
 * @throws ConfigurationError listing everything that is wrong with the configuration or the options
 * @example
 * app.use(adoptSession(config, {
 *   cookie: "connect.sid",
 *   until: new Date("2027-02-01"),
 *   read: async (req) => toOldSession(await store.get(sessionId(req))),
 *   end: (req) => store.destroy(sessionId(req)),
 * }))
 * app.use(authMiddleware(config))
 */
export function adoptSession(config: AuthConfig, options: AdoptSessionOptions): Middleware {
  const runtime = requireRuntime(config)
  const problems = adoptionProblems(options, runtime)
  if (problems.length > 0) throw new ConfigurationError(problems)
  const adoption = new Adoption(runtime, options)
  if (adoption.isOver)
    runtime.logger.warn(
      "adoption-over",
      `adoptSession takes nothing over since ${options.until.toISOString()}. Take it out, with the old library and its secret`,
    )
  return function adopt(req, res, next) {
    const adopted = adoption.of(req, res)
    if (!adopted) return next()
    adopted.then(
      () => next(),
      (error: unknown) => next(asError(error)),
    )
  }
}
