import { Redis } from "ioredis"
import { Browser } from "../support/browser.js"
import { ioRedis, keysOf, redisUrl } from "../support/stores/redis.js"
import { postgres } from "../support/stores/sql.js"
import { uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"
import { type RunningExample, runExample } from "./support/run-example.js"

const WORKERS = 3

interface Place {
  readonly env: Record<string, string>
  drop(): Promise<void>
}

/** A database and a prefix of its own, gone afterwards. */
async function inPostgres(): Promise<Place> {
  const [database, redis] = await Promise.all([postgres.createDatabase(), inRedis()])
  return {
    env: { ...redis.env, STORE: "postgres", DATABASE_URL: database.address },
    async drop() {
      await redis.drop()
      await database.drop()
    },
  }
}

async function inRedis(): Promise<Place> {
  const prefix = `${uniqueName()}:`
  return {
    env: { STORE: "redis", REDIS_URL: redisUrl, REDIS_PREFIX: prefix },
    async drop() {
      const redis = new Redis(redisUrl)
      const left = await keysOf(redis, prefix)
      if (left.length > 0) await redis.del(left)
      await redis.quit()
    },
  }
}

describeStore("examples/cluster", ioRedis, () => {
  describeCluster("Redis alone", inRedis)
  describeStore("and", postgres, () => describeCluster("PostgreSQL and Redis", inPostgres))
})

function describeCluster(name: string, make: () => Promise<Place>): void {
  describe(`on ${name}`, () => {
    let example: RunningExample
    let place: Place

    beforeAll(async () => {
      place = await make()
      example = await runExample("examples/cluster/server.js", { WORKERS: String(WORKERS), ...place.env })
    })
    afterAll(async () => {
      await example?.stop("SIGTERM")
      await place?.drop()
    })

    const newBrowser = () => new Browser({ origin: example.origin, headers: { connection: "close" } })

    /** Signs in by a link that the terminal shows. */
    async function signIn(email: string): Promise<Browser> {
      const before = example.output().length
      const browser = newBrowser()
      // A connection that was on its way to a process that died is never answered.
      const signal = AbortSignal.timeout(5_000)
      const page = await browser.get("/auth/signin", { signal })
      const form = browser.form(await page.text(), "/auth/signin/mail")
      await browser.submit(form, { email }, { signal })
      const linkIn = (text: string) => new RegExp(`mail to ${email}: (\\S+)`).exec(text)?.[1]
      await until(() => linkIn(example.output().slice(before)) !== undefined, 5_000)
      const landed = await browser.get(linkIn(example.output().slice(before)) ?? "", { signal })
      if (landed.status !== 302 || landed.location.includes("error"))
        throw new Error(`${landed.status} ${landed.location}`)
      return browser
    }

    /** Asks until every process has answered, and gives what each of them said. */
    async function askAll(browser: Browser): Promise<Map<string, number>> {
      const answers = new Map<string, number>()
      for (let i = 0; i < 200 && answers.size < WORKERS; i++) {
        const page = await browser.get("/me", { headers: { accept: "application/json" } })
        await page.text()
        answers.set(page.headers.get("x-served-by") ?? "", page.status)
      }
      return answers
    }

    it("whoever signs in at one process is signed in at all, and signed out of all", async () => {
      const browser = await signIn("ada@example.com")
      const signedIn = await askAll(browser)
      expect([...signedIn.values()]).toEqual(Array(WORKERS).fill(200))
      const copy = browser.clone()
      const csrfToken = await browser.csrf()
      expect((await browser.post("/auth/signout", { csrfToken })).status).toBe(302)
      expect([...(await askAll(copy)).values()]).toEqual(Array(WORKERS).fill(302))
    })

    it("a sign-in at the provider may begin in one process and end in another", async () => {
      for (let i = 0; i < 4; i++) {
        const browser = newBrowser()
        const csrfToken = await browser.csrf()
        const choice = await browser.post("/auth/signin/dev", { csrfToken }, { follow: true })
        const form = browser.form(await choice.text())
        await browser.submit(form, { person: "alice" }, { follow: true })
        expect([...(await askAll(browser)).values()]).toEqual(Array(WORKERS).fill(200))
      }
    })

    it("a process that is killed in the middle of sign-ins takes nobody with it who was told of success", async () => {
      const victim = [...(await askAll(newBrowser())).keys()][0]
      const signingIn = Array.from({ length: 20 }, (_, i) => signIn(`person-${i}@example.com`).catch(() => undefined))
      await until(() => example.output().includes("person-5@example.com"), 5_000)
      process.kill(Number(victim), "SIGKILL")
      const signedIn = (await Promise.all(signingIn)).filter((browser) => browser !== undefined)
      expect(signedIn.length).toBeGreaterThan(0)
      await until(() => example.output().includes("another takes its place"), 5_000)
      const seen = await Promise.all(signedIn.map(async (browser) => (await browser.get("/me")).status))
      expect(new Set(seen)).toEqual(new Set([200]))
      // Whoever was not told so tries again, and gets in.
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const browser = await signIn(`person-${i}@example.com`)
          return (await browser.get("/me")).status
        }),
      )
      expect(new Set(statuses)).toEqual(new Set([200]))
    }, 40_000)

    it("ends when it is told to", async () => {
      const before = example.output().length
      const code = await example.stop("SIGTERM")
      expect([code, example.output().slice(before)]).toEqual([0, ""])
    })
  })
}
