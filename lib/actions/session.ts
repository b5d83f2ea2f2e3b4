import { asError, CallbackRouteError } from "../errors/errors.js"
import { json, type Reply } from "../http/reply.js"
import type { SessionRead } from "../sessions/session.js"
import type { Action } from "./action.js"

const NO_GUARDS = { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false }

/**
 * Replies with the session as JSON.
 *
 * @throws CallbackRouteError if the session can't be serialised. Its cookies are then not sent.
 */
function sessionReply({ session, cookies }: SessionRead): Reply {
  try {
    JSON.stringify(session)
  } catch (error) {
    const facts = { err: asError(error), callback: "session" }
    throw new CallbackRouteError("callbacks.session returned a value that can't be serialised as JSON", facts)
  }
  return json(session, cookies)
}

/** GET returns and renews the session. POST updates it: the callbacks receive `data`, which the client has posted. */
export const session: Action = () => ({
  GET: {
    guards: NO_GUARDS,
    async handle(call, runtime): Promise<Reply> {
      // HEAD must not renew the session.
      if (call.method === "HEAD") return json(null)
      return sessionReply(await runtime.sessions.read(call, { mode: "renew" }))
    },
  },
  POST: {
    guards: { ...NO_GUARDS, needsCsrf: true },
    async handle(call, runtime): Promise<Reply> {
      return sessionReply(await runtime.sessions.read(call, { mode: "update", data: call.body["data"] }))
    },
  },
})
