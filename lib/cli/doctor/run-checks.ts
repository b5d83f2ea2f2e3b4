import { withTimeout } from "../../base/timeout.js"
import { asError } from "../../errors/errors.js"
import { checkSiteAddress } from "./address.js"
import { checkClients } from "./clients.js"
import { checkConfiguration } from "./configuration.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, fail, skip } from "./finding.js"
import { checkRateLimits } from "./limits.js"
import { checkMailServers } from "./mail.js"
import { checkMount } from "./mount.js"
import { checkPackages } from "./packages.js"
import { checkProviderServers } from "./providers.js"
import { listRedirectUris } from "./redirect-uris.js"
import { checkSecrets } from "./secrets.js"
import { checkSessionCookie } from "./session-name.js"
import { checkSessionSize } from "./session-size.js"
import { checkSite } from "./site-checks.js"
import { checkStore } from "./store.js"

/** The checks, in the order of the report. */
const CHECKS: readonly Check[] = [
  checkConfiguration,
  checkSecrets,
  checkClients,
  checkProviderServers,
  listRedirectUris,
  checkSiteAddress,
  checkMount,
  checkSite,
  checkSessionCookie,
  checkSessionSize,
  checkStore,
  checkMailServers,
  checkRateLimits,
  checkPackages,
]

/** Longer than the network calls of a check, which have their own timeouts. */
const CHECK_TIMEOUT_MS = 20_000

/** A finding, with its heading in the report. */
export interface GroupedFinding extends DoctorFinding {
  readonly group: string
}

async function run(check: Check, at: DoctorContext): Promise<GroupedFinding[]> {
  const { group } = check
  const found = await runCheck(check, at)
  return found.map((finding) => ({ group, ...finding }))
}

async function runCheck(check: Check, at: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { group, calls } = check
  if (at.options.isOffline && calls?.(at))
    return [skip(check.code, group.toLowerCase(), "not checked because of --offline")]
  try {
    const running = Promise.resolve(check.run(at))
    return await withTimeout(running, CHECK_TIMEOUT_MS, `not finished within ${CHECK_TIMEOUT_MS / 1000} s`)
  } catch (error) {
    // The other checks continue: this failure is reported along with their findings.
    return [fail("check-failed", group.toLowerCase(), "could not be checked", { seen: asError(error).message })]
  }
}

/** Runs all checks concurrently. */
export async function runChecks(at: DoctorContext): Promise<GroupedFinding[]> {
  const found = await Promise.all(CHECKS.map((check) => run(check, at)))
  return found.flat()
}
