import { trimTrailingSlashes } from "../base/text.js"

/** The names of the endpoints below the base path. */
export type AuthAction =
  | "callback"
  | "csrf"
  | "error"
  | "providers"
  | "session"
  | "signin"
  | "signout"
  | "verify-request"
  | "webauthn-options"

/** The actions of Auth.js, and whether a provider's id may follow in the path. */
const AUTHJS_ACTIONS: Readonly<Record<AuthAction, boolean>> = {
  callback: true,
  csrf: false,
  error: false,
  providers: false,
  session: false,
  signin: true,
  signout: false,
  "verify-request": false,
  "webauthn-options": true,
}

/** The actions that only this package has. */
type OwnAction =
  | "accounts-removed"
  | "assets"
  | "backchannel-logout"
  | "passkeys"
  | "post-logout"
  | "reauthenticate"
  | "second-factor"
  | "sessions"
const OWN_ACTIONS: Readonly<Record<OwnAction, boolean>> = {
  "accounts-removed": false,
  assets: false,
  "backchannel-logout": true,
  passkeys: false,
  "post-logout": true,
  reauthenticate: false,
  "second-factor": false,
  sessions: false,
}

/** The names of all actions. */
export type ActionName = AuthAction | OwnAction
const TAKES_PROVIDER: Readonly<Record<ActionName, boolean>> = { ...AUTHJS_ACTIONS, ...OWN_ACTIONS }

/**
 * True if the text is the name of an Auth.js action.
 *
 * @example isAuthAction("signin") // true
 */
export function isAuthAction(action: string): action is AuthAction {
  return Object.hasOwn(AUTHJS_ACTIONS, action)
}

const isServed = (action: string): action is ActionName => Object.hasOwn(TAKES_PROVIDER, action)

/** For example `styles.<hash>.css`. Other paths below `assets` may belong to the application. */
const ASSET = /^[a-z]+\.[\w-]{22}\.(?:css|js|svg)$/

/** Normalises a path: with a leading slash, without a trailing one. "/" and "" become "". */
export function trimPath(path: string): string {
  const inner = trimTrailingSlashes(path).replace(/^\/+/, "")
  return inner && `/${inner}`
}

/** The part of a path below the base path: "" or text that begins with "/". Undefined if the path is not below it. */
export function pathBelow(pathname: string, basePath: string): string | undefined {
  if (!pathname.startsWith(basePath)) return undefined
  const rest = pathname.slice(basePath.length)
  return rest === "" || rest.startsWith("/") ? rest : undefined
}

/** The parts of an endpoint's path. */
export interface ParsedAction {
  readonly action: ActionName
  readonly providerId?: string
  /** The name of a static file of the pages. */
  readonly asset?: string
}

/**
 * Parses an endpoint's path; returns undefined for other paths. One trailing slash is allowed. Empty segments are not
 * skipped, because a rate limiter that the application mounts on the exact path would not see the request.
 */
export function parseAction(pathname: string, basePath: string): ParsedAction | undefined {
  const [, ...segments] = pathBelow(pathname, basePath)?.replace(/\/$/, "").split("/") ?? []
  const [action, name, ...more] = segments
  if (!action || name === "" || more.length > 0 || !isServed(action)) return undefined
  if (action === "assets") return name && ASSET.test(name) ? { action, asset: name } : undefined
  // Clients that build the path from a missing value send "undefined". Auth.js treats it as no provider.
  if (!name || name === "undefined") return { action }
  return TAKES_PROVIDER[action] ? { action, providerId: name } : undefined
}
