import { setTimeout as pause } from "node:timers/promises"
import type { Adapter, AdapterSession, AdapterUser } from "../../../lib/adapters/adapter.js"
import { describeServer } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { errorOf, signInByMail, startMailSite } from "../support/mail.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const database = { session: { strategy: "database" } } as const

/** An adapter that accepts only numeric ids. */
function numbersOnly({ createSession }: Adapter): Partial<Adapter> {
  const users = new Map<unknown, AdapterUser>()
  const rows = new Map<string, AdapterSession>()
  const read = (id: unknown) => {
    if (typeof id !== "number") throw new TypeError(`the id ${JSON.stringify(id)} is not a number`)
    return users.get(id) ?? null
  }
  const save = (user: AdapterUser) => {
    users.set(user.id, user)
    return user
  }
  return {
    // Such adapters return numbers, although the declared type is string.
    createUser: (user) => save({ ...user, id: (users.size + 1) as unknown as string }),
    getUser: read,
    getUserByEmail: (email) => [...users.values()].find((user) => user.email === email) ?? null,
    updateUser: (user) => save({ ...read(user.id), ...user } as AdapterUser),
    createSession(session) {
      rows.set(session.sessionToken, session)
      if (!createSession) throw new Error("the adapter has no createSession")
      return createSession(session)
    },
    getSessionAndUser(token) {
      const session = rows.get(token)
      const user = session && read(session.userId)
      return session && user ? { session, user } : null
    },
  }
}

describeServer("database sessions: edge cases", "Auth()", (start) => {
  it("a read that starts during a sign-out does not return the session to later requests", async () => {
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

  it("a numeric user id reaches the adapter unchanged", async () => {
    const site = await startMailSite(start, { config: database, isPlain: true, over: numbersOnly })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    expect(errorOf(await signInByMail(site, browser, ADA))).toBe("")
  })

  it("concurrent requests that share a query get separate session objects", async () => {
    const site = await startMailSite(start, {
      config: {
        ...database,
        callbacks: {
          session({ session }) {
            // A custom property of the application.
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
