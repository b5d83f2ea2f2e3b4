/**
 * Checks the database of the application's adapter. `checkConfiguration` reports missing methods of the adapter.
 *
 * @module
 */
import type { Adapter } from "../../adapters/adapter.js"
import { asError } from "../../errors/errors.js"
import { randomHex } from "../../security/tokens.js"
import { callIfPresent, type DoctorContext, type DoctorFinding, fail, ok, skip, warn } from "./check.js"
import { checkRedis } from "./redis.js"

/** A slower read is reported. With database sessions, each request of a signed-in user waits for one read. */
const SLOW_READ_MS = 100
const CONCURRENT_USES = 20
const TOKEN_LIFETIME_MS = 60_000

/** `.invalid` is reserved, so the address belongs to no user (RFC 2606 §2). */
const createIdentifier = (): string => `doctor-${randomHex().slice(0, 16)}@latchkey.invalid`

const describeReason = (error: unknown): string => {
  const { cause, message } = asError(error)
  const { err }: { err?: unknown } = Object(cause)
  return err === undefined ? message : asError(err).message
}

async function checkTables(adapter: Adapter): Promise<DoctorFinding[]> {
  const pending = await callIfPresent<readonly number[]>(adapter, "pendingMigrations")
  if (!pending) return []
  if (pending.length === 0) return [ok("schema-outdated", "adapter", "the tables are up to date")]
  const fix = "npx latchkey migrate, or await adapter.migrate() before the application listens"
  return [fail("schema-outdated", "adapter", { seen: `missing migrations: version ${pending.join(", ")}`, fix })]
}

async function checkRead({ getUserByEmail }: Adapter): Promise<DoctorFinding[]> {
  if (!getUserByEmail) return []
  // Do not measure the first read, because it also connects to the database.
  await getUserByEmail(createIdentifier())
  const start = performance.now()
  await getUserByEmail(createIdentifier())
  const ms = Math.round(performance.now() - start)
  if (ms <= SLOW_READ_MS) return [ok("store-slow", "adapter", `a read takes ${ms} ms`)]
  return [warn("store-slow", "adapter", { seen: `${ms} ms for a user who does not exist` })]
}

/** Creates one verification token, and uses the token many times at once. Exactly one use must succeed. */
async function checkAtomicity(
  { createVerificationToken, useVerificationToken }: Adapter,
  { options }: DoctorContext,
): Promise<DoctorFinding[]> {
  if (!createVerificationToken || !useVerificationToken) return []
  const [code, subject] = ["token-use-not-atomic", "adapter"] as const
  if (!options.mayWrite) return [skip(code, subject, "nothing was written; --write-test writes one row and deletes it")]
  const [identifier, token] = [createIdentifier(), randomHex()]
  await createVerificationToken({ identifier, token, expires: new Date(Date.now() + TOKEN_LIFETIME_MS) })
  const uses = Array.from({ length: CONCURRENT_USES }, async () => useVerificationToken({ identifier, token }))
  const results = await Promise.allSettled(uses)
  const successCount = results.filter((result) => result.status === "fulfilled" && result.value).length
  if (successCount === 1)
    return [
      ok(code, subject, `one row was written and deleted: of ${CONCURRENT_USES} concurrent uses, one got the token`),
    ]
  const seen = `${successCount} of ${CONCURRENT_USES} concurrent uses got the token`
  if (successCount > 1) {
    const fix = "use DELETE … RETURNING, or read and delete in one transaction that locks the row"
    return [fail(code, subject, { seen, fix })]
  }
  // No use returned the token, so its row may still exist. Delete it.
  await useVerificationToken({ identifier, token })
  return [fail("token-use-fails", subject, { seen })]
}

/**
 * Checks the adapter: its tables, its Redis server and the duration of a read. With `--write-test`, also checks that a
 * token can be used only once.
 */
export async function checkAdapter(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { adapter } = context.runtime
  const { adapter: configuredAdapter } = context.resolved
  if (!adapter || !configuredAdapter) return [ok("adapter-failed", "adapter", "no adapter is configured")]
  const found = [...context.suppressedWrites].map((write) =>
    skip("schema-outdated", "adapter", `a write of the module was suppressed: ${write}`),
  )
  try {
    found.push(...(await checkTables(configuredAdapter)))
    if (found.some(({ level }) => level === "error")) return found
    found.push(...(await checkRedis(configuredAdapter, "adapter")), ...(await checkRead(adapter)))
    return [...found, ...(await checkAtomicity(adapter, context))]
  } catch (error) {
    const fix = "check its address and permissions, and run npx latchkey migrate"
    return [...found, fail("adapter-failed", "adapter", { seen: describeReason(error), fix })]
  }
}
