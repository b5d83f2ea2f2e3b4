import { randomBytes } from "node:crypto"
import type { SessionOrigin, User } from "../base/types.js"
import { accountKind } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { Identity } from "./identity.js"

/** How a session is opened, without the session's id and owner. */
export function describeOrigin({ account, authentication }: Pick<Identity, "account" | "authentication">) {
  return { provider: account.provider, method: account.type, amr: [], ...authentication }
}

/** Creates the origin of a new session. Without an adapter only the account identifies the user in all sessions. */
export function createOrigin(
  identity: Pick<Identity, "account" | "authentication">,
  user: User,
  runtime: Pick<AccountRuntime, "adapter" | "methods">,
): SessionOrigin {
  const { provider, providerAccountId } = identity.account
  const hasUserId = runtime.adapter !== undefined || accountKind(identity.account, runtime) === "external"
  return {
    id: randomBytes(16).toString("base64url"),
    owner: hasUserId ? String(user.id) : `${provider}:${providerAccountId}`,
    ...describeOrigin(identity),
  }
}
