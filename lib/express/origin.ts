import { coded } from "../error-codes.js"
import { BadRequest } from "../errors.js"
import type { Runtime } from "../runtime.js"
import { isCrossSite } from "../security/csrf.js"
import { FORWARDING_HEADERS, isOnThisMachine } from "../security/this-machine.js"
import { toHeaders } from "./incoming.js"
import type { NodeRequest } from "./node.js"

const first = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(",")[0]?.trim() || undefined

/** Does the application trust whoever speaks to it directly? Its `trust proxy` setting says so, and nothing else. */
function trustsPeer(req: NodeRequest): boolean {
  const trust: unknown = req.app?.get("trust proxy fn")
  return typeof trust === "function" && Boolean(trust(req.socket?.remoteAddress, 0))
}

/** As `req.host` of Express 5, on every version: the forwarded host where the proxy is trusted, else the one asked for. */
function hostOf(req: NodeRequest): string | undefined {
  const forwarded = trustsPeer(req) ? first(req.headers["x-forwarded-host"]) : undefined
  return forwarded ?? first(req.headers[":authority"]) ?? req.headers.host
}

/**
 * Refuses a request over HTTP/2 whose `Host` contradicts its `:authority` (RFC 9113 §8.3.1): a proxy may have checked
 * the other one.
 */
function requireOneHost({ headers }: NodeRequest): void {
  const authority = first(headers[":authority"])
  const { host } = headers
  if (authority === undefined || host === undefined || authority.toLowerCase() === host.toLowerCase()) return
  throw coded("host-invalid", new BadRequest("Host differs from :authority", { host, authority }))
}

const isEncrypted = (req: NodeRequest): boolean =>
  "encrypted" in (req.socket ?? {}) && Boolean(Reflect.get(req.socket, "encrypted"))

/** In small letters: a proxy may write its scheme as it likes (RFC 3986 §3.1). */
const protocolOf = (req: NodeRequest): string => req.protocol?.toLowerCase() ?? (isEncrypted(req) ? "https" : "http")

/** Is the connection to the browser encrypted, as far as the application is told? */
export const isSecure = (req: NodeRequest, { config }: Runtime): boolean =>
  config.canonicalOrigin ? config.canonicalOrigin.startsWith("https:") : protocolOf(req) === "https"

const HOST = /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * This site's origin: from AUTH_URL, else what the application's `trust proxy` makes of the request.
 *
 * @throws BadRequest when there is no valid host, or when the request names two
 */
export function requireOrigin(req: NodeRequest, runtime: Runtime): string {
  const { canonicalOrigin } = runtime.config
  requireOneHost(req)
  if (canonicalOrigin) return canonicalOrigin
  const [protocol, host] = [protocolOf(req), hostOf(req)]
  const text = `${protocol}://${host}`
  if (!host || !HOST.test(host) || !/^https?$/.test(protocol) || !URL.canParse(text))
    throw coded("host-invalid", new BadRequest("the request has no valid host", { host, protocol }))
  return new URL(text).origin
}

/** Does the browser say that another site has made it send the request? */
export const isFromAnotherSite = (req: NodeRequest, { config }: Runtime): boolean =>
  isCrossSite(toHeaders(req), config.canonicalOrigin ? new URL(config.canonicalOrigin).host : (hostOf(req) ?? ""))

/** True if the request went through a proxy that the application does not trust, as far as its headers show. */
const isFromUntrustedProxy = (req: NodeRequest): boolean =>
  FORWARDING_HEADERS.some((name) => req.headers[name] !== undefined) && !trustsPeer(req)

/**
 * The client's address for the limits per client. It is undefined behind an untrusted proxy: the proxy's own address
 * would make one client of all visitors. Middleware that sets `req.ip` to another address knows better.
 */
export function readClientAddress(req: NodeRequest): string | undefined {
  const peer = req.socket?.remoteAddress
  const address = req.ip ?? peer
  return address === peer && isFromUntrustedProxy(req) ? undefined : address
}

function warnIfProxyIsUntrusted(req: NodeRequest, { config, logger, said }: Runtime): void {
  if (!isFromUntrustedProxy(req) || !said.claim("proxy")) return
  const site = config.canonicalOrigin ? "" : `the site is taken to be ${protocolOf(req)}://${req.headers.host}, and `
  logger.warn(
    "untrusted-proxy",
    `a request has headers of a proxy, but the application trusts no proxy, so ${site}the limits per client do not apply. If there is a proxy, write app.set("trust proxy", 1)`,
  )
}

/** Says once what makes links and cookies come out wrong, before somebody has to find out. */
export function noticeOrigin(req: NodeRequest, runtime: Runtime): void {
  const { config, logger, said } = runtime
  warnIfProxyIsUntrusted(req, runtime)
  noticeCookies(requireOrigin(req, runtime), runtime)
  const host = hostOf(req)
  if (config.canonicalOrigin && host !== new URL(config.canonicalOrigin).host && said.claim("host"))
    logger.warn(
      "other-host",
      `a request asked for the host ${host}; every link is made for AUTH_URL, ${config.canonicalOrigin}`,
    )
}

/** The option decides for every address, and what is right here may be wrong there. */
function noticeCookies(origin: string, { config, logger, said }: Runtime): void {
  const { useSecureCookies } = config
  if (useSecureCookies === false && origin.startsWith("https:") && said.claim("cookies"))
    logger.warn(
      "cookie-not-secure",
      `the site is on ${origin}, and useSecureCookies: false makes its cookies go along over http too, where others read them. Leave useSecureCookies out`,
    )
  // Browsers keep Secure cookies of plain http on this machine alone.
  const isKept = origin.startsWith("https:") || isOnThisMachine(origin)
  if (useSecureCookies === true && !isKept && said.claim("cookies"))
    logger.warn(
      "cookie-refused",
      `the site is on ${origin}, where browsers keep no cookie that is Secure, and nobody can sign in. Leave useSecureCookies out, or set AUTH_URL to the address with https:`,
    )
}
