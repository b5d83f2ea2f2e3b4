import type { AuthAction } from "../types.js"
import { trimTrailingSlashes } from "./trim-slashes.js"

/** The actions of the contract: may a provider's id follow in the path? */
const CONTRACT: Readonly<Record<AuthAction, boolean>> = {
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

/** Actions of ours beside them. */
type OwnAction = "assets" | "passkeys"
const OWN: Readonly<Record<OwnAction, boolean>> = {
  assets: false,
  passkeys: false,
}

/** Everything that is served. */
export type ActionName = AuthAction | OwnAction
const TAKES_PROVIDER: Readonly<Record<ActionName, boolean>> = { ...CONTRACT, ...OWN }

/**
 * Is the text the name of an action?
 *
 * @example isAuthAction("signin") // true
 */
export function isAuthAction(action: string): action is AuthAction {
  return Object.hasOwn(CONTRACT, action)
}

const isServed = (action: string): action is ActionName => Object.hasOwn(TAKES_PROVIDER, action)

/** `styles.<hash>.css`, for example. Everything else below `assets` may be the application's own. */
const ASSET = /^[a-z]+\.[\w-]{22}\.(?:css|js|svg)$/

/** A path without a trailing slash, with a leading one; "/" and "" become "". */
export function trimPath(path: string): string {
  const inner = trimTrailingSlashes(path).replace(/^\/+/, "")
  return inner && `/${inner}`
}

/** The rest of a path below the base path, beginning with "/" or empty; undefined when the path is outside of it. */
export function pathBelow(pathname: string, basePath: string): string | undefined {
  if (!pathname.startsWith(basePath)) return undefined
  const rest = pathname.slice(basePath.length)
  return rest === "" || rest.startsWith("/") ? rest : undefined
}

/** What a path asks for. */
export interface ParsedAction {
  readonly action: ActionName
  readonly providerId?: string
  /** The name of a file of the pages. */
  readonly asset?: string
}

/**
 * The action that a path names, with the provider's id or the file; undefined when it names none. One slash may follow.
 * Empty segments are not skipped: a limiter that the application mounts on the exact path would not see the request.
 */
export function parseAction(pathname: string, basePath: string): ParsedAction | undefined {
  const [, ...segments] = pathBelow(pathname, basePath)?.replace(/\/$/, "").split("/") ?? []
  const [action, name, ...more] = segments
  if (!action || name === "" || more.length > 0 || !isServed(action)) return undefined
  if (action === "assets") return name && ASSET.test(name) ? { action, asset: name } : undefined
  // Clients that build the path from a missing value write this; Auth.js takes it for none.
  if (!name || name === "undefined") return { action }
  return TAKES_PROVIDER[action] ? { action, providerId: name } : undefined
}
