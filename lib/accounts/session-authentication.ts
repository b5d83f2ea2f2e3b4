import type { SessionAuthentication, User } from "../base/types.js"
import { createSessionId } from "../security/session-id.js"
import { accountKind } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { Identity } from "./identity.js"

/** Returns the authentication of a session without the session's id and owner. */
export function describeAuthentication({ account, authentication }: Pick<Identity, "account" | "authentication">) {
  return { provider: account.provider, method: account.type, amr: [], ...authentication }
}

/**
 * Creates the authentication of a new session. Without an adapter the account is the owner, because user ids are random.
 */
export function createSessionAuthentication(
  identity: Pick<Identity, "account" | "authentication">,
  user: User,
  runtime: Pick<AccountRuntime, "adapter" | "methods" | "sessions">,
): SessionAuthentication {
  const { provider, providerAccountId } = identity.account
  const kind = accountKind(identity.account, runtime)
  const hasUserId = runtime.adapter !== undefined || kind === "external"
  return {
    id: createSessionId(runtime.sessions.registry !== undefined),
    owner: hasUserId ? String(user.id) : `${provider}:${providerAccountId}`,
    ...describeAuthentication(identity),
    ...(kind === "linked" && { providerAccountId }),
  }
}
