import { asAuthError, asError, InvalidProvider, SignOutError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import type { RegisteredSession } from "../sessions/session.js"
import type { Action, ActionRuntime } from "./action.js"
import { requireProvider } from "./require-provider.js"

/**
 * Runs a step of the logout at a provider. If the step fails, logs the error and returns undefined. The user sees no
 * error, because the session of this site has already ended.
 */
async function tryStep(step: () => Promise<Reply | undefined>, { logger }: ActionRuntime): Promise<Reply | undefined> {
  try {
    return await step()
  } catch (error) {
    logger.failure(asAuthError(error) ?? new SignOutError("a logout at a provider failed", { err: asError(error) }))
    return undefined
  }
}

/**
 * Starts the logout at the provider with which an ended session was opened, and returns the redirect to the provider.
 * Undefined if the provider is unknown, if logout at this provider is not enabled, or if the start fails.
 */
export async function startProviderLogout(
  session: RegisteredSession | undefined,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply | undefined> {
  const found = runtime.providers.get(session?.authentication?.provider ?? "")
  if (!session || !found) return undefined
  const { method, provider } = found
  const { logout } = method
  if (!logout?.isEnabled(provider)) return undefined
  return tryStep(() => logout.start(call, { provider, session }, runtime), runtime)
}

/** Handles the redirect back from the logout at a provider (RP-Initiated Logout 1.0 §3). Changes no session. */
export const postLogout: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { logout } = method
  if (!logout?.isEnabled(provider))
    throw new InvalidProvider("logout at this provider is not supported or not enabled", { provider: provider.id })
  return {
    GET: {
      guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: true },
      resume: (received) => logout.resume(received, provider, runtime),
      async handle(guarded, _, { pending }) {
        const finish = async () => logout.finish(guarded, { provider, pending }, runtime)
        return (await tryStep(finish, runtime)) ?? redirect(guarded.origin)
      },
    },
  }
}
