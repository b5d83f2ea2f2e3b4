/** A new sign-in updates the tokens that are stored with the account. */
import type { AdapterAccount } from "../../../lib/adapters/adapter.js"
import { describeServer } from "../../support/apps.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

describeStores("stored tokens of an account", (kind) => {
  describeServer(kind.name, "Express 5", (start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    async function startWith(adapter = store.adapter, keepTokens = false) {
      const config = { adapter, rateLimit: false, session: { strategy: "database" } } as const
      const providers = [op.oidc({ keepTokens })]
      return (await startSite({ start, stage: "Express 5", op }, { providers, config, sessions: "jwt" })).app
    }
    const readAccount = async (): Promise<AdapterAccount | undefined> => {
      const user = await store.adapter.getUserByEmail("alice@example.com")
      return user ? (await store.adapter.listAccountsByUserId(user.id))[0] : undefined
    }

    it("are replaced at each sign-in, with the email address that the provider verified", async () => {
      const app = await startWith()
      await signIn(app.browser(), op)
      const first = await readAccount()
      expect(first?.access_token).toBeDefined()
      await store.adapter.updateAccount({ ...(first as AdapterAccount), refresh_token: "kept", verifiedEmail: "old" })
      const browser = app.browser()
      await signIn(browser, op)
      const second = await readAccount()
      expect(second?.access_token).not.toBe(first?.access_token)
      expect(second?.verifiedEmail).toBe("alice@example.com")
      expect(["kept", first?.refresh_token, undefined]).not.toContain(second?.refresh_token)
      expect(second?.userId).toBe(first?.userId)
      expect(await sessionOf(browser)).not.toBeNull()
    })

    it("are removed from the adapter by the first sign-in with keepTokens", async () => {
      await signIn((await startWith()).browser(), op)
      expect(await readAccount()).toMatchObject({ access_token: expect.any(String), id_token: expect.any(String) })
      await signIn((await startWith(store.adapter, true)).browser(), op)
      const { access_token, refresh_token, id_token, scope } = (await readAccount()) ?? {}
      expect([access_token, refresh_token, id_token].filter(Boolean)).toEqual([])
      expect(scope).toBe("openid profile email")
    })

    it("stay the same if the adapter has no updateAccount", async () => {
      const { updateAccount: _, transaction: __, ...adapter } = store.adapter
      const app = await startWith(adapter as OpenStore["adapter"])
      await signIn(app.browser(), op)
      const first = await readAccount()
      const browser = app.browser()
      await signIn(browser, op)
      expect(await readAccount()).toEqual(first)
      expect(await sessionOf(browser)).not.toBeNull()
    })
  })
})
