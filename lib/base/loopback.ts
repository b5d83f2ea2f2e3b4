const LOOPBACK_HOST = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
/**
 * Matches a loopback address as Node.js writes it. IPv4 can also be an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2).
 */
const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i

/** True for an http or https URL with a loopback host. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return ["http:", "https:"].includes(protocol) && LOOPBACK_HOST.test(hostname)
}

/**
 * Headers that proxies add. If a request has one of them, the connection's address is that of a proxy, not of the
 * client.
 */
export const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]

/** The parts of a request that identify its client and the requested host. */
interface RequestParts {
  readonly clientAddress: string | undefined
  readonly headers: Headers
  readonly origin: string
}

/**
 * True if a client on this machine sent the request to a loopback host, without a proxy. The host is checked because
 * another site can make its own host name resolve to this machine (DNS rebinding).
 */
export const isLoopbackRequest = ({ clientAddress, headers, origin }: RequestParts): boolean =>
  LOOPBACK_ADDRESS.test(clientAddress ?? "") &&
  isLoopbackUrl(origin) &&
  isLoopbackUrl(`http://${headers.get("host")}`) &&
  !FORWARDING_HEADERS.some((name) => headers.has(name))
