/** How a hostile client goes about a form with a password, beside what `credentials.test.ts` has. */
import { CredentialsSignin } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import type { RateLimiter } from "../../lib/security/rate-limit.js"
import type { AuthConfig, User } from "../../lib/types.js"
import { configOf } from "../express/support/servers.js"
import { describeServer, describeServers, recordingLogger } from "../support/apps.js"
import { attempt, attempts, type Fields, reading, times } from "./support/attempts.js"
import { guardProcess } from "./support/guard.js"
import { sessionCookies, sessionOf } from "./support/site.js"

guardProcess()

const CALLBACK = "/auth/callback/credentials"
const MALLORY = "mallory"

describeServers("CRD-01: guessing one person's password", (start) => {
  it.each<[string, string[], (i: number) => Fields]>([
    [
      "with a field before that the application does not read",
      ["username"],
      (i) => ({ user: `x${i}`, username: "ada" }),
    ],
    [
      "with a field behind that the application prefers",
      ["email", "username"],
      (i) => ({ username: `x${i}`, email: "ada" }),
    ],
    ["with a field of a new name each time", ["username"], (i) => ({ [`account${i}`]: `x${i}`, username: "ada" })],
    [
      "with letters that some databases take for the same",
      ["username"],
      (i) => ({ username: ["ada", "ａｄａ", "Àda", "a\u200bda", "a da", "ad\u0061\u0301", "ADA\u0000", "áda"][i % 8] }),
    ],
  ])("ends after ten attempts %s", async (_name, names, fields) => {
    const app = await start(configOf({ providers: [reading(names)] }))
    expect(await attempts(app, times(12, fields))).toEqual([...times(10, () => 302), 429, 429])
  })

  it("ends after ten attempts that come at once", async () => {
    const tried: string[] = []
    const app = await start(configOf({ providers: [reading(["username"], tried)] }))
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const pages = await Promise.all(
      times(40, () => browser.clone().post(CALLBACK, { csrfToken, username: "ada", password: "wrong" })),
    )
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(30)
    expect(tried).toHaveLength(10)
  })

  it("is not begun anew by a right password of one's own", async () => {
    const app = await start(configOf({ providers: [reading(["username", "email"])], rateLimit: { attempts: 4 } }))
    const guess = { email: "ada" }
    const own = { username: MALLORY, email: "ada", password: `right of ${MALLORY}` }
    const statuses = await attempts(app, [guess, guess, guess, own, guess, guess])
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
  })

  it.each(["adá", "ADA", "a da", "ad\u200ba"])(
    "is not begun anew by a right password of %j, who is somebody else where names are compared exactly",
    async (twin) => {
      const app = await start(configOf({ providers: [reading(["username"])] }))
      const round = [...times(9, () => ({ username: "ada" })), { username: twin, password: `right of ${twin}` }]
      const statuses = await attempts(app, times(4, () => round).flat())
      expect(statuses.indexOf(429)).toBe(11)
      expect(new Set(statuses.slice(11))).toEqual(new Set([429]))
    },
  )

  it("keeps nobody else out, nor people who share a field", async () => {
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { attempts: 3 } }))
    const company = (username: string) => ({ account: "acme", username, password: `right of ${username}` })
    const people = times(12, (i) => company(`person-${i}`))
    expect(await attempts(app, people)).toEqual(people.map(() => 302))
    const browser = app.browser()
    await attempt(browser, company("ada"))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })
})

