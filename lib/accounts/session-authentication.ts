import type { SessionAuthentication, User } from "../base/types.js"
import { createSessionId } from "../security/session-id.js"
import { accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { Identity } from "./identity.js"

/** Returns the authentication of a session without the session's id and owner. */
export function describeAuthentication({ account, authentication }: Pick<Identity, "account" | "authentication">) {
  return { provider: account.provider, method: account.type, amr: [], ...authentication }
}

/**
 * Creates the authentication of a new session. Its owner is the user id. Without an adapter, user ids are random, so
 * the owner is the account, except for an external account, whose user id comes from the application.
 */
export function createSessionAuthentication(
  identity: Pick<Identity, "account" | "authentication">,
  user: User,
  runtime: Pick<AccountRuntime, "adapter" | "methods" | "sessions">,
): SessionAuthentication {
  const { provider, providerAccountId } = identity.account
  const storage = accountStorage(identity.account, runtime)
  const hasUserId = runtime.adapter !== undefined || storage === "external"
  return {
    id: createSessionId(runtime.sessions.registry !== undefined),
    owner: hasUserId ? String(user.id) : `${provider}:${providerAccountId}`,
    ...describeAuthentication(identity),
    ...(storage === "linked" && { providerAccountId }),
  }
}
