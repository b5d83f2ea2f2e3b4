import type { AuthAction } from "../types.js"

/** What may follow an action in the path. */
type Follows = "nothing" | "provider" | "asset"

/** The actions of the contract. */
const CONTRACT: Readonly<Record<AuthAction, Follows>> = {
  callback: "provider",
  csrf: "nothing",
  error: "nothing",
  providers: "nothing",
  session: "nothing",
  signin: "provider",
  signout: "nothing",
  "verify-request": "nothing",
  "webauthn-options": "provider",
}

/** Actions of ours beside them. */
type OwnAction = "assets" | "passkeys"
const OWN: Readonly<Record<OwnAction, Follows>> = {
  assets: "asset",
  passkeys: "nothing",
}

/** Everything that is served. */
export type ActionName = AuthAction | OwnAction
const FOLLOWS: Readonly<Record<ActionName, Follows>> = { ...CONTRACT, ...OWN }

/**
 * Is the text the name of an action?
 *
 * @example isAuthAction("signin") // true
 */
export function isAuthAction(action: string): action is AuthAction {
  return Object.hasOwn(CONTRACT, action)
}

const isServed = (action: string): action is ActionName => Object.hasOwn(FOLLOWS, action)

/** `styles.<hash>.css`: everything else below `assets` may be the application's own. */
const ASSET = /^[a-z]+\.[\w-]{22}\.(?:css|js)$/

/** A path without a trailing slash, with a leading one; "/" and "" become "". */
export function trimPath(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, "")
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

/** The action that a path names, with the provider's id or the file; undefined when it names none. */
export function parseAction(pathname: string, basePath: string): ParsedAction | undefined {
  const [action, name, ...more] = pathBelow(pathname, basePath)?.split("/").filter(Boolean) ?? []
  if (!action || more.length > 0 || !isServed(action)) return undefined
  const follows = FOLLOWS[action]
  if (follows === "asset") return name && ASSET.test(name) ? { action, asset: name } : undefined
  // Clients that build the path from a missing value write this; Auth.js takes it for none.
  if (!name || name === "undefined") return { action }
  return follows === "provider" ? { action, providerId: name } : undefined
}
