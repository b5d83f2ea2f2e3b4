/**
 * The connections to a mail server. They are opened here, so that they can be closed when the time for sending is over:
 * nodemailer before 10.5 keeps one open for as long as the server goes on answering.
 *
 * @module
 */
import { connect, type Socket } from "node:net"
import { asError } from "../errors.js"

/** The options of nodemailer that a connection needs. */
export interface SocketOptions {
  readonly host?: string
  readonly port?: number | string
  readonly secure?: boolean
  readonly localAddress?: string
  readonly connectionTimeout?: number
}

/** What nodemailer's documented option `getSocket` takes; it begins TLS by itself. */
export type GetSocket = (
  options: SocketOptions,
  callback: (error: Error | null, found?: { connection: Socket }) => void,
) => void

/** Of an error for several addresses, the first: its own text is empty. */
const firstError = (error: Error): Error =>
  error.message === "" && error instanceof AggregateError ? asError(error.errors[0]) : error

/** Opens connections into the set that `owner` returns. */
export const socketsInto =
  (owner: () => Set<Socket> | undefined): GetSocket =>
  ({ host = "localhost", port, secure = false, localAddress, connectionTimeout }, callback) => {
    const socket = connect({ host, port: Number(port) || (secure ? 465 : 587), ...(localAddress && { localAddress }) })
    const sockets = owner()
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

/** The failure of a connection, with what to write where TLS is the reason. */
export function explainTls(message: string): string {
  if (UNTRUSTED.test(message))
    return `${message}. Name the authority that signed the mail server's certificate: server: { host, port, tls: { ca } }, or start Node.js with NODE_EXTRA_CA_CERTS=ca.pem`
  return NOT_TLS.test(message)
    ? "the port does not begin with TLS. Write smtp:// instead of smtps://, or secure: false: TLS then begins with STARTTLS"
    : message
}
