import { createSessionFor, resolveTrustedUser, type TrustedUser } from "../../../lib/accounts/trusted-user.js"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { toSetCookies } from "../../../lib/http/cookies.js"
import { getSession } from "../../../lib/index.js"
import { requireRuntime } from "../../../lib/runtime/runtime.js"
import type { Account, AuthConfig } from "../../../lib/types.js"
import { TEST_SECRET } from "../../support/apps.js"

const ADA = { name: "Ada", email: "ada@example.com" }

/** An application that records its callbacks and events, and shows the user's id in the session. */
function application(over: Partial<AuthConfig> = {}) {
  const calls: unknown[] = []
  const record = (name: string) => (message: object) => void calls.push([name, message])
  const config: AuthConfig = {
    secret: TEST_SECRET,
    providers: [{ id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null }],
    callbacks: {
      signIn: () => false,
      jwt: ({ token, trigger, account }) => (trigger ? { ...token, trigger, account } : token),
      session: (params) => ({ ...params.session, user: params.user ?? { ...params.token } }),
    },
    events: { signIn: record("signIn"), createUser: record("createUser"), linkAccount: record("linkAccount") },
    ...over,
  }
  const runtime = requireRuntime(config)
  const cookieSet = runtime.cookieSetFor("http://app.test")
  const open = async (
    user: TrustedUser,
    { cookie = "", account }: { cookie?: string; account?: Partial<Account> } = {},
  ) => {
    const [name, value] = cookie.split("=")
    const browser = { cookies: name ? { [name]: value } : {}, cookieSet }
    const resolution = await resolveTrustedUser({ user }, { runtime, intercept: async () => undefined })
    if ("reply" in resolution) throw new Error("the sign-in was stopped, although intercept() returns no reply")
    const { signedIn } = resolution
    const found = { user: signedIn.user, isNewUser: signedIn.isNewUser === true }
    const opened = await createSessionFor(found, { runtime, browser, account, remember: false })
    return { ...opened, cookie: toSetCookies(opened.cookies, cookieSet)[0]?.split(";")[0] ?? "" }
  }
  const readSession = (cookie: string) => getSession(new Request("http://app.test/", { headers: { cookie } }), config)
  return { calls, open, readSession }
}

describe("createSessionFor without an adapter", () => {
  it("keeps the given user in the session and runs the jwt callback with the trigger signIn", async () => {
    const { open, readSession, calls } = application()
    const { cookie, user, isNewUser } = await open({ id: "7", ...ADA })
    expect([user, isNewUser]).toEqual([{ id: "7", ...ADA }, false])
    const account = { provider: "credentials", type: "credentials", providerAccountId: "7" }
    expect(await readSession(cookie)).toMatchObject({ user: { sub: "7", ...ADA, trigger: "signIn", account } })
    expect(calls).toEqual([])
  })

  it("passes the given account to the jwt callback, and generates the id that is missing", async () => {
    const { open, readSession } = application()
    const { cookie, user } = await open(ADA, { account: { provider: "github", type: "oauth", access_token: "t" } })
    const account = { provider: "github", type: "oauth", access_token: "t", providerAccountId: user.id }
    expect(await readSession(cookie)).toMatchObject({ user: { sub: expect.stringMatching(/^[\da-f-]{36}$/), account } })
  })
})

describe.each(["jwt", "database"] as const)("createSessionFor with an adapter and %s sessions", (strategy) => {
  const withStore = (adapter: Adapter) => application({ adapter, session: { strategy } })

  it("uses the stored user who has the given id, and ignores the other given fields", async () => {
    const adapter = MemoryAdapter()
    await adapter.createUser({ id: "7", ...ADA, emailVerified: null })
    const { open, readSession, calls } = withStore(adapter)
    const { user, isNewUser, cookie } = await open({ id: "7", name: "Other name" })
    expect([user.name, isNewUser]).toEqual(["Ada", false])
    expect(await readSession(cookie)).toMatchObject({ user: { name: "Ada" } })
    expect(calls).toEqual([])
  })

  it("uses the stored user who has the given address if no user has the id", async () => {
    const adapter = MemoryAdapter()
    await adapter.createUser({ id: "7", ...ADA, emailVerified: null })
    expect(await withStore(adapter).open({ id: "old-7", email: ADA.email })).toMatchObject({ user: { id: "7" } })
  })

  it("creates the given user if the adapter does not have it, and emits createUser", async () => {
    const adapter = MemoryAdapter()
    const { open, readSession, calls } = withStore(adapter)
    const emailVerified = new Date(0)
    const { user, isNewUser, cookie } = await open({ id: "7", ...ADA, emailVerified })
    expect([user, isNewUser]).toEqual([{ id: "7", ...ADA, emailVerified }, true])
    expect(await adapter.getUser("7")).toEqual(user)
    expect(await readSession(cookie)).toMatchObject({ user: { name: "Ada" } })
    expect(calls).toEqual([["createUser", { user }]])
  })

  it("creates one user for concurrent calls, with or without an address", async () => {
    const { open, calls } = withStore(MemoryAdapter())
    const opened = await Promise.all(
      [...Array(5).fill(ADA), ...Array(5).fill({ id: "8", name: "Bob" })].map((user) => open(user)),
    )
    expect(new Set(opened.map(({ user }) => user.id)).size).toBe(2)
    expect(calls).toHaveLength(2)
  })

  it("uses the user whom another process created at the same time", async () => {
    const { transaction: _, ...adapter } = MemoryAdapter()
    const createUser: Adapter["createUser"] = async (user) => {
      await adapter.createUser({ ...user, id: "theirs" })
      throw new Error("UNIQUE constraint failed: users.email")
    }
    expect(await withStore({ ...adapter, createUser }).open(ADA)).toMatchObject({
      user: { id: "theirs" },
      isNewUser: false,
    })
  })

  it("rejects with an AdapterError if the adapter fails", async () => {
    const createUser = () => Promise.reject(new Error("disk full"))
    const { transaction: _, ...adapter } = MemoryAdapter()
    await expect(withStore({ ...adapter, createUser }).open(ADA)).rejects.toThrow("adapter.createUser failed")
  })
})

describe("createSessionFor with an adapter", () => {
  it("ends the previous session of the browser", async () => {
    const { open, readSession } = application({ adapter: MemoryAdapter() })
    const { cookie } = await open({ id: "7", ...ADA })
    const next = await open({ id: "8", name: "Bob" }, { cookie })
    expect(await readSession(cookie)).toBeNull()
    expect(await readSession(next.cookie)).toMatchObject({ user: { name: "Bob" } })
  })

  it("rejects and names the method that the adapter lacks", async () => {
    const { getUserByEmail: _, ...adapter } = MemoryAdapter()
    const { open } = application({ adapter, session: { strategy: "jwt" } })
    await expect(open(ADA)).rejects.toThrow("the adapter lacks getUserByEmail")
  })
})
