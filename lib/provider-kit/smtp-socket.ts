/**
 * The connections to an SMTP server. They are opened here so that they can be closed on a timeout: nodemailer before
 * 10.5 keeps a connection open while the server keeps responding.
 *
 * @module
 */
import { connect, type Socket } from "node:net"
import { asError } from "../errors/errors.js"

/** The nodemailer options that a connection needs. */
export interface SocketOptions {
  readonly host?: string
  readonly port?: number | string
  readonly secure?: boolean
  readonly localAddress?: string
  readonly connectionTimeout?: number
}

/** The type of nodemailer's option `getSocket`. nodemailer starts TLS itself. */
export type GetSocket = (
  options: SocketOptions,
  callback: (error: Error | null, found?: { connection: Socket }) => void,
) => void

/** The first error of an AggregateError, whose own message is empty. */
const firstError = (error: Error): Error =>
  error.message === "" && error instanceof AggregateError ? asError(error.errors[0]) : error

/** Creates a `getSocket` option. Its connections are in the set that `currentSet` returns until they close. */
export const createGetSocket =
  (currentSet: () => Set<Socket> | undefined): GetSocket =>
  ({ host = "localhost", port, secure = false, localAddress, connectionTimeout }, callback) => {
    const socket = connect({ host, port: Number(port) || (secure ? 465 : 587), ...(localAddress && { localAddress }) })
    const sockets = currentSet()
    sockets?.add(socket)
    const timer =
      connectionTimeout && setTimeout(() => socket.destroy(new Error("Connection timeout")), connectionTimeout)
    const failed = (error: Error) => callback(firstError(error))
    socket.once("close", () => {
      clearTimeout(timer)
      sockets?.delete(socket)
    })
    socket.once("error", failed)
    socket.once("connect", () => {
      clearTimeout(timer)
      socket.off("error", failed)
      socket.setKeepAlive(true)
      callback(null, { connection: socket })
    })
  }

/** Closes the connections at once. */
export function destroyAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy()
}

const UNTRUSTED = /self[- ]signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/i
const NOT_TLS = /wrong version number|packet length too long|SSL routines|EPROTO/i

/** Describes a connection error, with the fix if TLS is the cause. */
export function explainTls(message: string): string {
  if (UNTRUSTED.test(message))
    return `${message}. Trust the authority that signed the SMTP server's certificate: server: { host, port, tls: { ca } }, or start Node.js with NODE_EXTRA_CA_CERTS=ca.pem`
  return NOT_TLS.test(message)
    ? "the port does not start with TLS. Write smtp:// instead of smtps://, or secure: false, to use STARTTLS"
    : message
}
