import { setTimeout as pause } from "node:timers/promises"
import type { Adapter, AdapterSession, AdapterUser } from "../../lib/adapters/adapter.js"
import { describeServer } from "../support/apps.js"
import { guardProcess } from "./support/guard.js"
import { errorOf, signInByMail, startMailSite } from "./support/mail.js"
import { sessionOf } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const database = { session: { strategy: "database" } } as const

/** A store that takes numbers for ids, and nothing else. */
function numbersOnly({ createSession }: Adapter): Partial<Adapter> {
  const users = new Map<unknown, AdapterUser>()
  const rows = new Map<string, AdapterSession>()
  const read = (id: unknown) => {
    if (typeof id !== "number") throw new TypeError(`the id ${JSON.stringify(id)} is no number`)
    return users.get(id) ?? null
  }
  const save = (user: AdapterUser) => {
    users.set(user.id, user)
    return user
  }
  return {
    // As such stores give it, against the type.
    createUser: (user) => save({ ...user, id: (users.size + 1) as unknown as string }),
    getUser: read,
    getUserByEmail: (email) => [...users.values()].find((user) => user.email === email) ?? null,
    updateUser: (user) => save({ ...read(user.id), ...user } as AdapterUser),
    createSession(session) {
      rows.set(session.sessionToken, session)
      if (!createSession) throw new Error("the store keeps no sessions")
      return createSession(session)
    },
    getSessionAndUser(token) {
      const session = rows.get(token)
      const user = session && read(session.userId)
      return session && user ? { session, user } : null
    },
  }
}

describeServer("A session in a store", "Auth()", (start) => {
  it("is known to nobody who asks after the sign-out was answered, though a read began while it was under way", async () => {
    let isSlow = false
    const site = await startMailSite(start, {
      config: database,
      over: ({ getSessionAndUser, deleteSession }) => ({
        async getSessionAndUser(token) {
          const row = await getSessionAndUser?.(token)
          if (isSlow) await pause(300)
          return row ?? null
        },
        async deleteSession(token) {
          if (isSlow) await pause(60)
          await deleteSession?.(token)
        },
      }),
    })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    const [tab, later] = [browser.clone(), browser.clone()]
    const csrfToken = await browser.csrf()
    isSlow = true
    const signOut = browser.post("/auth/signout", { csrfToken })
    await pause(20)
    const during = sessionOf(tab)
    await signOut
    expect(await sessionOf(later)).toBeNull()
    await during
  })

  it("belongs to a user whose id stays the number that it is", async () => {
    const site = await startMailSite(start, { config: database, isPlain: true, over: numbersOnly })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    expect(errorOf(await signInByMail(site, browser, ADA))).toBe("")
  })

  it("is each request's own, though they share a query", async () => {
    const site = await startMailSite(start, {
      config: {
        ...database,
        callbacks: {
          session({ session }) {
            // The application's own member.
            const user = session.user as unknown as { seen?: number }
            user.seen = (user.seen ?? 0) + 1
            return session
          },
        },
      },
      over: ({ getSessionAndUser }) => ({
        async getSessionAndUser(token) {
          const row = await getSessionAndUser?.(token)
          await pause(30)
          return row ? structuredClone(row) : null
        },
      }),
    })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    const sessions = await Promise.all([0, 1, 2].map(() => sessionOf(browser.clone())))
    expect(sessions.map((session) => session?.user?.["seen"])).toEqual([1, 1, 1])
  })
})
