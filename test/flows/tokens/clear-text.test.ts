/** No store contains a provider token in clear text: after sign-ins, renewals, and the migration of earlier tokens. */
import type { AdapterAccount, ClearTextTokenAccess } from "../../../lib/adapters/adapter.js"
import { sealTokens } from "../../../lib/cli/seal-tokens.js"
import { getAccessToken } from "../../../lib/index.js"
import { requireRuntime } from "../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { describeStores, type OpenStore, STORES } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const HOUR_MS = 3_600_000

/** The access tokens, refresh tokens and id_tokens that the provider has issued. */
const issuedTokens = () => [...op.secrets].filter((text) => /^(at-|rt-|eyJ)/.test(text))

/** The kinds of tokens in a text. */
const kindsIn = (text: string) =>
  [...new Set(issuedTokens().flatMap((token) => (text.includes(token) ? [token.slice(0, 3)] : [])))].sort()

function createConfig(store: OpenStore, keepTokens: boolean, clock = Date.now): AuthConfig {
  const { logger } = recordingLogger()
  const providers = [op.oidc({ keepTokens })]
  return { providers, logger, secret: TEST_SECRET, adapter: store.adapter, clock, session: { strategy: "database" } }
}

describeStores("provider tokens", (kind) => {
  describeServer(kind.name, "Express 5", (start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
      op.secrets.clear()
      op.set({ token: (json) => ({ ...json, expires_in: 3600 }) })
    })
    afterEach(() => store.close())

    it("are not in clear text after sign-ins and a renewal", async () => {
      const time = { now: Date.now() }
      const config = createConfig(store, true, () => time.now)
      const app = await start(config)
      const browser = app.browser()
      await signIn(browser, op)
      await signIn(browser, op)
      const owner = (await store.adapter.getUserByEmail("alice@example.com"))?.id ?? ""
      time.now += HOUR_MS
      op.set({ clockOffsetSeconds: 3_600 })
      const renewed = await getAccessToken(config, { owner, provider: "oidc" })
      expect(issuedTokens().length).toBeGreaterThan(7)
      expect(issuedTokens()).toContain(renewed)
      expect(await store.adapter.getAccount("alice", "oidc")).toMatchObject({ userId: owner })
      expect(kindsIn(await store.dump())).toEqual([])
    })
  })
})

