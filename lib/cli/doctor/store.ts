/**
 * Checks the database of the application's adapter. The check of the configuration reports missing methods.
 *
 * @module
 */
import type { Adapter, VerificationToken } from "../../adapters/adapter.js"
import { asError } from "../../errors/errors.js"
import { randomHex } from "../../security/tokens.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, fail, ok, skip, warn } from "./finding.js"
import { checkRedis } from "./redis.js"

/** Each request of a signed-in user waits for one read. */
const SLOW_READ_MS = 100
const USES = 20
const LIFETIME_MS = 60_000

/** `.invalid` is reserved, so the address belongs to no user (RFC 2606 §2). */
const createIdentifier = (): string => `doctor-${randomHex().slice(0, 16)}@latchkey.invalid`

const describeReason = (error: unknown): string => {
  const { cause, message } = asError(error)
  const { err }: { err?: unknown } = Object(cause)
  return err === undefined ? message : asError(err).message
}

const MIGRATE = "npx latchkey migrate, or await adapter.migrate() before the application listens"

async function checkVersion(adapter: Adapter): Promise<DoctorFinding[]> {
  // The built-in adapters with tables have this method.
  const pendingMigrations: unknown = Reflect.get(adapter, "pendingMigrations")
  if (typeof pendingMigrations !== "function") return []
  try {
    const pending: readonly number[] = await pendingMigrations.call(adapter)
    if (pending.length === 0) return [ok("schema-outdated", "adapter", "the tables are up to date")]
    return [
      fail("schema-outdated", "adapter", "the tables are missing or outdated", {
        seen: `missing migrations: version ${pending.join(", ")}`,
        fix: MIGRATE,
      }),
    ]
  } catch (error) {
    return [
      fail("adapter-failed", "adapter", "the database did not report its tables", { seen: describeReason(error) }),
    ]
  }
}

async function checkRead(adapter: Adapter): Promise<DoctorFinding[]> {
  if (!adapter.getUserByEmail) return []
  // The first read also connects.
  await adapter.getUserByEmail(createIdentifier())
  const start = performance.now()
  await adapter.getUserByEmail(createIdentifier())
  const ms = Math.round(performance.now() - start)
  if (ms <= SLOW_READ_MS) return [ok("store-slow", "adapter", `a read takes ${ms} ms`)]
  return [
    warn("store-slow", "adapter", "reads are slow, and each request with a session waits for one", {
      seen: `${ms} ms for a user who does not exist`,
    }),
  ]
}

/** Uses one token many times at once, and returns how many uses succeeded. */
async function countWinners(
  use: NonNullable<Adapter["useVerificationToken"]>,
  token: VerificationToken,
): Promise<number> {
  const { identifier } = token
  const uses = Array.from({ length: USES }, async () => use({ identifier, token: token.token }))
  const settled = await Promise.allSettled(uses)
  return settled.filter((result) => result.status === "fulfilled" && result.value).length
}

async function checkAtomicity({ createVerificationToken, useVerificationToken }: Adapter): Promise<DoctorFinding[]> {
  if (!createVerificationToken || !useVerificationToken) return []
  const token = { identifier: createIdentifier(), token: randomHex(), expires: new Date(Date.now() + LIFETIME_MS) }
  await createVerificationToken(token)
  const winners = await countWinners(useVerificationToken, token)
  // Delete the token if no use deleted it.
  if (winners === 0) await useVerificationToken(token)
  const seen = `${winners} of ${USES} concurrent uses got the token`
  if (winners === 1)
    return [
      ok(
        "token-use-not-atomic",
        "adapter",
        `one row was written and deleted: of ${USES} concurrent uses, one got the token`,
      ),
    ]
  if (winners === 0) return [fail("token-use-fails", "adapter", "a stored email link can't be used", { seen })]
  return [
    fail(
      "token-use-not-atomic",
      "adapter",
      "useVerificationToken returns one token to several concurrent callers: an email link works twice",
      {
        seen,
        fix: "use DELETE … RETURNING, or read and delete in one transaction that locks the row",
      },
    ),
  ]
}

async function inspectAtomicity(adapter: Adapter, { options }: DoctorContext): Promise<DoctorFinding[]> {
  if (!adapter.useVerificationToken) return []
  if (options.mayWrite) return checkAtomicity(adapter)
  return [skip("token-use-not-atomic", "adapter", "nothing was written; --write-test writes one row and deletes it")]
}

/** The suppressed writes of the application's start. */
const suppressedWriteFindings = ({ suppressedWrites }: DoctorContext): DoctorFinding[] =>
  [...suppressedWrites].map((write) =>
    skip("schema-outdated", "adapter", `a write at the application's start was suppressed: ${write}`),
  )

export const checkStore: Check = {
  group: "Store",
  code: "adapter-failed",
  async run(context) {
    const { adapter } = context.runtime
    if (!adapter || !context.resolved.adapter)
      return [ok("adapter-failed", "adapter", "no adapter is configured, and none is needed")]
    const tables = await checkVersion(context.resolved.adapter)
    const version = [...suppressedWriteFindings(context), ...tables]
    if (version.some(({ level }) => level === "error")) return version
    try {
      const redis = await checkRedis(context.resolved.adapter)
      return [...version, ...redis, ...(await checkRead(adapter)), ...(await inspectAtomicity(adapter, context))]
    } catch (error) {
      return [
        ...version,
        fail("adapter-failed", "adapter", "the database failed", {
          seen: describeReason(error),
          fix: "check its address and permissions, and run npx latchkey migrate",
        }),
      ]
    }
  },
}
