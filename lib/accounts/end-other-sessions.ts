import type { AccountRuntime } from "./account-runtime.js"

/**
 * Ends all sessions of a user except `current`. Called when the user's sign-in methods change, because another session
 * may be an intruder's. Without a registry, or with `session.keepOnFactorChange`, no session ends. Also removes the
 * trust in all browsers of the user, so that the next sign-in in each of them asks for the second factor.
 */
export async function endOtherSessions(
  owner: string,
  current: string | undefined,
  { config, sessions, secondFactor }: Pick<AccountRuntime, "config" | "sessions" | "secondFactor">,
): Promise<void> {
  await secondFactor?.devices.removeAll(owner)
  if (!config.session.keepOnFactorChange) await sessions.registry?.endAll({ owner }, { except: current })
}