describeStores(
  "provider tokens of earlier sign-ins",
  (kind) => {
    describeServer(kind.name, "Express 5", (start) => {
      let store: OpenStore
      beforeEach(async () => {
        store = await kind.create()
        op.secrets.clear()
        op.set({ token: (json) => ({ ...json, expires_in: 3600 }) })
      })
      afterEach(() => store.close())

      /** Signs in a user whose tokens the adapter stores. Returns the user's id and the access token. */
      async function signInBefore(): Promise<{ owner: string; token: string | undefined }> {
        const app = await start(createConfig(store, false))
        await signIn(app.browser(), op)
        const owner = (await store.adapter.getUserByEmail("alice@example.com"))?.id ?? ""
        const account = await store.adapter.getAccount("alice", "oidc")
        return { owner, token: account?.access_token }
      }
      const seal = (config: AuthConfig) => sealTokens(requireRuntime(config))

      it("are moved into the store, can be used and renewed, and are then not in clear text", async () => {
        const { owner, token } = await signInBefore()
        expect(kindsIn(await store.dump())).toEqual(["at-", "eyJ", "rt-"])
        const time = { now: Date.now() }
        const config = createConfig(store, true, () => time.now)
        expect(await seal(config)).toEqual({ moved: 1, removed: 0, skipped: 0 })
        expect(kindsIn(await store.dump())).toEqual([])
        const request = { owner, provider: "oidc" }
        expect(await getAccessToken(config, request)).toBe(token)
        time.now += HOUR_MS
        op.set({ clockOffsetSeconds: 3_600 })
        const renewed = await getAccessToken(config, request)
        expect([renewed.slice(0, 3), renewed === token]).toEqual(["at-", false])
        expect(await seal(config)).toEqual({ moved: 0, removed: 0, skipped: 0 })
        expect(kindsIn(await store.dump())).toEqual([])
        expect(await store.adapter.getAccount("alice", "oidc")).toMatchObject({ userId: owner, type: "oidc" })
      })

      it("are in neither place if the account is deleted while they are moved", async () => {
        const { owner } = await signInBefore()
        const adapter = Object.create(store.adapter, {
          removeAccountTokens: {
            value: async (account: AdapterAccount) => {
              await store.adapter.unlinkAccount?.(account)
              return Reflect.get(store.adapter, "removeAccountTokens").call(store.adapter, account)
            },
          },
        })
        const config = { ...createConfig(store, true), adapter }
        expect(await seal(config)).toEqual({ moved: 0, removed: 1, skipped: 0 })
        await expect(getAccessToken(config, { owner, provider: "oidc" })).rejects.toThrow("there is no token")
        expect(kindsIn(await store.dump())).toEqual([])
      })

      it("are bound to the subject of their id_token: a renewal for another user is refused", async () => {
        const { owner } = await signInBefore()
        const config = createConfig(store, true, () => Date.now() + HOUR_MS)
        await seal(config)
        op.set({ clockOffsetSeconds: 3_600, claims: (claims) => ({ ...claims, sub: "bob" }) })
        await expect(getAccessToken(config, { owner, provider: "oidc" })).rejects.toMatchObject({
          type: "ReauthenticationRequired",
        })
      })

      it("are renewed if the adapter has only the refresh token", async () => {
        const { owner } = await signInBefore()
        const account = await store.adapter.getAccount("alice", "oidc")
        // The type of Auth.js does not allow null, but a column without a token contains it.
        const removed = { access_token: null, id_token: null, expires_at: null } as object
        if (account) await store.adapter.updateAccount({ ...account, ...removed })
        const config = createConfig(store, true)
        expect(await seal(config)).toEqual({ moved: 1, removed: 0, skipped: 0 })
        expect(await getAccessToken(config, { owner, provider: "oidc" })).toMatch(/^at-/)
      })

      it("are removed if a later sign-in has put newer tokens into the store, and the newer tokens stay", async () => {
        const { owner } = await signInBefore()
        const account = await store.adapter.getAccount("alice", "oidc")
        const config = createConfig(store, true)
        const app = await start(config)
        await signIn(app.browser(), op)
        const newer = await getAccessToken(config, { owner, provider: "oidc" })
        // A process that is interrupted, or that is not yet configured with the store, leaves the earlier tokens.
        if (account) await store.adapter.updateAccount(account)
        expect(kindsIn(await store.dump())).toEqual(["at-", "eyJ", "rt-"])
        expect(await seal(config)).toEqual({ moved: 0, removed: 1, skipped: 0 })
        expect(kindsIn(await store.dump())).toEqual([])
        expect(await getAccessToken({ ...config }, { owner, provider: "oidc" })).toBe(newer)
      })

      it("stay in the adapter with keepTokens: false, and if their provider is not configured", async () => {
        await signInBefore()
        const before = await store.dump()
        expect(await seal(createConfig(store, false))).toEqual({ moved: 0, removed: 0, skipped: 1 })
        const other = { ...createConfig(store, true), providers: [op.oidc({ id: "other" })] }
        expect(await seal(other)).toEqual({ moved: 0, removed: 0, skipped: 1 })
        expect(kindsIn(before)).toEqual(kindsIn(await store.dump()))
      })

      it("stay in the account if they change between the read and the removal", async () => {
        await signInBefore()
        const account = await store.adapter.getAccount("alice", "oidc")
        const { removeAccountTokens } = store.adapter as unknown as ClearTextTokenAccess
        if (!account) throw new Error("there is no account")
        await store.adapter.updateAccount({ ...account, refresh_token: "rt-newer" })
        expect(await removeAccountTokens(account)).toMatchObject({ refresh_token: "rt-newer" })
        expect(await store.adapter.getAccount("alice", "oidc")).toMatchObject({ access_token: account.access_token })
        expect(await removeAccountTokens({ ...account, userId: "another" })).toBeNull()
      })
    })
  },
  STORES.filter(({ name }) => name !== "memory"),
)
