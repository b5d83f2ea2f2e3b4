import { trimTrailingSlashes } from "../base/text.js"

/** The names of the endpoints that this package and Auth.js have in common. */
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

/** The actions of Auth.js. The value is true if a provider id may follow in the path. */
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

const isActionName = (action: string): action is ActionName => Object.hasOwn(TAKES_PROVIDER, action)

/** Matches file names such as `styles.<hash>.css`. The application may use all other paths below `assets`. */
const ASSET = /^[a-z]+\.[\w-]{22}\.(?:css|js|svg)$/

/** Normalises a path to one leading slash and no trailing slash. "/" and "" become "". */
export function trimPath(path: string): string {
  const inner = trimTrailingSlashes(path).replace(/^\/+/, "")
  return inner && `/${inner}`
}

/** Returns the path after the base path: "" or text that begins with "/". Undefined if `pathname` is not below it. */
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
 * Parses the path of an endpoint; returns undefined for other paths. One trailing slash is allowed. A path with an
 * empty segment, such as `/callback//credentials`, is not an endpoint. Otherwise it would bypass a rate limiter that
 * the application mounts on `/callback/credentials`.
 */
export function parseAction(pathname: string, basePath: string): ParsedAction | undefined {
  const [, ...segments] = pathBelow(pathname, basePath)?.replace(/\/$/, "").split("/") ?? []
  const [action, name, ...rest] = segments
  if (!action || name === "" || rest.length > 0 || !isActionName(action)) return undefined
  if (action === "assets") return name && ASSET.test(name) ? { action, asset: name } : undefined
  // A client script without a provider id may send the text "undefined". As in Auth.js, it means no provider.
  if (!name || name === "undefined") return { action }
  return TAKES_PROVIDER[action] ? { action, providerId: name } : undefined
}
