import { asError, CallbackRouteError } from "../errors.js"
import { json, type Reply } from "../http/reply.js"
import type { SessionRead } from "../sessions/session.js"
import type { Action } from "./action.js"

const plain = { needsCsrf: false, givesCsrf: false, hasCallbackUrl: false }

/**
 * The session as JSON. Where JSON can't say what the application shows, no cookie is changed either.
 *
 * @throws CallbackRouteError
 */
function answered({ session, cookies }: SessionRead): Reply {
  try {
    JSON.stringify(session)
  } catch (error) {
    const facts = { err: asError(error), callback: "session" }
    throw new CallbackRouteError("callbacks.session gave what can't be written as JSON", facts)
  }
  return json(session, cookies)
}

/** GET reads and renews the session, POST hands `data` to the application's callbacks. */
export const session: Action = () => ({
  GET: {
    gate: plain,
    async handle(call, runtime): Promise<Reply> {
      // A HEAD must not renew anything.
      if (call.method === "HEAD") return json(null)
      return answered(await runtime.sessions.read(call, { mode: "renew" }))
    },
  },
  POST: {
    gate: { ...plain, needsCsrf: true },
    async handle(call, runtime): Promise<Reply> {
      return answered(await runtime.sessions.read(call, { mode: "update", data: call.body["data"] }))
    },
  },
})
