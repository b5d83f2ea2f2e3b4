import { ExpressAuth, getSession } from "@auth/express"
import GitHub from "@auth/express/providers/github"
import { createApp, listen } from "./app.mjs"
import { COOKIE, SECRET } from "./constants.mjs"
import { fill } from "./stores.mjs"

const users = new Map()
const sessions = new Map()

/** Required methods that are not called when a session is read. */
const UNUSED = ["getUser", "getUserByEmail", "getUserByAccount", "updateUser", "linkAccount", "updateSession"]

/** The adapter methods that read a session, with maps: no database can be faster. */
const adapter = {
  ...Object.fromEntries(UNUSED.map((name) => [name, () => null])),
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
  // Auth.js does not support credentials with this strategy.
  providers: [GitHub({ clientId: "id", clientSecret: "secret" })],
}

await fill(adapter)
listen(
  createApp(
    (req) => getSession(req, config),
    (app) => app.use("/auth", ExpressAuth(config)),
  ),
)
