import Credentials from "../../lib/providers/credentials.js"
import { guardProcess } from "../flows/support/guard.js"
import { describeServer, type Start } from "../support/apps.js"
import { describeStores, type OpenStore, STORES, type Store } from "../support/stores.js"
import { startRace, times } from "./support/races.js"

guardProcess()

const ATTEMPTS = 7
const SHARED = STORES.filter(({ name }) => name !== "memory")

describeStores(
  "100 concurrent guesses at one password, in three processes",
  (kind: Store) => {
    describeServer(kind.name, "Express 5", (start: Start) => {
      let store: OpenStore
      beforeEach(async () => {
        store = await kind.create()
      })
      afterEach(() => store.close())

      it("reach the application as often as rateLimit.attempts allows, and the others are answered with 429", async () => {
        const checked: unknown[] = []
        const provider = Credentials({
          credentials: { username: {}, password: { type: "password" } },
          authorize(fields) {
            checked.push(fields.password)
            return null
          },
        })
        const { store: shared } = store.adapter
        const rateLimit = { attempts: ATTEMPTS, windowSeconds: 60 }
        const race = await startRace(start, { providers: [provider], store: shared, rateLimit }, 3)
        const csrf = await Promise.all(
          times(100, async (index) => {
            const browser = race.appOf(index).browser()
            return { browser, csrfToken: await browser.csrf() }
          }),
        )
        const pages = await Promise.all(
          csrf.map(({ browser, csrfToken }, index) =>
            browser.post("/auth/callback/credentials", { csrfToken, username: "ada", password: `guess ${index}` }),
          ),
        )
        expect(new Set(checked).size).toBe(ATTEMPTS)
        expect(pages.filter(({ location }) => location.includes("error=CredentialsSignin"))).toHaveLength(ATTEMPTS)
        expect(pages.filter(({ status }) => status === 429)).toHaveLength(100 - ATTEMPTS)
        expect(race.errors()).toEqual([])
      })
    })
  },
  SHARED,
)
