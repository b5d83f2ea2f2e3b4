import { json, type Reply } from "../http/reply.js"
import type { Action } from "./action.js"

const plain = { needsCsrf: false, givesCsrf: false, hasCallbackUrl: false }

/** GET reads and renews the session, POST hands `data` to the application's callbacks. */
export const session: Action = () => ({
  GET: {
    gate: plain,
    async handle(call, runtime): Promise<Reply> {
      // A HEAD must not renew anything.
      if (call.method === "HEAD") return json(null)
      const { session, cookies } = await runtime.sessions.read(call, { mode: "renew" })
      return json(session, cookies)
    },
  },
  POST: {
    gate: { ...plain, needsCsrf: true },
    async handle(call, runtime): Promise<Reply> {
      const { session, cookies } = await runtime.sessions.read(call, { mode: "update", data: call.body["data"] })
      return json(session, cookies)
    },
  },
})
