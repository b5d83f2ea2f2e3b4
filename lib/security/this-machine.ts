const LOOPBACK_HOST = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
/** As Node writes the address of the other side; IPv4 also within IPv6 (RFC 4291 §2.5.5.2). */
const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i

/** Is it an address of this machine, http or https? */
export function isOnThisMachine(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return ["http:", "https:"].includes(protocol) && LOOPBACK_HOST.test(hostname)
}

/** Headers that proxies add: the peer of the connection is then not the client. */
export const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]

/** What of a request says who sent it, and to which host. */
interface Sender {
  readonly clientAddress: string | undefined
  readonly headers: Headers
  readonly origin: string
}

/**
 * Did somebody at this machine send the request, to this machine's own name? The name counts because a page of
 * another site can have its own name lead here (DNS rebinding).
 */
export const isFromThisMachine = ({ clientAddress, headers, origin }: Sender): boolean =>
  LOOPBACK_ADDRESS.test(clientAddress ?? "") &&
  isOnThisMachine(origin) &&
  isOnThisMachine(`http://${headers.get("host")}`) &&
  !FORWARDING_HEADERS.some((name) => headers.has(name))
