import { asError } from "../../errors.js"
import { withTimeout } from "../../timeout.js"
import { checkSiteAddress } from "./address.js"
import { checkClients } from "./clients.js"
import { checkConfiguration } from "./configuration.js"
import type { Examined } from "./examined.js"
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

/** In the order in which they are told. */
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

/** Longer than the calls within take, which have bounds of their own. */
const CHECK_TIMEOUT_MS = 20_000

/** A finding, and the heading that it stands under. */
export interface GroupedFinding extends DoctorFinding {
  readonly group: string
}

async function run(check: Check, at: Examined): Promise<GroupedFinding[]> {
  const { group } = check
  const found = await findingsOf(check, at)
  return found.map((finding) => ({ group, ...finding }))
}

async function findingsOf(check: Check, at: Examined): Promise<readonly DoctorFinding[]> {
  const { group, calls } = check
  if (at.options.isOffline && calls?.(at)) return [skip(check.code, group.toLowerCase(), "not asked: --offline")]
  try {
    const running = Promise.resolve(check.run(at))
    return await withTimeout(running, CHECK_TIMEOUT_MS, `no end within ${CHECK_TIMEOUT_MS / 1000} s`)
  } catch (error) {
    // The others go on: what one can't look at is told beside what they see.
    return [fail("check-failed", group.toLowerCase(), "could not be looked at", { seen: asError(error).message })]
  }
}

/** Looks at everything, at once where it can be. */
export async function examine(at: Examined): Promise<GroupedFinding[]> {
  const found = await Promise.all(CHECKS.map((check) => run(check, at)))
  return found.flat()
}
