import { FORWARDING_HEADERS, isLoopbackUrl } from "../base/loopback.js"
import { coded } from "../errors/error-codes.js"
import { BadRequest } from "../errors/errors.js"
import type { Runtime } from "../runtime/runtime.js"
import { isCrossSite } from "../security/csrf.js"
import type { NodeRequest } from "./node.js"
import { toHeaders } from "./web-request.js"

/** The first element of a header with a list. */
const first = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(",")[0]?.trim() || undefined

/** True if the application's `trust proxy` setting trusts the peer of the connection. */
function trustsPeer(req: NodeRequest): boolean {
  const trust: unknown = req.app?.get("trust proxy fn")
  return typeof trust === "function" && Boolean(trust(req.socket?.remoteAddress, 0))
}

/**
 * The host of the request, as `req.host` of Express 5: from `X-Forwarded-Host` if the proxy is trusted, else `Host`.
 */
function readHost(req: NodeRequest): string | undefined {
  const forwarded = trustsPeer(req) ? first(req.headers["x-forwarded-host"]) : undefined
  return forwarded ?? first(req.headers[":authority"]) ?? req.headers.host
}

/**
 * Rejects an HTTP/2 request whose `Host` differs from its `:authority` (RFC 9113 §8.3.1): a proxy may have checked the
 * other one.
 */
function requireOneHost({ headers }: NodeRequest): void {
  const authority = first(headers[":authority"])
  const { host } = headers
  if (authority === undefined || host === undefined || authority.toLowerCase() === host.toLowerCase()) return
  throw coded("host-invalid", new BadRequest("Host differs from :authority", { host, authority }))
}

const isEncrypted = (req: NodeRequest): boolean =>
  "encrypted" in (req.socket ?? {}) && Boolean(Reflect.get(req.socket, "encrypted"))

/** The scheme in lower case; a proxy may send it in any case (RFC 3986 §3.1). */
const readProtocol = (req: NodeRequest): string => req.protocol?.toLowerCase() ?? (isEncrypted(req) ? "https" : "http")

/** True if the site uses https: by AUTH_URL, else by the request's scheme. */
export const isSecure = (req: NodeRequest, { config }: Runtime): boolean =>
  config.canonicalOrigin ? config.canonicalOrigin.startsWith("https:") : readProtocol(req) === "https"

const HOST = /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * The site's origin: from AUTH_URL, else from the request. `trust proxy` decides whether its forwarding headers are used.
 *
 * @throws BadRequest if the request has no valid host, or two different ones
 */
export function requireOrigin(req: NodeRequest, runtime: Runtime): string {
  const { canonicalOrigin } = runtime.config
  requireOneHost(req)
  if (canonicalOrigin) return canonicalOrigin
  const [protocol, host] = [readProtocol(req), readHost(req)]
  const text = `${protocol}://${host}`
  if (!host || !HOST.test(host) || !/^https?$/.test(protocol) || !URL.canParse(text))
    throw coded("host-invalid", new BadRequest("the request has no valid host", { host, protocol }))
  return new URL(text).origin
}

/** True if the browser's headers show that another site has caused the request. */
export const isFromAnotherSite = (req: NodeRequest, { config }: Runtime): boolean =>
  isCrossSite(toHeaders(req), config.canonicalOrigin ? new URL(config.canonicalOrigin).host : (readHost(req) ?? ""))

/** True if a page of another origin has caused the request. Clients other than browsers send no `Origin`. */
export function isFromOtherOrigin(req: NodeRequest, { config }: Runtime): boolean {
  const { origin } = req.headers
  if (origin === undefined) return false
  if (config.canonicalOrigin) return origin !== config.canonicalOrigin
  // The protocol of an upgrade request is unknown behind a proxy.
  return !URL.canParse(origin) || new URL(origin).host !== readHost(req)
}

/** True if the request went through a proxy that the application does not trust, as far as its headers show. */
const isFromUntrustedProxy = (req: NodeRequest): boolean =>
  FORWARDING_HEADERS.some((name) => req.headers[name] !== undefined) && !trustsPeer(req)

/**
 * The client's address for the limits per client. It is undefined behind an untrusted proxy, because with the proxy's
 * address all visitors would be one client. If other middleware has set `req.ip` to another address, that one is used.
 */
export function readClientAddress(req: NodeRequest): string | undefined {
  const peer = req.socket?.remoteAddress
  const address = req.ip ?? peer
  return address === peer && isFromUntrustedProxy(req) ? undefined : address
}

function warnIfProxyIsUntrusted(req: NodeRequest, { config, logger, warnedOnce }: Runtime): void {
  if (!isFromUntrustedProxy(req) || !warnedOnce.addIfAbsent("proxy")) return
  const site = config.canonicalOrigin
    ? ""
    : `the site's address is assumed to be ${readProtocol(req)}://${req.headers.host}, and `
  logger.warn(
    "untrusted-proxy",
    `a request has headers of a proxy, but the application trusts no proxy, so ${site}the limits per client do not apply. If there is a proxy, write app.set("trust proxy", 1)`,
  )
}

/** Warns once for each setting that makes links or cookies wrong. */
export function warnIfOriginIsWrong(req: NodeRequest, runtime: Runtime): void {
  const { config, logger, warnedOnce } = runtime
  warnIfProxyIsUntrusted(req, runtime)
  warnIfCookiesAreInsecure(requireOrigin(req, runtime), runtime)
  const host = readHost(req)
  if (config.canonicalOrigin && host !== new URL(config.canonicalOrigin).host && warnedOnce.addIfAbsent("host"))
    logger.warn(
      "other-host",
      `a request is for the host ${host}, but all links use AUTH_URL, ${config.canonicalOrigin}`,
    )
}

/** Warns if `useSecureCookies`, which applies to all addresses of the site, does not suit this one. */
function warnIfCookiesAreInsecure(origin: string, { config, logger, warnedOnce }: Runtime): void {
  const { useSecureCookies } = config
  if (useSecureCookies === false && origin.startsWith("https:") && warnedOnce.addIfAbsent("cookies"))
    logger.warn(
      "cookie-not-secure",
      `the site is on ${origin}, but with useSecureCookies: false browsers also send its cookies over http, where others can read them. Leave useSecureCookies out`,
    )
  // On http, browsers accept Secure cookies only from loopback addresses.
  const isAccepted = origin.startsWith("https:") || isLoopbackUrl(origin)
  if (useSecureCookies === true && !isAccepted && warnedOnce.addIfAbsent("cookies"))
    logger.warn(
      "cookie-refused",
      `the site is on ${origin}, where browsers reject Secure cookies, so users can't sign in. Leave useSecureCookies out, or set AUTH_URL to the site's https address`,
    )
}
