/**
 * The store as it is, behind the application's adapter. Which methods it must have is checked with the configuration.
 *
 * @module
 */
import type { Adapter, VerificationToken } from "../../adapters/adapter.js"
import { asError } from "../../errors.js"
import { randomHex } from "../../security/tokens.js"
import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, fail, ok, skip, warn } from "./finding.js"
import { checkRedis } from "./redis.js"

/** Each request of a signed-in person waits for one such read. */
const SLOW_READ_MS = 100
const USES = 20
const LIFE_MS = 60_000

/** Reserved for what is nobody's (RFC 2606 §2). */
const createIdentifier = (): string => `doctor-${randomHex().slice(0, 16)}@latchkey.invalid`

const reasonOf = (error: unknown): string => {
  const { cause, message } = asError(error)
  const { err }: { err?: unknown } = Object(cause)
  return err === undefined ? message : asError(err).message
}

const MIGRATE = "npx latchkey migrate, or await adapter.migrate() before the application listens"

async function checkVersion(adapter: Adapter): Promise<DoctorFinding[]> {
  // Adapters of our own with tables know it.
  const pendingMigrations: unknown = Reflect.get(adapter, "pendingMigrations")
  if (typeof pendingMigrations !== "function") return []
  try {
    const pending: readonly number[] = await pendingMigrations.call(adapter)
    if (pending.length === 0) return [ok("schema-outdated", "adapter", "the tables are those of this version")]
    return [
      fail("schema-outdated", "adapter", "the tables are missing, or of an earlier version", {
        seen: `not there yet: version ${pending.join(", ")}`,
        write: MIGRATE,
      }),
    ]
  } catch (error) {
    return [
      fail("store-unreachable", "adapter", "the store did not say which tables it has", { seen: reasonOf(error) }),
    ]
  }
}

async function checkRead(adapter: Adapter): Promise<DoctorFinding[]> {
  if (!adapter.getUserByEmail) return []
  // The first one connects.
  await adapter.getUserByEmail(createIdentifier())
  const start = performance.now()
  await adapter.getUserByEmail(createIdentifier())
  const ms = Math.round(performance.now() - start)
  if (ms <= SLOW_READ_MS) return [ok("store-slow", "adapter", `a read takes ${ms} ms`)]
  return [
    warn("store-slow", "adapter", "reads are slow, and each request with a session waits for one", {
      seen: `${ms} ms for a user who is not there`,
    }),
  ]
}

/** Uses of one token at once: how many of them got it? */
async function race(use: NonNullable<Adapter["useVerificationToken"]>, token: VerificationToken): Promise<number> {
  const { identifier } = token
  const uses = Array.from({ length: USES }, async () => use({ identifier, token: token.token }))
  const settled = await Promise.allSettled(uses)
  return settled.filter((result) => result.status === "fulfilled" && result.value).length
}

async function checkAtomicity({ createVerificationToken, useVerificationToken }: Adapter): Promise<DoctorFinding[]> {
  if (!createVerificationToken || !useVerificationToken) return []
  const token = { identifier: createIdentifier(), token: randomHex(), expires: new Date(Date.now() + LIFE_MS) }
  await createVerificationToken(token)
  const winners = await race(useVerificationToken, token)
  // What was not used is taken away again.
  if (winners === 0) await useVerificationToken(token)
  const seen = `${winners} of ${USES} uses at once got the token`
  if (winners === 1)
    return [
      ok(
        "token-use-not-atomic",
        "adapter",
        `one row was written and deleted: of ${USES} uses at once, one got the token`,
      ),
    ]
  if (winners === 0) return [fail("token-use-fails", "adapter", "a link that was stored can't be used", { seen })]
  return [
    fail(
      "token-use-not-atomic",
      "adapter",
      "useVerificationToken gives one token to several who ask at once: a link signs in twice",
      {
        seen,
        write: "DELETE … RETURNING, or a read and a delete in one transaction that locks the row",
      },
    ),
  ]
}

async function atomicityOf(adapter: Adapter, { options }: Examined): Promise<DoctorFinding[]> {
  if (!adapter.useVerificationToken) return []
  if (options.mayWrite) return checkAtomicity(adapter)
  return [skip("token-use-not-atomic", "adapter", "nothing was written: --write-test writes one row and deletes it")]
}

/** What the application would have written when it was loaded. */
const withheldIn = ({ withheld }: Examined): DoctorFinding[] =>
  [...withheld].map((write) =>
    skip("schema-outdated", "adapter", `the application's start would write: ${write}; withheld`),
  )

export const checkStore: Check = {
  group: "Store",
  code: "store-unreachable",
  async run(at) {
    const { adapter } = at.runtime
    if (!adapter || !at.resolved.adapter)
      return [ok("store-unreachable", "adapter", "there is none, and none is needed")]
    const tables = await checkVersion(at.resolved.adapter)
    const version = [...withheldIn(at), ...tables]
    if (version.some(({ level }) => level === "error")) return version
    try {
      const redis = await checkRedis(at.resolved.adapter)
      return [...version, ...redis, ...(await checkRead(adapter)), ...(await atomicityOf(adapter, at))]
    } catch (error) {
      return [
        ...version,
        fail("store-unreachable", "adapter", "the store failed", {
          seen: reasonOf(error),
          write: "its address, its rights, and npx latchkey migrate",
        }),
      ]
    }
  },
}
