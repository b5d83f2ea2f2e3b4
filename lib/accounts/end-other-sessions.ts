import type { SessionRuntime, SessionStrategy } from "../sessions/session.js"

/**
 * Ends the sessions of a user whose ways to sign in have changed, because one of them may be an intruder's. The session
 * `current` continues. Without a store, or with `session.keepOnFactorChange`, nothing ends.
 */
export async function endOtherSessions(
  owner: string,
  current: string | undefined,
  { config, sessions }: Pick<SessionRuntime, "config"> & { readonly sessions: SessionStrategy },
): Promise<void> {
  if (!config.session.keepOnFactorChange) await sessions.registry?.endAll({ owner }, { except: current })
}
