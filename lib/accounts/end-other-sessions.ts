import type { AccountRuntime } from "./account-runtime.js"

/**
 * Ends the sessions of a user whose ways to sign in have changed, because one of them may be an intruder's. The session
 * `current` continues. Without a store, or with `session.keepOnFactorChange`, no session ends. No browser stays trusted.
 */
export async function endOtherSessions(
  owner: string,
  current: string | undefined,
  { config, sessions, secondFactor }: Pick<AccountRuntime, "config" | "sessions" | "secondFactor">,
): Promise<void> {
  await secondFactor?.devices.removeAll(owner)
  if (!config.session.keepOnFactorChange) await sessions.registry?.endAll({ owner }, { except: current })
}
