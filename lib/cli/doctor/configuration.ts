/**
 * Checks that need only the configuration and the environment variables.
 *
 * @module
 */
import { trimTrailingSlashes } from "../../base/text.js"
import type { MessageCode } from "../../errors/message-code.js"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import { isMemoryStore } from "../../store/memory.js"
import { ADD_STORE, type DoctorContext, type DoctorFinding, fail, ok, warn } from "./check.js"

/** Returns the problems and warnings that the application also reports at start-up. */
export function checkConfiguration({ runtime, warnings }: DoctorContext): DoctorFinding[] {
  const found = [
    ...runtime.problems.map(({ code, path, seen, fix }) => fail(code, path, { cause: seen, fix })),
    ...warnings.map(({ code, path, seen, fix }) => warn(code, path, { cause: seen, fix })),
  ]
  return found.length > 0 ? found : [ok("configuration-invalid", "options", "all options are valid")]
}

const isLocal = (url: URL): boolean => isSecureUrl(`http://${url.host}`)

/** Returns the finding about an AUTH_URL that does not match NODE_ENV, such as a local address in production. */
function checkEnvironment(url: URL, isProduction: boolean, env: DoctorContext["env"]): DoctorFinding[] {
  const seen = url.origin
  if (isProduction && isLocal(url))
    return [fail("auth-url-local", "AUTH_URL", { seen, fix: "AUTH_URL=https://example.com" })]
  if (isProduction && url.protocol === "http:") {
    const path = url.pathname === "/" ? "" : url.pathname
    return [fail("https-missing", "AUTH_URL", { seen, fix: `AUTH_URL=https://${url.host}${path}` })]
  }
  if (isProduction || isLocal(url)) return []
  const environment = `NODE_ENV=${env["NODE_ENV"] ?? ""}, AUTH_URL on ${url.host}`
  return [warn("node-env-unset", "NODE_ENV", { seen: environment, fix: "NODE_ENV=production" })]
}

/** Checks the parts of AUTH_URL, and whether AUTH_URL matches NODE_ENV. */
export function checkAddress({ env, resolved }: Pick<DoctorContext, "env" | "resolved">): DoctorFinding[] {
  const text = env["AUTH_URL"]
  const { isProduction, trustHost, canonicalOrigin } = resolved
  if (!text && isProduction && typeof trustHost !== "boolean")
    return [ok("any-host-trusted", "trustHost", `links use only these hosts: ${trustHost.join(", ")}`)]
  // `checkConfiguration` reports an invalid URL.
  if (!text || !canonicalOrigin) return []
  const url = new URL(text)
  const fix = `AUTH_URL=${url.origin + trimTrailingSlashes(url.pathname)}`
  const hasIgnoredParts = url.search || url.hash || url.username || url.password || text !== text.trim()
  const found = [
    ...(hasIgnoredParts
      ? [
          warn("option-invalid", "AUTH_URL", {
            cause: "has parts that are ignored",
            seen: url.origin + url.pathname,
            fix,
          }),
        ]
      : []),
    ...checkEnvironment(url, isProduction, env),
  ]
  return found.length > 0 ? found : [ok("auth-url-local", "AUTH_URL", `the site's address is ${canonicalOrigin}`)]
}

/** Checks whether another host of the same domain can set the session cookie. The prefix `__Host-` prevents that. */
export function checkSessionCookieName({ runtime, base }: Pick<DoctorContext, "runtime" | "base">): DoctorFinding[] {
  const { name, options } = runtime.cookieSetFor("https:").sessionToken
  // A cookie with a domain is shared with other hosts on purpose.
  if (!base.startsWith("https:") || options.domain !== undefined) return []
  if (/^__host-/i.test(name)) return [ok("session-host-prefix-off", name, "no other host can set the session cookie")]
  return [warn("session-host-prefix-off", name, { fix: "session: { hostPrefix: true }" })]
}

/** The provider types whose sign-in attempts must be limited. */
const LIMITED_TYPES = ["credentials", "email"]

/** Returns the variable with which a process manager or platform reports several processes; undefined without one. */
function detectSeveralProcesses(env: DoctorContext["env"]): string | undefined {
  const { WEB_CONCURRENCY, NODE_APP_INSTANCE, instances } = env
  if (Number(WEB_CONCURRENCY) > 1) return `WEB_CONCURRENCY=${WEB_CONCURRENCY}`
  return NODE_APP_INSTANCE !== undefined && Number(instances) !== 1
    ? `NODE_APP_INSTANCE=${NODE_APP_INSTANCE}`
    : undefined
}

/** Checks whether password attempts and emails are limited, and whether several processes count them together. */
export function checkLimits({ resolved, env }: Pick<DoctorContext, "resolved" | "env">): DoctorFinding[] {
  const types = [...new Set(resolved.providers.map(({ type }) => type))].filter((type) => LIMITED_TYPES.includes(type))
  if (types.length === 0) return []
  if (resolved.rateLimit === false) {
    const seen = `rateLimit: false, with ${types.join(" and ")}`
    const fix = "remove rateLimit: false, unless another layer limits attempts per account"
    return [warn("rate-limit-off", "rateLimit", { seen, fix })]
  }
  const code: MessageCode = "rate-limit-per-process"
  if (resolved.store && !isMemoryStore(resolved.store))
    return [ok(code, "rateLimit", "all processes count together, in the store")]
  const seen = detectSeveralProcesses(env)
  if (!seen) return [ok(code, "rateLimit", "each process counts in its own memory; several processes need a store")]
  return [warn(code, "rateLimit", { seen, fix: ADD_STORE })]
}
