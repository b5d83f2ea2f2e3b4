import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, ok, warn } from "./finding.js"

/** Ways to sign in that somebody could try as often as they like. */
const LIMITED = ["credentials", "email"]

/** How process managers and platforms say that there are several of us. */
function severalIn({ WEB_CONCURRENCY, NODE_APP_INSTANCE, instances }: Examined["env"]): string | undefined {
  if (Number(WEB_CONCURRENCY) > 1) return `WEB_CONCURRENCY=${WEB_CONCURRENCY}`
  if (NODE_APP_INSTANCE !== undefined && Number(instances) !== 1) return `NODE_APP_INSTANCE=${NODE_APP_INSTANCE}`
  return undefined
}

const SHARED =
  "rateLimit: { limiter: ({ name, points, windowSeconds }) => new RateLimiterRedis({ storeClient, keyPrefix: name, points, duration: windowSeconds }) }"

/** Who counts wrong passwords and mails, and for how many processes. */
export function checkLimits({
  providers,
  resolved,
  env,
}: Pick<Examined, "providers" | "resolved" | "env">): DoctorFinding[] {
  const { rateLimit } = resolved
  const types = [...new Set(providers.map(({ type }) => type).filter((type) => LIMITED.includes(type)))]
  if (types.length === 0) return []
  if (rateLimit === false)
    return [
      warn("rate-limit-off", "rateLimit", "nothing here limits how often passwords are tried and mails are sent", {
        seen: `rateLimit: false, with ${types.join(" and ")}`,
        write: "rateLimit left out, unless something in front counts attempts by account",
      }),
    ]
  if (rateLimit.limiter) return [ok("rate-limit-off", "rateLimit", "a limiter of your own counts")]
  const several = severalIn(env)
  if (several)
    return [
      warn(
        "rate-limit-per-process",
        "rateLimit",
        "each process counts by itself, so that all of them together allow more",
        {
          seen: several,
          write: SHARED,
        },
      ),
    ]
  return [
    ok(
      "rate-limit-per-process",
      "rateLimit",
      "this process counts in its own memory; several processes need a limiter that they share",
    ),
  ]
}

export const checkRateLimits: Check = { group: "Limits", code: "rate-limit-per-process", run: checkLimits }
