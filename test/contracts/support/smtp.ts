/**
 * A local mail server, and a parser for the emails that it receives.
 *
 * @module
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

export interface Delivered {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

export interface MailServer {
  readonly port: number
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string
  readonly delivered: Delivered[]
  /** The number of connections so far. */
  connections(): number
  close(): Promise<void>
}

const readAddress = (mailbox: unknown): string => String(Reflect.get(Object(mailbox), "address"))

/** Accepts every email unless the options differ. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const delivered: Delivered[] = []
  let connections = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 50,
    onConnect(_session, done) {
      connections++
      done()
    },
    onData(stream, { envelope }, done) {
      text(stream).then((raw) => {
        delivered.push({ from: readAddress(envelope.mailFrom), to: envelope.rcptTo.map(readAddress), raw })
        done()
      }, done)
    },
    ...options,
  })
  // Errors of a client are reported by the client.
  server.on("error", () => {})
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    delivered,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** An SMTP error with a code. */
export const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })

export interface FaultyServer {
  readonly url: string
  /** The number of open connections. */
  readonly open: ReadonlySet<Socket>
  close(): Promise<void>
}

/** A server that runs a function for each connection. */
export async function startFaultyServer(serve: (socket: Socket) => void): Promise<FaultyServer> {
  const open = new Set<Socket>()
  const server: Server = createServer((socket) => {
    open.add(socket)
    socket.on("error", () => {}).on("close", () => open.delete(socket))
    // The end of the connection is detected only while reading.
    socket.resume()
    serve(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Part {
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly type: string
  readonly body: string
}

const QUOTED = /=([\dA-F]{2})/g

const fromQuotedPrintable = (body: string): Buffer =>
  Buffer.from(
    body.replace(/=\r\n/g, "").replace(QUOTED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  )

const DECODERS: Readonly<Record<string, (body: string) => Buffer>> = {
  "7bit": (body) => Buffer.from(body),
  "8bit": (body) => Buffer.from(body),
  base64: (body) => Buffer.from(body, "base64"),
  "quoted-printable": fromQuotedPrintable,
}

/** Decodes encoded words (RFC 2047) and removes the white space between them. */
const decodeHeader = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      (encoding.toLowerCase() === "b"
        ? Buffer.from(word, "base64")
        : fromQuotedPrintable(word.replaceAll("_", " "))
      ).toString("utf8"),
    )

function split(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf("\r\n\r\n")
  const unfolded = raw.slice(0, end).replace(/\r\n[ \t]+/g, " ")
  const headers = unfolded.split("\r\n").map((line) => /^([^:]+):\s*(.*)$/s.exec(line) ?? [])
  return {
    headers: Object.fromEntries(headers.map(([, name = "", value = ""]) => [name.toLowerCase(), decodeHeader(value)])),
    body: raw.slice(end + 4),
  }
}

/** Parses an email (RFC 2045 to 2047) into headers and decoded parts. */
export function readMail(raw: string): { headers: Readonly<Record<string, string>>; parts: Part[] } {
  const { headers, body } = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1]
  if (boundary === undefined) throw new Error(`the email has no parts: ${raw}`)
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((section) => {
      const part = split(section.replace(/^\r\n/, ""))
      const decode = DECODERS[(part.headers["content-transfer-encoding"] ?? "7bit").toLowerCase()]
      if (!decode) throw new Error(`the part has an unknown encoding: ${section}`)
      // The line break before the boundary belongs to the boundary.
      const text = decode(part.body.replace(/\r\n$/, "")).toString("utf8").replaceAll("\r\n", "\n")
      return { headers: part.headers, type: part.headers["content-type"] ?? "", body: text }
    })
  return { headers, parts }
}
