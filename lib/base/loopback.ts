const LOOPBACK_HOST = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
/** A loopback address as Node.js writes it; IPv4 also as an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i

/** True for an http or https URL with a loopback host. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return ["http:", "https:"].includes(protocol) && LOOPBACK_HOST.test(hostname)
}

/** Headers that proxies add. With one of them, the peer of the connection is not the client. */
export const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]

/** The parts of a request that show its sender and its host. */
interface Sender {
  readonly clientAddress: string | undefined
  readonly headers: Headers
  readonly origin: string
}

/**
 * True if the request comes from this machine and is for a loopback host. The host is checked because another site can
 * make its own host name resolve to this machine (DNS rebinding).
 */
export const isLoopbackRequest = ({ clientAddress, headers, origin }: Sender): boolean =>
  LOOPBACK_ADDRESS.test(clientAddress ?? "") &&
  isLoopbackUrl(origin) &&
  isLoopbackUrl(`http://${headers.get("host")}`) &&
  !FORWARDING_HEADERS.some((name) => headers.has(name))
