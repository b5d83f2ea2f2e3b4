import type { SessionOrigin, User } from "../base/types.js"
import { createSessionId } from "../security/session-id.js"
import { accountKind } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { Identity } from "./identity.js"

/** Returns how a session is opened, without the session's id and owner. */
export function describeOrigin({ account, authentication }: Pick<Identity, "account" | "authentication">) {
  return { provider: account.provider, method: account.type, amr: [], ...authentication }
}

/** Creates the origin of a new session. Without an adapter the account is the owner, because user ids are random. */
export function createOrigin(
  identity: Pick<Identity, "account" | "authentication">,
  user: User,
  runtime: Pick<AccountRuntime, "adapter" | "methods" | "sessions">,
): SessionOrigin {
  const { provider, providerAccountId } = identity.account
  const kind = accountKind(identity.account, runtime)
  const hasUserId = runtime.adapter !== undefined || kind === "external"
  return {
    id: createSessionId(runtime.sessions.registry !== undefined),
    owner: hasUserId ? String(user.id) : `${provider}:${providerAccountId}`,
    ...describeOrigin(identity),
    ...(kind === "linked" && { providerAccountId }),
  }
}
