import { asAuthError, asError, InvalidProvider, SignOutError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import type { RegisteredSession } from "../sessions/session.js"
import type { Action, ActionRuntime } from "./action.js"
import { requireProvider } from "./require-provider.js"

/** Runs a step of a logout. A failure is logged: the session has already ended, so the user sees no error. */
async function tryStep(step: () => Promise<Reply | undefined>, { logger }: ActionRuntime): Promise<Reply | undefined> {
  try {
    return await step()
  } catch (error) {
    logger.failure(asAuthError(error) ?? new SignOutError("a logout at a provider failed", { err: asError(error) }))
    return undefined
  }
}

/** Leads the browser to the provider of a session that has ended. Undefined if it is not to be signed out there. */
export async function leadToProvider(
  session: RegisteredSession | undefined,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply | undefined> {
  const found = runtime.providers.get(session?.origin?.provider ?? "")
  if (!session || !found) return undefined
  const { method, provider } = found
  const { logout } = method
  if (!logout?.isEnabled(provider)) return undefined
  return tryStep(() => logout.start(call, { provider, session }, runtime), runtime)
}

/** The return from the provider after a logout (RP-Initiated Logout 1.0 §3). It changes no session. */
export const postLogout: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { logout } = method
  if (!logout?.isEnabled(provider))
    throw new InvalidProvider("this provider does not sign users out", { provider: provider.id })
  return {
    GET: {
      guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: true },
      resume: (received) => logout.resume(received, provider, runtime),
      async handle(admitted, _, { pending }) {
        const finish = async () => logout.finish(admitted, { provider, pending }, runtime)
        return (await tryStep(finish, runtime)) ?? redirect(admitted.origin)
      },
    },
  }
}
