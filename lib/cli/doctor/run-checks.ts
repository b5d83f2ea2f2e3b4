import { withTimeout } from "../../base/timeout.js"
import type { AuthConfig } from "../../config/auth-config.js"
import { checkConfig } from "../../config/check.js"
import { DEFAULT_BASE_PATH } from "../../config/defaults.js"
import { dropMistypedOptions } from "../../config/option-types.js"
import { asError } from "../../errors/errors.js"
import { createRuntime } from "../../runtime/runtime.js"
import { type Check, type DoctorContext, fail, type GroupedFinding, maskFinding } from "./check.js"
import { checkAddress, checkConfiguration, checkLimits, checkSessionCookieName } from "./configuration.js"
import { checkCredentials } from "./credentials.js"
import { checkDurability } from "./durability.js"
import { checkMailServers } from "./mail.js"
import { createMask } from "./mask.js"
import { checkPackages } from "./packages.js"
import { checkProviderServers, listLogoutUris, listRedirectUris } from "./providers.js"
import { checkSecrets } from "./secrets.js"
import { checkSessionSize } from "./session-size.js"
import { probeSite } from "./site.js"
import { checkSite } from "./site-checks.js"
import { checkAdapter } from "./store.js"

/** The checks, with their headings, in the order of the report. */
const CHECKS: readonly (readonly [group: string, check: Check])[] = [
  ["Configuration", checkConfiguration],
  ["Secret", checkSecrets],
  ["Providers", checkCredentials],
  ["Providers", checkProviderServers],
  ["Redirect URIs to register", listRedirectUris],
  ["Logout URIs to register", listLogoutUris],
  ["Address", checkAddress],
  ["The running site", checkSite],
  ["Session cookie", checkSessionCookieName],
  ["Session", checkSessionSize],
  ["Store", checkAdapter],
  ["Store", checkDurability],
  ["Email", checkMailServers],
  ["Limits", checkLimits],
  ["Packages", checkPackages],
]

/** Time limit of one check. The network calls of a check have shorter timeouts. */
const CHECK_TIMEOUT_MS = 20_000

/**
 * Returns the origin and base path of the sign-in. The origin comes from AUTH_URL or --url, and the path from the
 * running site or the configuration. Defaults replace missing parts.
 */
function findBase({ resolved, options, env, site }: Omit<DoctorContext, "base">): string {
  const local = `http://localhost:${Number(env["PORT"]) || 3000}`
  const origin = resolved.canonicalOrigin ?? (options.url ? new URL(options.url).origin : local)
  const path = site && "base" in site ? new URL(site.base).pathname : resolved.basePath
  return origin + (path ?? DEFAULT_BASE_PATH)
}

async function createContext(
  config: AuthConfig,
  inputs: Pick<DoctorContext, "options" | "suppressedWrites">,
): Promise<DoctorContext> {
  const { env } = process
  // The runtime logs nothing, because the findings contain the messages.
  const runtime = createRuntime({ ...config, logger: { error() {}, warn() {}, debug() {} } }, env)
  const resolved = runtime.config
  const { warnings } = checkConfig(dropMistypedOptions(config).config, resolved)
  const { url, isOffline } = inputs.options
  const site = url === undefined || isOffline ? undefined : await probeSite(url, resolved.basePath)
  const context = { ...inputs, config, runtime, resolved, warnings, env, site }
  return { ...context, base: findBase(context) }
}

function createContextMask({ resolved, env }: DoctorContext): (text: string) => string {
  const providerSecrets = resolved.providers.flatMap((provider) =>
    Object.entries({ ...provider, ...provider.options }).filter(([name]) => /secret|key|server|token/i.test(name)),
  )
  const secrets = resolved.secrets.map((secret) => ["secret", secret] as const)
  return createMask([...secrets, ...providerSecrets, ...Object.entries(env)])
}

async function runCheck(group: string, check: Check, context: DoctorContext): Promise<GroupedFinding[]> {
  try {
    const running = Promise.resolve(check(context))
    const found = await withTimeout(running, CHECK_TIMEOUT_MS, `not finished within ${CHECK_TIMEOUT_MS / 1000} s`)
    return found.map((finding) => ({ group, ...finding }))
  } catch (error) {
    // The other checks continue, so the report contains this failure and their findings.
    return [{ group, ...fail("check-failed", group.toLowerCase(), { seen: asError(error).message }) }]
  }
}

/** Runs all checks on a configuration concurrently. Secrets in the findings are masked. */
export async function runChecks(
  config: AuthConfig,
  inputs: Pick<DoctorContext, "options" | "suppressedWrites">,
): Promise<GroupedFinding[]> {
  const context = await createContext(config, inputs)
  const mask = createContextMask(context)
  const found = await Promise.all(CHECKS.map(([group, check]) => runCheck(group, check, context)))
  return found.flat().map((finding) => maskFinding(finding, mask))
}
