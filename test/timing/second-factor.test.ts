/**
 * The response time of the first step of a sign-in does not reveal whether the user has a second factor. Counting calls
 * detects each additional query. Measuring times, with real stores, detects other work that takes long.
 *
 * @module
 */
import type { BuiltInAdapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import Credentials from "../../lib/providers/credentials.js"
import Passkey from "../../lib/providers/passkey.js"
import { MemoryStore } from "../../lib/store/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import { askForLink, mailbox } from "../flows/support/mail.js"
import { distanceOf } from "../support/answer-times.js"
import { describeServer, recordingLogger, type Start, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { enrol } from "../support/second-factor.js"
import { describeStores, type OpenStore, STORES } from "../support/stores.js"
import { CallCounter } from "./support/counting.js"
import { isStrict } from "./support/strictness.js"

const MEASURE = isStrict ? { requests: 2_000, enough: 0.05 } : { requests: 100, enough: 0.25, quantile: 0.25 }

jest.setTimeout(isStrict ? 600_000 : 120_000)

const USERS = 20
/** Users with and without a second factor, whose addresses have the same length. */
const KINDS = ["enrolled", "password"] as const
const addressOf = (kind: string, number: number) => `${kind}-${String(number % USERS).padStart(4, "0")}@example.com`

/** The requests that start a sign-in with an address. Each checks its response. */
const STEPS: Readonly<Record<string, (browser: Browser, csrfToken: string, email: string) => Promise<unknown>>> = {
  async "a wrong password"(browser, csrfToken, email) {
    const page = await browser.clone().post("/auth/callback/credentials", { csrfToken, email, password: "wrong" })
    expect(page.location).toContain("error=CredentialsSignin")
  },
  async "the request for a link"(browser, csrfToken, email) {
    const page = await browser.clone().post("/auth/signin/mail", { csrfToken, email })
    expect(page.location).toContain("/auth/verify-request")
  },
  async "the options of a passkey"(browser, _csrfToken, email) {
    const query = new URLSearchParams({ action: "authenticate", email })
    expect((await browser.get(`/auth/webauthn-options/passkey?${query}`)).status).toBe(200)
  },
}

/** Starts a site, signs up the users of both kinds, and returns a browser. */
async function startSite(start: Start, { adapter, ...more }: Pick<AuthConfig, "store"> & { adapter: BuiltInAdapter }) {
  const mail = mailbox({ emailCode: true })
  const app = await start({
    secret: TEST_SECRET,
    adapter,
    ...more,
    logger: recordingLogger().logger,
    rateLimit: false,
    secondFactor: { required: ({ email }) => Boolean(email?.startsWith("enrolled")) },
    providers: [
      mail.provider,
      Passkey,
      Credentials({
        credentials: { email: { type: "email" }, password: { type: "password" } },
        authorize: async ({ email, password }) => {
          const user = await adapter.getUserByEmail(String(email))
          return password === "right" ? user : null
        },
      }),
    ],
  })
  for (let number = 0; number < USERS; number++)
    for (const kind of KINDS) {
      const visitor = app.browser()
      await askForLink(visitor, addressOf(kind, number))
      await visitor.get(mail.linkTo(addressOf(kind, number)))
      if (kind === "enrolled") expect((await enrol(visitor)).recoveryCodes).toHaveLength(10)
    }
  return app.browser()
}

describeServer(
  "The number of calls of the adapter and the store does not depend on a second factor",
  "Auth()",
  (start) => {
    it.each(Object.keys(STEPS))("in the response to %s", async (name) => {
      const calls = new CallCounter()
      const browser = await startSite(start, { adapter: calls.wrap(MemoryAdapter()), store: calls.wrap(MemoryStore()) })
      const csrfToken = await browser.csrf()
      const counts = await calls.during(KINDS, async (kind) => STEPS[name]?.(browser, csrfToken, addressOf(kind, 0)))
      expect(counts.password).toBeGreaterThan(0)
      expect(counts.enrolled).toBe(counts.password)
    })
  },
)

describeStores(
  "The response time of the first step",
  (store) => {
    let opened: OpenStore
    beforeAll(async () => {
      opened = await store.create()
    })
    afterAll(() => opened.close())

    describeServer("does not depend on a second factor", "Auth()", (start) => {
      let browser: Browser
      beforeAll(async () => {
        browser = await startSite(start, { adapter: opened.adapter })
      })

      it.each(Object.keys(STEPS))("in the response to %s", async (name) => {
        const csrfToken = await browser.csrf()
        const ask = async (kind: string, number: number) => STEPS[name]?.(browser, csrfToken, addressOf(kind, number))
        expect(await distanceOf({ ask, kinds: KINDS, ...MEASURE })).toBeLessThan(MEASURE.enough)
      })
    })
  },
  STORES.filter(({ name }) => isStrict || name === "PostgreSQL"),
)
