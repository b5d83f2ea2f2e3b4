import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, ok, warn } from "./finding.js"

/** Can another host below the same domain set the session's cookie? */
export function checkSessionName({ runtime, base }: Pick<Examined, "runtime" | "base">): DoctorFinding[] {
  const { name, options } = runtime.cookieSetFor("https:").sessionToken
  // A cookie with a domain is for other hosts on purpose.
  if (!base.startsWith("https:") || options.domain !== undefined) return []
  if (/^__host-/i.test(name)) return [ok("session-host-prefix-off", name, "no other host can set the session's cookie")]
  return [
    warn("session-host-prefix-off", name, "another host below the same domain can set the session's cookie", {
      write: "session: { hostPrefix: true }",
    }),
  ]
}

export const checkSessionCookie: Check = {
  group: "Session cookie",
  code: "session-host-prefix-off",
  run: checkSessionName,
}
