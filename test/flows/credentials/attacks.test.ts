/** Attacks on a password form, in addition to `credentials.test.ts`. */
import { CredentialsSignin } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import type { Store } from "../../../lib/store/store.js"
import type { AuthConfig, User } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { describeServer, describeServers, recordingLogger } from "../../support/apps.js"
import { type SharedStore, sharedStore } from "../../support/shared-store.js"
import { attempt, attempts, type Fields, providerReading, times } from "../support/attempts.js"
import { guardProcess } from "../support/guard.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const CALLBACK = "/auth/callback/credentials"
const MALLORY = "mallory"

describeServers("CRD-01: guessing one user's password", (start) => {
  it.each<[string, string[], (i: number) => Fields]>([
    ["with a preceding field that the application ignores", ["username"], (i) => ({ user: `x${i}`, username: "ada" })],
    [
      "with a following field that the application prefers",
      ["email", "username"],
      (i) => ({ username: `x${i}`, email: "ada" }),
    ],
    [
      "with five preceding fields that the application ignores",
      ["username"],
      (i) => ({ user1: `a${i}`, user2: `b${i}`, user3: `c${i}`, user4: `d${i}`, user5: `e${i}`, username: "ada" }),
    ],
    ["with a new field name each time", ["username"], (i) => ({ [`account${i}`]: `x${i}`, username: "ada" })],
    [
      "with characters that some databases treat as equal",
      ["username"],
      (i) => ({ username: ["ada", "ａｄａ", "Àda", "a\u200bda", "a da", "ad\u0061\u0301", "ADA\u0000", "áda"][i % 8] }),
    ],
  ])("is stopped after ten attempts %s", async (_name, names, fields) => {
    const app = await start(configOf({ providers: [providerReading(names)] }))
    expect(await attempts(app, times(12, fields))).toEqual([...times(10, () => 302), 429, 429])
  })

  it("is stopped after ten of 40 concurrent attempts", async () => {
    const tried: string[] = []
    const app = await start(configOf({ providers: [providerReading(["username"], tried)] }))
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const pages = await Promise.all(
      times(40, () => browser.clone().post(CALLBACK, { csrfToken, username: "ada", password: "wrong" })),
    )
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(30)
    expect(tried).toHaveLength(10)
  })

  it("is not reset by the correct password of the attacker's own account", async () => {
    const app = await start(
      configOf({ providers: [providerReading(["username", "email"])], rateLimit: { attempts: 4 } }),
    )
    const guess = { email: "ada" }
    const own = { username: MALLORY, email: "ada", password: `right of ${MALLORY}` }
    const statuses = await attempts(app, [guess, guess, guess, own, guess, guess])
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
  })

  it.each(["adá", "ADA", "a da", "ad\u200ba"])(
    "is not reset by the correct password of %j, another user whose name is similar",
    async (twin) => {
      const app = await start(configOf({ providers: [providerReading(["username"])] }))
      const round = [...times(9, () => ({ username: "ada" })), { username: twin, password: `right of ${twin}` }]
      const statuses = await attempts(app, times(4, () => round).flat())
      expect(statuses.indexOf(429)).toBe(11)
      expect(new Set(statuses.slice(11))).toEqual(new Set([429]))
    },
  )

  it("does not lock out other users or users who share a field", async () => {
    const app = await start(configOf({ providers: [providerReading(["username"])], rateLimit: { attempts: 3 } }))
    const company = (username: string) => ({ account: "acme", username, password: `right of ${username}` })
    const users = times(12, (i) => company(`user-${i}`))
    expect(await attempts(app, users)).toEqual(users.map(() => 302))
    expect(
      await attempts(
        app,
        times(4, () => ({ ...company("eve"), account: "globex", password: "wrong" })),
      ),
    ).toContain(429)
    const browser = app.browser()
    await attempt(browser, company("ada"))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })
})

