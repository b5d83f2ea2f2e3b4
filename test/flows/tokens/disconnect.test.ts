/** `disconnectAccount` and `deleteUser`, with the tokens of the accounts. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { deleteUser, disconnectAccount, getAccessToken, listSessions } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { guardProcess } from "../support/guard.js"
import { begin } from "../support/site.js"

guardProcess()

let op: RealProvider
beforeAll(async () => {
  op = await startRealProvider()
})
afterAll(() => op.close())

const OFFLINE = { params: { scope: "openid email offline_access", prompt: "consent" } }

describeServer("accounts with tokens", "Express 5", (start) => {
  /** Signs in Alice. With `hasPasswords`, users can sign in with a password too. */
  async function open({ hasPasswords = false, options = {}, store = MemoryStore() } = {}) {
    const adapter = MemoryAdapter()
    const { logger, records } = recordingLogger()
    const client = await op.addClient({ client_id: "app", client_secret: "s".repeat(40), redirect_uris: [] })
    const passwords = Credentials({
      ...{ id: "password", credentials: {} },
      authorize: () => adapter.getUserByEmail("alice@example.com"),
    })
    const config: AuthConfig = {
      providers: [op.oidc({ authorization: OFFLINE, ...options }), ...(hasPasswords ? [passwords] : [])],
      session: { strategy: "jwt" },
      secret: TEST_SECRET,
      adapter,
      logger,
      store,
    }
    const app = await start(config)
    await op.addClient({ ...client, redirect_uris: [`${app.origin}/auth/callback/real`] })
    const browser = app.browser()
    const { location } = await begin(browser, { id: "real" })
    await browser.get(await signInAtProvider(app.browser(), location, "alice"))
    const owner = (await adapter.getUserByEmail("alice@example.com"))?.id ?? ""
    const countAccounts = async () => (await adapter.listAccountsByUserId(owner)).length
    op.requests.length = 0
    records.length = 0
    return { config, owner, browser, adapter, countAccounts, records }
  }
  const ALICE = { provider: "real", providerAccountId: "alice" }
  const revocations = () => op.requests.filter(({ path }) => path === "/token/revocation").length
  const userinfo = async (token: string) =>
    (await fetch(`${op.issuer}/me`, { headers: { authorization: `Bearer ${token}` } })).status

  it("are disconnected, and their tokens are deleted and revoked at the provider", async () => {
    const { config, owner, countAccounts } = await open({ hasPasswords: true })
    const token = await getAccessToken(config, { owner, provider: "real" })
    expect(await userinfo(token)).toBe(200)
    expect(await disconnectAccount(config, owner, ALICE)).toBe(true)
    expect([await countAccounts(), revocations(), await userinfo(token)]).toEqual([0, 1, 401])
    await expect(getAccessToken(config, { owner, provider: "real" })).rejects.toMatchObject({
      type: "ReauthenticationRequired",
    })
    expect(await disconnectAccount(config, owner, ALICE)).toBe(false)
  })

  it("end the user's sessions except the given one when they are disconnected", async () => {
    const { config, owner, browser } = await open({ hasPasswords: true })
    const [session] = await listSessions(config, owner)
    expect(await disconnectAccount(config, owner, ALICE, { except: session?.id ?? "" })).toBe(true)
    expect(await (await browser.get("/me")).text()).not.toBe("null")
  })

  it("are disconnected by a second call if the store fails to end the user's sessions", async () => {
    const memory = MemoryStore()
    let isFailing = true
    const set: typeof memory.set = async (kind, ...rest) => {
      if (isFailing && kind === "session-cutoff") throw new Error("the connection was lost")
      return memory.set(kind, ...rest)
    }
    const { config, owner, countAccounts } = await open({ hasPasswords: true, store: { ...memory, set } })
    await expect(disconnectAccount(config, owner, ALICE)).rejects.toMatchObject({ status: 503 })
    expect([await countAccounts(), (await listSessions(config, owner)).length]).toEqual([1, 1])
    isFailing = false
    expect(await disconnectAccount(config, owner, ALICE)).toBe(true)
    expect([await countAccounts(), (await listSessions(config, owner)).length]).toEqual([0, 0])
  })

  it("lose their tokens and sessions at a second call if the store fails after the account was unlinked", async () => {
    const memory = MemoryStore()
    let isFailing = false
    const get: typeof memory.get = async (kind, key) => {
      if (isFailing && kind === "token") throw new Error("the connection was lost")
      return memory.get(kind, key)
    }
    const { config, owner, browser, countAccounts } = await open({ hasPasswords: true, store: { ...memory, get } })
    isFailing = true
    await expect(disconnectAccount(config, owner, ALICE)).rejects.toMatchObject({ status: 503 })
    expect([await countAccounts(), revocations()]).toEqual([0, 0])
    await browser.post("/auth/callback/password", { csrfToken: await browser.csrf() })
    expect(await listSessions(config, owner)).toHaveLength(1)
    isFailing = false
    expect(await disconnectAccount(config, owner, ALICE)).toBe(false)
    expect([revocations(), (await listSessions(config, owner)).length]).toEqual([1, 0])
  })

  it("are not disconnected if the user could no longer sign in", async () => {
    const { config, owner, countAccounts } = await open()
    await expect(disconnectAccount(config, owner, ALICE)).rejects.toMatchObject({ type: "BadRequest", status: 400 })
    expect([await countAccounts(), revocations()]).toEqual([1, 0])
    await expect(getAccessToken(config, { owner, provider: "real" })).resolves.toEqual(expect.any(String))
  })

  it("are disconnected even if the provider can't be reached, and the failure is logged", async () => {
    const conformMetadata = (metadata: Record<string, unknown>) => ({
      ...metadata,
      revocation_endpoint: "http://127.0.0.1:9/revocation",
    })
    const { config, owner, countAccounts, records } = await open({ hasPasswords: true, options: { conformMetadata } })
    expect(await disconnectAccount(config, owner, ALICE)).toBe(true)
    expect(await countAccounts()).toBe(0)
    expect(records).toHaveLength(1)
  })

  it("lose their tokens, which are revoked at the provider, when the user is deleted", async () => {
    const { config, owner, adapter } = await open()
    const token = await getAccessToken(config, { owner, provider: "real" })
    await deleteUser(config, owner)
    expect(await adapter.getUser(owner)).toBeNull()
    expect([revocations(), await userinfo(token)]).toEqual([1, 401])
    await expect(getAccessToken(config, { owner, provider: "real" })).rejects.toMatchObject({
      type: "ReauthenticationRequired",
    })
  })
})
