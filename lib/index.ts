/**
 * Sign-in for Express.
 *
 * @module
 */

export type { TrustedUser } from "./accounts/trusted-user.js"
export { Auth } from "./auth.js"
export { changeEmail } from "./change-email.js"
export { createActionURL, type Env, setEnvDefaults } from "./config/env.js"
export { type DisconnectedAccount, disconnectAccount } from "./disconnect-account.js"
export {
  AccessDenied,
  AuthError,
  CredentialsSignin,
  type ErrorCause,
  type ErrorDetails,
  type ErrorType,
  type MessageCode,
  ProviderUnavailable,
  ReauthenticationRequired,
} from "./errors/errors.js"
export type { LegacyCookieOptions } from "./express/legacy-cookie.js"
export { authMiddleware } from "./express/middleware.js"
export { migrateSession } from "./express/migrate-session.js"
export type { AuthenticatedRequest, Middleware, Next, NodeRequest, NodeResponse, RequestAuth } from "./express/node.js"
export { optionalAuth } from "./express/optional-auth.js"
export type { AuthLocals } from "./express/request-context.js"
export {
  type AuthenticatedLocals,
  type AuthenticatedResponse,
  type AuthGuard,
  type RequireAuthOptions,
  requireAuth,
} from "./express/require-auth.js"
export type { LegacySession, MigrateSessionOptions } from "./express/session-migration.js"
export { type AnyRequest, getSession } from "./get-session.js"
export { authHandlers, type RequestOrEvent, type WebHandler } from "./handlers.js"
export { isAuthAction } from "./http/action.js"
export { deleteUser, endSession, endSessions, listSessions, type SessionInfo } from "./manage-sessions.js"
export {
  type AccessTokenOptions,
  type AuthorizedFetch,
  type GetAccessTokenOptions,
  getAccessToken,
  getAuthorizedFetch,
} from "./provider-access.js"
export { completeRequirement, pendingSignIn } from "./requirements.js"
export { resetSecondFactor } from "./reset-second-factor.js"
export { customFetch, raw, skipCSRFCheck } from "./symbols.js"
export type * from "./types.js"
export { type WatchSessionOptions, watchSession } from "./watch-session.js"
