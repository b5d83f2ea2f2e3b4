/**
 * The page of the second factor. In a pending sign-in it shows the challenge or the setup. To the current user it shows
 * the settings, the setup, or the form for re-authentication with a code.
 *
 * @module
 */
import { UnknownAction } from "../../errors/errors.js"
import { type Reply, withCookies } from "../../http/reply.js"
import { SECOND_FACTOR } from "../../second-factor/second-factor.js"
import type { Action } from "../action.js"
import type { Context } from "./context.js"
import { enrolPending, findPendingSecondFactor, showPending, verifyPending } from "./pending.js"
import { change, findSession, isReply, showCurrent, verifyCurrent } from "./settings.js"

async function show(context: Context): Promise<Reply> {
  // HEAD must not renew the session.
  if (context.call.method === "HEAD") return { status: 200, cookies: [] }
  const pendingFactor = await findPendingSecondFactor(context)
  if (pendingFactor) return showPending(pendingFactor, context)
  const session = await findSession(context)
  return isReply(session) ? session : withCookies(session.cookies, await showCurrent(session, context))
}

async function submit(context: Context): Promise<Reply> {
  const isCode = context.call.body["do"] === "verify"
  const pendingFactor = await findPendingSecondFactor(context)
  if (pendingFactor) return isCode ? verifyPending(pendingFactor, context) : enrolPending(pendingFactor, context)
  const session = await findSession(context)
  if (isReply(session)) return session
  return isCode ? verifyCurrent(session, context) : change(session, context)
}

/** The second factor. GET shows the challenge, the setup or the settings. POST checks a code, or changes the factor. */
export const secondFactor: Action = (_, { secondFactor: factor }) => {
  if (!factor) throw new UnknownAction("there is no such action", { action: SECOND_FACTOR })
  const guards = { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true, ignoresStoredUrl: true }
  return {
    GET: { guards, handle: (call, runtime) => show({ call, runtime, secondFactor: factor }) },
    POST: {
      guards: { ...guards, needsCsrf: true },
      handle: (call, runtime) => submit({ call, runtime, secondFactor: factor }),
    },
  }
}
