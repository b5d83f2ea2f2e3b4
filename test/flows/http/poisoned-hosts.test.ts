/**
 * Sign-in links: forged Host headers on every server, and wrong tokens and concurrent requests on every database.
 *
 * @module
 */
import { authHandlers } from "../../../lib/index.js"
import { configOf, withEnv } from "../../express/support/servers.js"
import { describeServer, describeServers, type StageName } from "../../support/apps.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, errorOf, type Mailbox, mailbox, openLink, startMailSite } from "../support/mail.js"
import { memoryStore } from "../support/memory-adapter.js"
import { param, sessionCookies, sessionOf, withParams } from "../support/site.js"

guardProcess()

const ADA = "ada@app.test"
/** Headers that name the host, which clients can forge. */
const EVIL: [string, Record<string, string>][] = [
  ["Host", { host: "evil.test" }],
  ["Host with a port", { host: "evil.test:443" }],
  ["X-Forwarded-Host", { "x-forwarded-host": "evil.test" }],
  ["several values of X-Forwarded-Host", { "x-forwarded-host": "app.test, evil.test" }],
  ["X-Forwarded-Host and -Proto", { "x-forwarded-host": "evil.test", "x-forwarded-proto": "http" }],
  ["Forwarded", { forwarded: "for=1.2.3.4;host=evil.test;proto=http" }],
  [
    "X-Original-Host and similar headers",
    { "x-original-host": "evil.test", "x-host": "evil.test", "x-original-url": "//evil.test/" },
  ],
]

describeServers("ADV-01: a sign-in link", (start, stage) => {
  it.each(EVIL)("ADV-01: has this site's origin if the client forges %s", async (_, headers) => {
    const AUTH_URL = "https://app.test/auth"
    const run = async () => {
      const site = await startMailSite(start, { start: { origin: "https://app.test" } })
      const browser = site.browser({ headers: { origin: "https://app.test", ...headers } })
      await askForLink(browser, ADA)
      const link = new URL(site.mail.linkTo(ADA))
      expect([link.origin, link.pathname]).toEqual(["https://app.test", "/auth/callback/mail"])
      expect(link.href + JSON.stringify(site.mail.sent)).not.toContain("evil")
      expect((await browser.get(link.href)).location).toBe("https://app.test/")
    }
    // `Auth()` does not read the environment: the request's URL determines the origin.
    await (stage === "Auth()" ? run() : withEnv({ AUTH_URL }, run))
  })

  if (stage === "Auth()")
    it.each(EVIL)(
      "ADV-01: has the origin of AUTH_URL with authHandlers if the client forges the request's URL and %s",
      async (_, headers) => {
        const mail = mailbox()
        const { GET, POST } = withEnv({ AUTH_URL: "https://app.test/auth" }, () =>
          authHandlers(configOf({ providers: [mail.provider], adapter: memoryStore().adapter })),
        )
        const page = await GET(new Request("http://evil.test/auth/csrf", { headers }))
        const { csrfToken } = Object(await page?.json())
        const cookie =
          page?.headers
            .getSetCookie()
            .map((header) => header.split(";")[0])
            .join("; ") ?? ""
        const body = new URLSearchParams({ csrfToken, email: ADA })
        const requested = await POST(
          new Request("http://evil.test/auth/signin/mail", { method: "POST", body, headers: { cookie, ...headers } }),
        )
        expect(requested?.headers.get("location")).toMatch(/^https:\/\/app\.test\/auth\/verify-request/)
        expect(mail.linkTo(ADA)).toMatch(/^https:\/\/app\.test\/auth\/callback\/mail\?/)
        expect(JSON.stringify(mail.sent)).not.toContain("evil")
      },
    )
})

/** Each database is tested with a server that no other test combines with it. */
const STAGES: Readonly<Record<string, StageName>> = { SQLite: "Connect", PostgreSQL: "Express 4", MariaDB: "Connect" }

describeStores("A sign-in link", (kind) => {
  describeServer(kind.name, STAGES[kind.name] ?? "Express 4", (start) => {
    let store: OpenStore
    let mail: Mailbox
    beforeEach(async () => {
      store = await kind.create()
      mail = mailbox()
    })
    afterEach(() => store.close())

    const open = () =>
      start(
        configOf({
          adapter: store.adapter,
          providers: [mail.provider],
          rateLimit: false,
          session: { strategy: "database" },
        }),
      )

    it("ADV-10: is refused with a wrong token, and works once with the right token", async () => {
      const app = await open()
      const [browser, thief] = [app.browser(), app.browser()]
      await askForLink(browser, ADA)
      const link = mail.linkTo(ADA)
      const right = param(link, "token")
      await askForLink(thief, "eve@app.test")
      const tokens = [
        "wrong",
        right.toUpperCase(),
        `${right}0`,
        right.slice(1),
        "%",
        param(mail.linkTo("eve@app.test"), "token"),
      ]
      for (const token of tokens)
        expect(errorOf(await openLink(thief, withParams(link, { token })))).toBe("Verification")
      expect([sessionCookies(thief), (await store.counts()).sessions]).toEqual([[], 0])
      await browser.get(link)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
      expect(errorOf(await confirmLink(thief, link))).toBe("Verification")
      expect((await store.counts()).sessions).toBe(1)
    })

    it("ADV-24: creates one session for two concurrent requests, in each of ten attempts", async () => {
      const app = await open()
      for (let i = 0; i < 10; i++) {
        const [browser, address] = [app.browser(), `user-${i}@example.com`]
        await askForLink(browser, address)
        const [clone, link] = [browser.clone(), mail.linkTo(address)]
        const pages = await Promise.all([browser.get(link), clone.get(link)])
        expect(pages.map(errorOf).sort()).toEqual(["", "Verification"])
        expect([...sessionCookies(browser), ...sessionCookies(clone)]).toHaveLength(1)
      }
      expect(await store.counts()).toEqual({ users: 10, accounts: 0, sessions: 10, links: 0 })
    }, 40_000)
  })
})
