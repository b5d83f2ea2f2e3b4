import type { Adapter, AdapterUser } from "../adapters/adapter.js"
import type { User } from "../base/types.js"

interface UserInfoRequest {
  readonly method?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

type UserInfo = { user: AdapterUser; exists: true } | { user: Omit<User, "id">; exists: false }

/**
 * The default `getUserInfo` of passkey providers: finds the user with the form's email address, or returns a new user.
 * It has its own file, so that the check of the configuration can recognise this function without loading a provider.
 */
export async function getUserInfo(
  { adapter }: { readonly adapter?: Adapter | undefined },
  { method, query, body }: UserInfoRequest,
): Promise<UserInfo | null> {
  const email = (method === "GET" ? query : body)?.["email"]
  if (typeof email !== "string" || email === "") return null
  const user = await adapter?.getUserByEmail?.(email)
  return user ? { user, exists: true } : { user: { email }, exists: false }
}
