import { FORWARDING_HEADERS, isLoopbackUrl } from "../base/loopback.js"
import { coded } from "../errors/error-codes.js"
import { BadRequest } from "../errors/errors.js"
import type { Runtime } from "../runtime/runtime.js"
import { isCrossSite } from "../security/csrf.js"
import type { NodeRequest } from "./node.js"
import { toHeaders } from "./web-request.js"

/** Returns the first element of a list header; undefined if there is none. */
const firstElement = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(",")[0]?.trim() || undefined

/** True if the application's setting `trust proxy` covers the address from which the connection comes. */
function trustsPeer(req: NodeRequest): boolean {
  const trust: unknown = req.app?.get("trust proxy fn")
  return typeof trust === "function" && Boolean(trust(req.socket?.remoteAddress, 0))
}

/**
 * Returns the host of the request, like `req.host` in Express 5: from `X-Forwarded-Host` if the proxy is trusted, or
 * else from `:authority` or `Host`.
 */
function readHost(req: NodeRequest): string | undefined {
  const forwarded = trustsPeer(req) ? firstElement(req.headers["x-forwarded-host"]) : undefined
  return forwarded ?? firstElement(req.headers[":authority"]) ?? req.headers.host
}

/**
 * Rejects an HTTP/2 request whose `Host` and `:authority` differ (RFC 9113 §8.3.1). A proxy may have checked one of
 * them, while this package would use the other.
 */
function requireOneHost({ headers }: NodeRequest): void {
  const authority = firstElement(headers[":authority"])
  const { host } = headers
  if (authority === undefined || host === undefined || authority.toLowerCase() === host.toLowerCase()) return
  throw coded("host-invalid", new BadRequest("Host differs from :authority", { host, authority }))
}

const isEncrypted = (req: NodeRequest): boolean =>
  "encrypted" in (req.socket ?? {}) && Boolean(Reflect.get(req.socket, "encrypted"))

/** Returns the scheme in lower case. A proxy may send it in upper case (RFC 3986 §3.1). */
const readProtocol = (req: NodeRequest): string => req.protocol?.toLowerCase() ?? (isEncrypted(req) ? "https" : "http")

/** True if the site uses https, according to AUTH_URL or, without AUTH_URL, according to the request. */
export const isSecure = (req: NodeRequest, { config }: Runtime): boolean =>
  config.canonicalOrigin ? config.canonicalOrigin.startsWith("https:") : readProtocol(req) === "https"

const HOST = /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * Returns the site's origin: from AUTH_URL, or else from the request. The setting `trust proxy` decides whether the
 * request's forwarding headers are used.
 *
 * @throws BadRequest if the request has no valid host, or if `Host` and `:authority` differ
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

/**
 * True if the headers that the browser sent show that a page of another site caused the request.
 *
 * @throws BadRequest in the same cases as `requireOrigin`
 */
export const isFromAnotherSite = (req: NodeRequest, runtime: Runtime): boolean =>
  isCrossSite(toHeaders(req), new URL(requireOrigin(req, runtime)).host)

/** True if the host of the request is the host of the URL, regardless of case and of the default port. */
function matchesHost(req: NodeRequest, { protocol, host }: URL): boolean {
  const text = `${protocol}//${readHost(req)}`
  return URL.canParse(text) && new URL(text).host === host
}

/**
 * True if the header `Origin` shows that a page of another origin caused the request. False without `Origin`, because
 * browsers always send this header when a page opens a WebSocket or an EventSource of another origin.
 */
export function isFromOtherOrigin(req: NodeRequest, { config }: Runtime): boolean {
  const { origin } = req.headers
  if (origin === undefined) return false
  if (config.canonicalOrigin) return origin !== config.canonicalOrigin
  // Only the hosts are compared, because the scheme of an upgrade request is unknown behind a proxy.
  return !URL.canParse(origin) || !matchesHost(req, new URL(origin))
}

/** True if the request has forwarding headers of a proxy that the application does not trust. */
const isFromUntrustedProxy = (req: NodeRequest): boolean =>
  FORWARDING_HEADERS.some((name) => req.headers[name] !== undefined) && !trustsPeer(req)

/**
 * Returns the client's IP address for the limits per client. Returns undefined behind an untrusted proxy, because all
 * visitors would then share the proxy's address. If other middleware has set `req.ip`, that address is returned.
 */
export function readClientAddress(req: NodeRequest): string | undefined {
  const peer = req.socket?.remoteAddress
  const address = req.ip ?? peer
  return address === peer && isFromUntrustedProxy(req) ? undefined : address
}

function warnIfProxyIsUntrusted(req: NodeRequest, { config, logger, warnedOnce }: Runtime): void {
  if (!isFromUntrustedProxy(req) || !warnedOnce.addIfAbsent("proxy")) return
  const assumption = config.canonicalOrigin
    ? ""
    : `the site's address is assumed to be ${readProtocol(req)}://${req.headers.host}, and `
  logger.warn(
    "untrusted-proxy",
    `a request has headers of a proxy that the application does not trust, so ${assumption}the limits per client do not apply. If there is a proxy, write app.set("trust proxy", 1)`,
  )
}

/**
 * Warns, once for each setting, if `trust proxy`, AUTH_URL or `useSecureCookies` does not fit the request.
 *
 * @throws BadRequest in the same cases as `requireOrigin`
 */
export function warnIfOriginIsWrong(req: NodeRequest, runtime: Runtime): void {
  const { config, logger, warnedOnce } = runtime
  warnIfProxyIsUntrusted(req, runtime)
  warnIfSecureCookiesMismatch(requireOrigin(req, runtime), runtime)
  const { canonicalOrigin } = config
  if (canonicalOrigin && !matchesHost(req, new URL(canonicalOrigin)) && warnedOnce.addIfAbsent("host"))
    logger.warn(
      "other-host",
      `a request is for the host ${readHost(req)}, but all links use AUTH_URL, ${canonicalOrigin}`,
    )
}

/** Warns once if `useSecureCookies` does not fit the scheme of the site's origin. */
function warnIfSecureCookiesMismatch(origin: string, { config, logger, warnedOnce }: Runtime): void {
  const { useSecureCookies } = config
  if (useSecureCookies === false && origin.startsWith("https:") && warnedOnce.addIfAbsent("cookies"))
    logger.warn(
      "cookie-not-secure",
      `the site is on ${origin}, but with useSecureCookies: false browsers also send its cookies over unencrypted http. Remove useSecureCookies`,
    )
  // On http, browsers accept Secure cookies only from loopback addresses.
  const isAccepted = origin.startsWith("https:") || isLoopbackUrl(origin)
  if (useSecureCookies === true && !isAccepted && warnedOnce.addIfAbsent("cookies"))
    logger.warn(
      "cookie-refused",
      `the site is on ${origin}, where browsers reject Secure cookies, so users can't sign in. Remove useSecureCookies, or set AUTH_URL to the site's https address`,
    )
}