describeServer("CRD-01: a limiter of the application's own", "Auth()", (start) => {
  /** Counts as `rate-limiter-flexible` does. */
  function counting(points: number) {
    const counts = new Map<string, number>()
    const change = (key: string, by: number) => {
      const count = (counts.get(key) ?? 0) + by
      counts.set(key, count)
      return count
    }
    return {
      counts,
      consume: async (key: string) => {
        if (change(key, 1) > points) throw { msBeforeNext: 1_000 }
      },
      delete: async (key: string) => void counts.delete(key),
      reward: async (key: string) => void change(key, -1),
    }
  }

  const right = { username: "ada", password: "right of ada" }
  const account = ({ username }: Fields) => String(username)

  it("gets a point back for each field of a right attempt, and forgets nothing", async () => {
    const limiter = counting(10)
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { limiter } }))
    await attempts(app, [
      { username: "ada", account: "acme" },
      { ...right, account: "acme" },
    ])
    expect([...limiter.counts.values()]).toEqual([1, 1])
    await attempts(app, [right])
    expect([...limiter.counts.values()]).toEqual([1, 1])
  })

  it("forgets an account that the application names itself", async () => {
    const limiter = counting(10)
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { limiter, account } }))
    await attempts(app, [{ username: "ada" }, { username: "adá" }, right])
    expect([...limiter.counts.values()]).toEqual([1])
  })

  it("gets a point back where it can forget nothing", async () => {
    const { consume, reward, counts } = counting(10)
    const limiter: RateLimiter = { consume, reward }
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { limiter, account } }))
    await attempts(app, [{ username: "ada" }, right])
    expect([...counts.values()]).toEqual([1])
  })

  it("counts together what the application's own function returns for padded names", async () => {
    const account = ({ username }: Fields) => String(username)
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { account } }))
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

  it("is not asked where the application names no account", async () => {
    const limiter = counting(10)
    const config = { limiter, account: ({ nick = "" }: Fields) => String(nick) }
    const app = await start(configOf({ providers: [reading(["username"])], rateLimit: config }))
    await attempts(app, [{ username: "bob" }, right])
    expect([...limiter.counts.values()]).toEqual([])
  })

  it.each(["consume", "delete"] as const)(
    "without a way to give points back keeps its counts, and lets the right one in: it has %s",
    async (method) => {
      const { consume, counts, ...others } = counting(10)
      const limiter: RateLimiter = { consume, ...(method === "delete" && { delete: others.delete }) }
      const app = await start(configOf({ providers: [reading(["username"])], rateLimit: { limiter } }))
      const browser = app.browser()
      await attempt(browser, { ...right, account: "acme" })
      expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
      await attempts(app, [right])
      expect([...counts.values()]).toEqual([2, 1])
    },
  )
})

describeServers("CRD-03, CRD-04: odd ends of authorize", (start) => {
  async function ended(authorize: () => unknown) {
    const log = recordingLogger()
    const told: unknown[] = []
    const provider = Credentials({ authorize: authorize as () => User })
    const config: AuthConfig = configOf({
      providers: [provider],
      logger: log.logger,
      events: { signIn: (message) => void told.push(message) },
    })
    const app = await start(config)
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const page = await browser.post(CALLBACK, { csrfToken })
    const records = log.records
    expect([sessionCookies(browser), told, records.length]).toEqual([[], [], 1])
    expect(records[0]?.error?.cause).toMatchObject({ provider: "credentials" })
    return page.location.slice(app.origin.length)
  }

  const coded = (code: unknown) => Object.assign(new CredentialsSignin(), { code })
  const PLAIN = "/auth/signin?error=CredentialsSignin&code=credentials"

  it.each<[string, () => Error]>([
    ["that is frozen", () => Object.freeze(coded("S3CRET! is wrong"))],
    ["that can't be written", () => Object.defineProperty(coded("x"), "code", { value: "S3CRET!", writable: false })],
    [
      "that is worked out",
      () =>
        Object.defineProperty(coded("x"), "code", {
          get: () => {
            throw new Error("S3CRET!")
          },
        }),
    ],
    ["that is a list", () => coded(["custom"])],
    ["that is an object", () => coded({ toString: () => "custom" })],
  ])("CRD-03: a code %s is no code", async (_name, make) => {
    expect(
      await ended(() => {
        throw make()
      }),
    ).toBe(PLAIN)
  })

  it("CRD-03: a good code of a frozen error stays", async () => {
    const location = await ended(() => {
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
  ])("CRD-04: %s is no user", async (_name, user) => {
    expect(await ended(() => user)).toBe("/auth/error?error=Configuration")
  })

  it.each<[string, () => unknown]>([
    ["a Response", () => Response.json({ id: "7" }, { status: 401 })],
    [
      "an error with a cause that is itself",
      () =>
        Object.assign(new Error("S3CRET!"), {
          get cause() {
            return this
          },
        }),
    ],
    [
      "an object whose members can't be read",
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
  ])("CRD-04: %s that is thrown is the application's failure", async (_name, make) => {
    expect(
      await ended(() => {
        throw make()
      }),
    ).toBe("/auth/error?error=Configuration")
  })
})
