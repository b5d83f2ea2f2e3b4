/**
 * A real mail server on this machine, and what a mail program makes of the mails that it took.
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
  /** How many connections were made. */
  connections(): number
  close(): Promise<void>
}

const addressOf = (mailbox: unknown): string => String(Reflect.get(Object(mailbox), "address"))

/** Takes every mail from everybody, but for what the options say. */
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
        delivered.push({ from: addressOf(envelope.mailFrom), to: envelope.rcptTo.map(addressOf), raw })
        done()
      }, done)
    },
    ...options,
  })
  // What a client does wrong is the client's to tell.
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

/** A refusal with a code of SMTP. */
export const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })

export interface FaultyServer {
  readonly url: string
  /** The connections that are still open. */
  readonly open: ReadonlySet<Socket>
  close(): Promise<void>
}

/** A server that does whatever it is told with each connection. */
export async function startFaultyServer(serve: (socket: Socket) => void): Promise<FaultyServer> {
  const open = new Set<Socket>()
  const server: Server = createServer((socket) => {
    open.add(socket)
    socket.on("error", () => {}).on("close", () => open.delete(socket))
    // Without a reader nobody would hear that the other side has gone.
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
  /** By lower-case name. */
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

/** Encoded words (RFC 2047); white space between two of them is none. */
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

/** A mail as a mail program reads it (RFC 2045 to 2047): its headers, and its parts decoded. */
export function readMail(raw: string): { headers: Readonly<Record<string, string>>; parts: Part[] } {
  const { headers, body } = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1]
  if (boundary === undefined) throw new Error(`the mail has no parts: ${raw}`)
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((section) => {
      const part = split(section.replace(/^\r\n/, ""))
      const decode = DECODERS[(part.headers["content-transfer-encoding"] ?? "7bit").toLowerCase()]
      if (!decode) throw new Error(`the part is encoded in another way: ${section}`)
      // The line break before the boundary belongs to the boundary.
      const text = decode(part.body.replace(/\r\n$/, "")).toString("utf8").replaceAll("\r\n", "\n")
      return { headers: part.headers, type: part.headers["content-type"] ?? "", body: text }
    })
  return { headers, parts }
}
