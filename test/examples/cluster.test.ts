import { Redis } from "ioredis"
import { Browser } from "../support/browser.js"
import { ioRedis, listKeys, redisUrl } from "../support/stores/redis.js"
import { postgres } from "../support/stores/sql.js"
import { uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"
import { type RunningExample, runExample } from "./support/run-example.js"

const WORKERS = 3

interface Storage {
  readonly env: Record<string, string>
  drop(): Promise<void>
}

/** Creates a database and a key prefix, which `drop` deletes. */
async function createPostgresStorage(): Promise<Storage> {
  const [database, redis] = await Promise.all([postgres.createDatabase(), createRedisStorage()])
  return {
    env: { ...redis.env, STORE: "postgres", DATABASE_URL: database.address },
    async drop() {
      await redis.drop()
      await database.drop()
    },
  }
}

async function createRedisStorage(): Promise<Storage> {
  const prefix = `${uniqueName()}:`
  return {
    env: { STORE: "redis", REDIS_URL: redisUrl, REDIS_PREFIX: prefix },
    async drop() {
      const redis = new Redis(redisUrl)
      const left = await listKeys(redis, prefix)
      if (left.length > 0) await redis.del(left)
      await redis.quit()
    },
  }
}

describeStore("examples/cluster", ioRedis, () => {
  describeCluster("Redis only", createRedisStorage)
  describeStore("with PostgreSQL", postgres, () => describeCluster("PostgreSQL and Redis", createPostgresStorage))
})

function describeCluster(name: string, make: () => Promise<Storage>): void {
  describe(`on ${name}`, () => {
    let example: RunningExample
    let storage: Storage

    beforeAll(async () => {
      storage = await make()
      example = await runExample("examples/cluster/server.js", { WORKERS: String(WORKERS), ...storage.env })
    })
    afterAll(async () => {
      await example?.stop("SIGTERM")
      await storage?.drop()
    })

    const newBrowser = () => new Browser({ origin: example.origin, headers: { connection: "close" } })

    /** Signs in by a link that the example prints. */
    async function signIn(email: string): Promise<Browser> {
      const before = example.output().length
      const browser = newBrowser()
      // A connection to a process that died is never answered.
      const signal = AbortSignal.timeout(5_000)
      const signInPage = await browser.get("/auth/signin", { signal })
      const form = browser.form(await signInPage.text(), "/auth/signin/mail")
      await browser.submit(form, { email }, { signal })
      const linkIn = (text: string) => new RegExp(`mail to ${email}: (\\S+)`).exec(text)?.[1]
      await until(() => linkIn(example.output().slice(before)) !== undefined, 5_000)
      const page = await browser.get(linkIn(example.output().slice(before)) ?? "", { signal })
      if (page.status !== 302 || page.location.includes("error")) throw new Error(`${page.status} ${page.location}`)
      return browser
    }

    /** Repeats a request until every process has answered; returns the status for each process id. */
    async function requestFromAll(browser: Browser): Promise<Map<string, number>> {
      const answers = new Map<string, number>()
      for (let i = 0; i < 200 && answers.size < WORKERS; i++) {
        const page = await browser.get("/me", { headers: { accept: "application/json" } })
        await page.text()
        answers.set(page.headers.get("x-served-by") ?? "", page.status)
      }
      return answers
    }

    it("a sign-in or sign-out at one process applies to all", async () => {
      const browser = await signIn("ada@example.com")
      const signedIn = await requestFromAll(browser)
      expect([...signedIn.values()]).toEqual(Array(WORKERS).fill(200))
      const copy = browser.clone()
      const csrfToken = await browser.csrf()
      expect((await browser.post("/auth/signout", { csrfToken })).status).toBe(302)
      expect([...(await requestFromAll(copy)).values()]).toEqual(Array(WORKERS).fill(302))
    })

    it("a sign-in at the provider can start in one process and end in another", async () => {
      for (let i = 0; i < 4; i++) {
        const browser = newBrowser()
        const csrfToken = await browser.csrf()
        const choice = await browser.post("/auth/signin/dev", { csrfToken }, { follow: true })
        const form = browser.form(await choice.text())
        await browser.submit(form, { user: "alice" }, { follow: true })
        expect([...(await requestFromAll(browser)).values()]).toEqual(Array(WORKERS).fill(200))
      }
    })

    it("a killed process ends no sign-in that was reported as successful", async () => {
      const victim = [...(await requestFromAll(newBrowser())).keys()][0]
      const signingIn = Array.from({ length: 20 }, (_, i) => signIn(`person-${i}@example.com`).catch(() => undefined))
      await until(() => example.output().includes("person-5@example.com"), 5_000)
      process.kill(Number(victim), "SIGKILL")
      const signedIn = (await Promise.all(signingIn)).filter((browser) => browser !== undefined)
      expect(signedIn.length).toBeGreaterThan(0)
      await until(() => example.output().includes("another takes its place"), 5_000)
      const kept = await Promise.all(signedIn.map(async (browser) => (await browser.get("/me")).status))
      expect(new Set(kept)).toEqual(new Set([200]))
      // The users whose sign-in failed can sign in again.
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const browser = await signIn(`person-${i}@example.com`)
          return (await browser.get("/me")).status
        }),
      )
      expect(new Set(statuses)).toEqual(new Set([200]))
    }, 40_000)

    it("the cluster exits with code 0 on SIGTERM", async () => {
      const before = example.output().length
      const code = await example.stop("SIGTERM")
      expect([code, example.output().slice(before)]).toEqual([0, ""])
    })
  })
}
