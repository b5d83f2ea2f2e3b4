import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, ok, warn } from "./finding.js"

/** Checks whether another host below the same domain can set the session cookie. */
export function checkSessionName({ runtime, base }: Pick<DoctorContext, "runtime" | "base">): DoctorFinding[] {
  const { name, options } = runtime.cookieSetFor("https:").sessionToken
  // A cookie with a domain is shared with other hosts on purpose.
  if (!base.startsWith("https:") || options.domain !== undefined) return []
  if (/^__host-/i.test(name)) return [ok("session-host-prefix-off", name, "no other host can set the session cookie")]
  return [
    warn("session-host-prefix-off", name, "another host below the same domain can set the session cookie", {
      fix: "session: { hostPrefix: true }",
    }),
  ]
}

export const checkSessionCookie: Check = {
  group: "Session cookie",
  code: "session-host-prefix-off",
  run: checkSessionName,
}
