/**
 * Sign-in for Express.
 *
 * @module
 */
export type { TrustedUser } from "./accounts/trusted-user.js"
export { Auth } from "./auth.js"
export { changeEmail } from "./change-email.js"
export { createActionURL, type Env, setEnvDefaults } from "./config/env.js"
export {
  AccessDenied,
  AuthError,
  CredentialsSignin,
  type ErrorCause,
  type ErrorType,
  type MessageCode,
} from "./errors.js"
export { type AdoptSessionOptions, adoptSession, type OldSession } from "./express/adopt-session.js"
export type { Middleware, Next, NodeRequest, NodeResponse } from "./express/node.js"
export type { OldCookieOptions } from "./express/old-cookie.js"
export { optionalAuth } from "./express/optional-auth.js"
export { type RequireAuthOptions, requireAuth } from "./express/require-auth.js"
export type { ViewAuth } from "./express/visit.js"
export { authMiddleware } from "./express.js"
export { type AnyRequest, getSession } from "./get-session.js"
export { authHandlers, type RequestOrEvent, type WebHandler } from "./handlers.js"
export { isAuthAction } from "./http/action.js"
export { revokeSessions } from "./revoke-sessions.js"
export { customFetch, raw, skipCSRFCheck } from "./symbols.js"
export type * from "./types.js"
