import { isMemoryStore } from "../../store/memory.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, ok, warn } from "./finding.js"

/** The sign-in methods that need a limit on attempts. */
const LIMITED = ["credentials", "email"]

/** Returns the variable by which a process manager or platform announces several processes. */
function detectSeveralProcesses({
  WEB_CONCURRENCY,
  NODE_APP_INSTANCE,
  instances,
}: DoctorContext["env"]): string | undefined {
  if (Number(WEB_CONCURRENCY) > 1) return `WEB_CONCURRENCY=${WEB_CONCURRENCY}`
  if (NODE_APP_INSTANCE !== undefined && Number(instances) !== 1) return `NODE_APP_INSTANCE=${NODE_APP_INSTANCE}`
  return undefined
}

const SHARED_STORE = "authMiddleware({ …, store: SqlStore({ postgres: process.env.DATABASE_URL }) })"

/** Checks whether wrong passwords and emails are limited, and across how many processes. */
export function checkLimits({
  providers,
  resolved,
  env,
}: Pick<DoctorContext, "providers" | "resolved" | "env">): DoctorFinding[] {
  const { rateLimit } = resolved
  const types = [...new Set(providers.map(({ type }) => type).filter((type) => LIMITED.includes(type)))]
  if (types.length === 0) return []
  if (rateLimit === false)
    return [
      warn("rate-limit-off", "rateLimit", "attempts to guess passwords, and requests for emails, are not limited", {
        seen: `rateLimit: false, with ${types.join(" and ")}`,
        fix: "remove rateLimit: false, unless another layer limits attempts per account",
      }),
    ]
  if (resolved.store && !isMemoryStore(resolved.store))
    return [ok("rate-limit-per-process", "rateLimit", "all processes count together, in the store")]
  const several = detectSeveralProcesses(env)
  if (several)
    return [
      warn(
        "rate-limit-per-process",
        "rateLimit",
        "each process counts separately, so together they allow more attempts",
        {
          seen: several,
          fix: SHARED_STORE,
        },
      ),
    ]
  return [
    ok("rate-limit-per-process", "rateLimit", "each process counts in its own memory; several processes need a store"),
  ]
}

export const checkRateLimits: Check = { group: "Limits", code: "rate-limit-per-process", run: checkLimits }
