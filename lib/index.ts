/**
 * Sign-in for Express.
 *
 * @module
 */
export { Auth } from "./auth.js"
export { changeEmail } from "./change-email.js"
export { createActionURL, setEnvDefaults } from "./config/env.js"
export { AccessDenied, AuthError, CredentialsSignin } from "./errors.js"
export { type AdoptSessionOptions, adoptSession, type OldSession } from "./express/adopt-session.js"
export { optionalAuth } from "./express/optional-auth.js"
export { type RequireAuthOptions, requireAuth } from "./express/require-auth.js"
export type { ViewAuth } from "./express/visit.js"
export { authMiddleware } from "./express.js"
export { getSession } from "./get-session.js"
export { authHandlers, type RequestOrEvent, type WebHandler } from "./handlers.js"
export { isAuthAction } from "./http/action.js"
export { revokeSessions } from "./revoke-sessions.js"
export { customFetch, raw, skipCSRFCheck } from "./symbols.js"
export type {
  Account,
  AuthAction,
  AuthConfig,
  Awaitable,
  CallbacksOptions,
  CookieOption,
  CookiesOptions,
  DefaultSession,
  DefaultUser,
  EventsOptions,
  JWT,
  LoggerInstance,
  PagesOptions,
  Profile,
  Provider,
  PublicProvider,
  RateLimit,
  RateLimiter,
  RateLimitOptions,
  Session,
  SessionOptions,
  Theme,
  TokenSet,
  User,
} from "./types.js"
