/**
 * Opens the connections to an SMTP server for nodemailer, so that they can be closed on a timeout. nodemailer before
 * 10.5 keeps a connection open as long as the server keeps responding.
 *
 * @module
 */
import { connect, type Socket } from "node:net"
import { asError } from "../errors/errors.js"

/** The options of nodemailer with which a connection is opened. */
export interface SocketOptions {
  readonly host?: string
  readonly port?: number | string
  readonly secure?: boolean
  readonly localAddress?: string
  readonly connectionTimeout?: number
}

/** The type of nodemailer's option `getSocket`. nodemailer starts TLS on the connection that `callback` receives. */
export type GetSocket = (
  options: SocketOptions,
  callback: (error: Error | null, found?: { connection: Socket }) => void,
) => void

/**
 * Returns the first error in an AggregateError without a message, as `connect` creates it. Returns other errors
 * unchanged.
 */
const firstError = (error: Error): Error =>
  error.message === "" && error instanceof AggregateError ? asError(error.errors[0]) : error

/**
 * Creates a `getSocket` option that opens connections. While a connection is open, it is in the set that `currentSet`
 * returned for it.
 */
export const createGetSocket =
  (currentSet: () => Set<Socket> | undefined): GetSocket =>
  ({ host = "localhost", port, secure = false, localAddress, connectionTimeout }, callback) => {
    const socket = connect({ host, port: Number(port) || (secure ? 465 : 587), ...(localAddress && { localAddress }) })
    const sockets = currentSet()
    sockets?.add(socket)
    const timer =
      connectionTimeout && setTimeout(() => socket.destroy(new Error("Connection timeout")), connectionTimeout)
    const onError = (error: Error) => callback(firstError(error))
    socket.once("close", () => {
      clearTimeout(timer)
      sockets?.delete(socket)
    })
    socket.once("error", onError)
    socket.once("connect", () => {
      clearTimeout(timer)
      socket.off("error", onError)
      socket.setKeepAlive(true)
      callback(null, { connection: socket })
    })
  }

/** Closes the connections at once. */
export function destroyAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy()
}

const UNTRUSTED_CERTIFICATE =
  /self[- ]signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/i
const NOT_TLS = /wrong version number|packet length too long|SSL routines|EPROTO/i

/** Returns the message of a connection error. If TLS is the cause, the result contains the fix. */
export function explainTls(message: string): string {
  if (UNTRUSTED_CERTIFICATE.test(message))
    return `${message}. Trust the authority that signed the SMTP server's certificate: server: { host, port, tls: { ca } }, or start Node.js with NODE_EXTRA_CA_CERTS=ca.pem`
  return NOT_TLS.test(message)
    ? "the port does not start with TLS. Write smtp:// instead of smtps://, or secure: false, to use STARTTLS"
    : message
}
