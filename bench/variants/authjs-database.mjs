import { ExpressAuth, getSession } from "@auth/express"
import { createApp, listen } from "./app.mjs"
import { COOKIE, SECRET } from "./constants.mjs"
import { fill } from "./stores.mjs"

const users = new Map()
const sessions = new Map()

/** As much of an adapter as reading a session takes, over maps: no store could be faster. */
const adapter = {
  createUser(user) {
    users.set(user.id, user)
    return user
  },
  createSession(session) {
    sessions.set(session.sessionToken, session)
    return session
  },
  getSessionAndUser(token) {
    const session = sessions.get(token)
    return session ? { session, user: users.get(session.userId) } : null
  },
  deleteSession(token) {
    sessions.delete(token)
  },
}

const config = {
  adapter,
  secret: SECRET,
  trustHost: true,
  session: { strategy: "database" },
  cookies: { sessionToken: { name: COOKIE } },
  // Credentials can't be used with this strategy there; a provider that is never asked stands in its place.
  providers: [
    { id: "none", name: "None", type: "oauth", authorization: "http://127.0.0.1", token: "http://127.0.0.1" },
  ],
}

await fill(adapter)
listen(
  createApp(
    (req) => getSession(req, config),
    (app) => app.use("/auth", ExpressAuth(config)),
  ),
)
