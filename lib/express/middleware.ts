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
      /** Returns the session; null if the user is not signed in. Later calls return the result of the first call. */
      getSession(): Promise<Session | null>
      /**
       * Returns the browser's pending sign-in, which waits until the user meets a requirement; null if there is none.
       * Only with the option `requirements` or `secondFactor`.
       */
      pendingSignIn(): Promise<PendingSignIn | null>
      /**
       * Marks a requirement as met by the user, and continues the pending sign-in. Resolves to the URL to which the
       * route must redirect. If another requirement is open, this is the URL of the requirement's page. Otherwise the
       * cookies of the new session are set, and this is the return URL. If there is no pending sign-in any more, this
       * is the URL of the sign-in page. Only with the option `requirements`.
       *
       * @param name the name of the requirement
       * @param data JSON data that the events `createUser` and `signIn` receive
       * @example
       * const { redirectTo } = await req.completeRequirement("terms", { version: 3 })
       * res.redirect(redirectTo)
       */
      completeRequirement(name: string, data?: unknown): Promise<{ redirectTo: string }>
      /**
       * Returns an access token with which the application calls the provider's API on behalf of the user. A token that
       * is about to expire is renewed first.
       *
       * @param provider the provider's id, for example "github"
       * @throws ReauthenticationRequired (status 401) if the user has to sign in at the provider: redirect to the
       * error's `url`; ProviderUnavailable (status 502) if the provider fails; AdapterError (status 503) if the store
       * fails
       * @example
       * const token = await req.accessToken("github")
       */
      accessToken(provider: string, options?: AccessTokenOptions): Promise<string>
      /**
       * Returns a `fetch` for the provider's API. This `fetch` adds the user's access token, and renews the token if
       * the API rejects it. It sends requests only to the provider's `apiOrigins`, and does not follow redirects.
       *
       * @example
       * const response = await req.authorizedFetch("github")("https://api.github.com/user/repos")
       */
      authorizedFetch(provider: string, options?: AccessTokenOptions): AuthorizedFetch
      /**
       * The session and its user. Always set behind `requireAuth`. Behind `optionalAuth`, undefined without a session.
       */
      auth: this extends { res?: { locals: { auth: { user: User } } } | undefined }
        ? RequestAuth
        : RequestAuth | undefined
    }
    interface Locals {
      /** The user, and what views need for their own sign-in and sign-out forms: the CSRF token and the URLs. */
      auth: AuthLocals
    }
  }
}

/**
 * Creates the middleware. It adds `req.getSession()` and `res.locals.auth` to every request. It serves the sign-in
 * pages and endpoints, and passes all other requests to the next handler. Mount it once, before the routes that use it.
 *
 * The endpoints are below `basePath`. The default is the path of AUTH_URL, or else the mount path, or else `/auth`. The
 * configuration is read and checked when this function is called.
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

/**
 * False for the pages `passkeys` and `sessions` if the configuration does not support them. The application may then
 * have its own pages at these paths.
 */
function isServed(action: ActionName, { passkeyProviderId, sessions }: Runtime): boolean {
  if (action === "passkeys") return passkeyProviderId !== undefined
  return action !== "sessions" || sessions.registry !== undefined
}

/**
 * Returns the action that the request's path names; undefined if the path is not an endpoint. A percent-encoded or
 * non-normalised spelling of an endpoint's path is not an endpoint. Otherwise it would bypass a rate limiter that the
 * application mounts at the path.
 */
function findAction(req: NodeRequest, basePath: string): ActionName | undefined {
  const path = fullPath(req)
  const action = parseAction(path, basePath)?.action
  if (!action || (path.endsWith("/") && req.app?.get("strict routing") === true)) return undefined
  // A URL parser changes a path that is not normalised: "/x\\..\\y" becomes "/y".
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
    // The application's error handler responds. Its response may reveal session state, so caches must not store it.
    keepPrivate(res)
    next(reply.failure)
  } catch (error) {
    const authError = asAuthError(error)
    if (!authError || authError.status >= 500 || res.headersSent) return next(error)
    runtime.logger.failure(authError)
    await send(createErrorResponse(authError.status), req, res)
  }
}

/** Creates the response to a request that could not be converted to a web request. */
const createErrorResponse = (status: number): Response =>
  new Response(JSON.stringify("Bad request."), {
    status,
    headers: { ...NO_CACHE, ...Object.fromEntries(JSON_HEADERS) },
  })
