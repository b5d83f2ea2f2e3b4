import { handleRequest } from "../auth.js"
import type { PendingSignIn, Session, User } from "../base/types.js"
import type { AuthConfig } from "../config/auth-config.js"
import { asAuthError } from "../errors/errors.js"
import { type ActionName, parseAction } from "../http/action.js"
import { JSON_HEADERS, NO_CACHE, toResponse } from "../http/response.js"
import type { AccessTokenOptions, AuthorizedFetch } from "../provider-access.js"
import { type Runtime, requireRuntime } from "../runtime/runtime.js"
import { readCspNonce } from "./csp-nonce.js"
import { tagHandler } from "./handler-runtime.js"
import { keepPrivate } from "./keep-private.js"
import { resolveBasePath, warnIfUnreachable } from "./mount.js"
import {
  fullPath,
  fullTarget,
  type Middleware,
  type Next,
  type NodeRequest,
  type NodeResponse,
  type RequestAuth,
} from "./node.js"
import { isSecure, readClientAddress, requireOrigin, warnIfOriginIsWrong } from "./origin.js"
import { attachProviderAccess } from "./provider-access.js"
import { type AuthLocals, attachContext, RequestContext, RequestLocals } from "./request-context.js"
import { send } from "./send.js"
import { loadServerPackage } from "./server-package.js"
import { toWebRequest, warnIfBodyConsumed } from "./web-request.js"

declare global {
  namespace Express {
    interface Request {
      /** Returns the session, or null. The session is read at the first call, and the result is reused. */
      getSession(): Promise<Session | null>
      /**
       * Returns the sign-in of this browser that waits until a requirement is met, or null. Only with the option
       * `requirements`.
       */
      pendingSignIn(): Promise<PendingSignIn | null>
      /**
       * States that the user has met a requirement, and continues the sign-in. Sets the cookies of the session, and
       * resolves to the URL to redirect to: the next requirement, the return URL, or the sign-in page if the sign-in has
       * ended. The events `createUser` and `signIn` receive `data`, which must be JSON. Only with the option
       * `requirements`.
       *
       * @example
       * const { redirectTo } = await req.completeRequirement("terms", { version: 3 })
       * res.redirect(redirectTo)
       */
      completeRequirement(name: string, data?: unknown): Promise<{ redirectTo: string }>
      /**
       * Returns an access token with which the application calls the provider's API on behalf of the user. A token that
       * is about to expire is renewed.
       *
       * @param provider the provider's id, for example "github"
       * @throws ReauthenticationRequired (status 401) if the user has to sign in at the provider: redirect to its `url`;
       * ProviderUnavailable (status 502) if the provider fails; AdapterError (status 503) if the store fails
       * @example
       * const token = await req.accessToken("github")
       */
      accessToken(provider: string, options?: AccessTokenOptions): Promise<string>
      /**
       * Returns a `fetch` for the provider's API, which adds the user's access token, and renews it if the API rejects
       * it. It sends requests only to the `apiOrigins` of the provider, and does not follow redirects.
       *
       * @example
       * const response = await req.authorizedFetch("github")("https://api.github.com/user/repos")
       */
      authorizedFetch(provider: string, options?: AccessTokenOptions): AuthorizedFetch
      /** The session and its user. Always set in routes with `requireAuth`; elsewhere it may be undefined. */
      auth: this extends { res?: { locals: { auth: { user: User } } } | undefined }
        ? RequestAuth
        : RequestAuth | undefined
    }
    interface Locals {
      /** The user, the CSRF token and the URLs for views with their own sign-in and sign-out forms. */
      auth: AuthLocals
    }
  }
}

/**
 * Creates the middleware. It serves the sign-in pages and endpoints, and adds `req.getSession()` and `res.locals.auth`
 * to every other request. Mount it once, before the routes that use it.
 *
 * The endpoints are below `basePath`, else the path of AUTH_URL, else the mount path, else `/auth`. All other requests
 * are passed on. The configuration is read and checked when this function is called.
 *
 * @throws ConfigurationError with all problems of the configuration
 * @example
 * const app = express()
 * app.use(authMiddleware({ providers: [GitHub] }))
 * app.get("/", optionalAuth, (req, res) => res.json(req.auth?.user ?? null))
 */
export function authMiddleware(config: AuthConfig): Middleware {
  const runtime = requireRuntime(config)
  const latchkey: Middleware = (req, res, next) => {
    const basePath = resolveBasePath(req, runtime)
    attach(req, res, new RequestContext(runtime, req, { res, basePath }))
    const action = findAction(req, basePath)
    if (!action) warnIfUnreachable(req, runtime)
    if (!action || !isServed(action, runtime)) return next()
    respond(req, res, next, { runtime, basePath }).catch(next)
  }
  return tagHandler(latchkey, runtime)
}

/** Without a passkey provider or without records of sessions, these may be pages of the application. */
function isServed(action: ActionName, { passkeyProvider, sessions }: Runtime): boolean {
  if (action === "passkeys") return passkeyProvider !== undefined
  return action !== "sessions" || sessions.registry !== undefined
}

/**
 * The action in the path of the request line. The path must be spelled literally, because middleware before this one,
 * for example a rate limiter, is mounted on the literal path.
 */
function findAction(req: NodeRequest, basePath: string): ActionName | undefined {
  const path = fullPath(req)
  const action = parseAction(path, basePath)?.action
  if (!action || (path.endsWith("/") && req.app?.get("strict routing") === true)) return undefined
  // Reject paths that a URL parser normalises: it reads "/x\\..\\y" as "/y".
  return new URL(path, "http://localhost").pathname === path ? action : undefined
}

function attach(req: NodeRequest, res: NodeResponse, context: RequestContext): void {
  attachContext(req, context)
  if (context.runtime.hasProviderTokens) attachProviderAccess(req)
  res.locals ??= {}
  res.locals["auth"] = new RequestLocals(context)
}

async function respond(
  req: NodeRequest,
  res: NodeResponse,
  next: Next,
  { runtime, basePath }: { runtime: Runtime; basePath: string },
): Promise<void> {
  try {
    warnIfOriginIsWrong(req, runtime)
    warnIfBodyConsumed(req, runtime)
    const origin = requireOrigin(req, runtime)
    const { proxyPrefix } = runtime.config
    const { request, maxBodyBytes } = toWebRequest(req, origin, proxyPrefix + fullTarget(req))
    const server = {
      origin,
      basePath: proxyPrefix + basePath,
      cookieSet: runtime.cookieSetFor(isSecure(req, runtime) ? "https:" : "http:"),
      clientAddress: readClientAddress(req),
      cspNonce: readCspNonce(req, res),
      maxBodyBytes,
    }
    const { call, reply } = await handleRequest(request, server, runtime)
    if (!reply.failure) return await send(toResponse(reply, call, loadServerPackage().Response), req, res)
    // The error response of the application may reveal session state.
    keepPrivate(res)
    next(reply.failure)
  } catch (error) {
    const authError = asAuthError(error)
    if (!authError || authError.status >= 500 || res.headersSent) return next(error)
    runtime.logger.failure(authError)
    await send(refusal(authError.status), req, res)
  }
}

/** The response to a request that could not be converted. */
const refusal = (status: number): Response =>
  new Response(JSON.stringify("Bad request."), {
    status,
    headers: { ...NO_CACHE, ...Object.fromEntries(JSON_HEADERS) },
  })