describeServer("CRD-01: attempts in a shared store", "Auth()", (start) => {
  const right = { username: "ada", password: "right of ada" }
  const account = ({ username }: Fields) => String(username)
  const startWith = (store: Store, rateLimit = {}) =>
    start(configOf({ providers: [providerReading(["username"])], store, rateLimit }))
  const attemptsIn = ({ counters }: SharedStore) =>
    [...counters].filter(([key]) => key.startsWith("attempts:")).map(([, count]) => count)

  it("are refunded after a correct password, one for each field, and no count is reset", async () => {
    const shared = sharedStore()
    const app = await startWith(shared.store)
    await attempts(app, [
      { username: "ada", account: "acme" },
      { ...right, account: "acme" },
    ])
    expect(attemptsIn(shared)).toEqual([1, 1])
    await attempts(app, [right])
    expect(attemptsIn(shared)).toEqual([1, 1])
  })

  it("are refunded after a correct password for the account that rateLimit.account returns", async () => {
    const shared = sharedStore()
    const app = await startWith(shared.store, { account })
    await attempts(app, [{ username: "ada" }, { username: "adá" }, right])
    expect(attemptsIn(shared)).toEqual([2])
  })

  it("are counted for one account if rateLimit.account returns the name with padding", async () => {
    const account = ({ username }: Fields) => String(username)
    const app = await start(configOf({ providers: [providerReading(["username"])], rateLimit: { account } }))
    const padded = [
      "ada",
      " ada",
      "ada  ",
      "\tada",
      "ADA",
      "ad\u200ba",
      "\u00a0ada",
      "adá",
      "ada\n",
      "a da",
      "ada",
      "ada ",
    ]
    const statuses = await attempts(
      app,
      padded.map((username) => ({ username })),
    )
    expect(statuses.indexOf(429)).toBe(10)
  })

  it("are not counted if rateLimit.account returns no account", async () => {
    const shared = sharedStore()
    const app = await startWith(shared.store, { account: ({ nick = "" }: Fields) => String(nick) })
    await attempts(app, [{ username: "bob" }, right])
    expect(attemptsIn(shared)).toEqual([])
  })
})

describeServers("CRD-03, CRD-04: unusual results and errors of authorize", (start) => {
  async function outcomeOf(authorize: () => unknown) {
    const log = recordingLogger()
    const signIns: unknown[] = []
    const provider = Credentials({ authorize: authorize as () => User })
    const config: AuthConfig = configOf({
      providers: [provider],
      logger: log.logger,
      events: { signIn: (message) => void signIns.push(message) },
    })
    const app = await start(config)
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const page = await browser.post(CALLBACK, { csrfToken })
    const records = log.records
    expect([sessionCookies(browser), signIns, records.length]).toEqual([[], [], 1])
    expect(records[0]?.error?.cause).toMatchObject({ provider: "credentials" })
    return page.location.slice(app.origin.length)
  }

  const coded = (code: unknown) => Object.assign(new CredentialsSignin(), { code })
  const PLAIN = "/auth/signin?error=CredentialsSignin&code=credentials"

  it.each<[string, () => Error]>([
    ["of a frozen error", () => Object.freeze(coded("S3CRET! is wrong"))],
    ["that is not writable", () => Object.defineProperty(coded("x"), "code", { value: "S3CRET!", writable: false })],
    [
      "whose getter throws",
      () =>
        Object.defineProperty(coded("x"), "code", {
          get: () => {
            throw new Error("S3CRET!")
          },
        }),
    ],
    ["that is a list", () => coded(["custom"])],
    ["that is an object", () => coded({ toString: () => "custom" })],
  ])("CRD-03: an invalid code is replaced: a code %s", async (_name, make) => {
    expect(
      await outcomeOf(() => {
        throw make()
      }),
    ).toBe(PLAIN)
  })

  it("CRD-03: the valid code of a frozen error is kept", async () => {
    const location = await outcomeOf(() => {
      throw Object.freeze(coded("locked-out"))
    })
    expect(location).toBe("/auth/signin?error=CredentialsSignin&code=locked-out")
  })

  it.each<[string, unknown]>([
    ["true", true],
    ["a name", "ada"],
    ["a number", 7],
    ["a list", [{ id: "7" }]],
    ["a function", () => ({ id: "7" })],
  ])("CRD-04: refuses %s as a user", async (_name, user) => {
    expect(await outcomeOf(() => user)).toBe("/auth/error?error=Configuration")
  })

  it.each<[string, () => unknown]>([
    ["a Response", () => Response.json({ id: "7" }, { status: 401 })],
    [
      "an error that is its own cause",
      () =>
        Object.assign(new Error("S3CRET!"), {
          get cause() {
            return this
          },
        }),
    ],
    [
      "an object whose getters throw",
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("S3CRET!")
            },
          },
        ),
    ],
    ["a symbol", () => Symbol("S3CRET!")],
  ])("CRD-04: treats a thrown value as an application error: %s", async (_name, make) => {
    expect(
      await outcomeOf(() => {
        throw make()
      }),
    ).toBe("/auth/error?error=Configuration")
  })
})
