import type { AuthAction } from "../types.js"

/** The actions, and whether a provider's id may follow in the path. */
const TAKES_PROVIDER: Readonly<Record<AuthAction, boolean>> = {
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

/**
 * Is the text the name of an action?
 *
 * @example isAuthAction("signin") // true
 */
export function isAuthAction(action: string): action is AuthAction {
  return Object.hasOwn(TAKES_PROVIDER, action)
}

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

/** The action, and the provider's id, that a path names; undefined when it names none. */
export function parseAction(
  pathname: string,
  basePath: string,
): { action: AuthAction; providerId?: string } | undefined {
  const [action, providerId, ...more] = pathBelow(pathname, basePath)?.split("/").filter(Boolean) ?? []
  if (!action || more.length > 0 || !isAuthAction(action)) return undefined
  // Clients that build the path from a missing value write this; Auth.js takes it for none.
  if (!providerId || providerId === "undefined") return { action }
  return TAKES_PROVIDER[action] ? { action, providerId } : undefined
}
