/**
 * Email links sent over SMTP or another nodemailer transport.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks"
import { createRequire } from "node:module"
import type { Socket } from "node:net"
import { envPrefix } from "../base/text.js"
import { AuthError, asError } from "../errors/errors.js"
import { raceWith } from "../security/outbound.js"
import {
  LINK_MAX_AGE_SECONDS,
  type MailConfig,
  type MailParams,
  type MailUserConfig,
  mailOptionProblems,
  quote,
  type ReadyMail,
  requireMail,
  withCode,
} from "./send-mail.js"
import { createGetSocket, destroyAll, explainTls, type GetSocket } from "./smtp-socket.js"

/** Options of the providers that send with nodemailer. */
export type SmtpOptions = Omit<MailUserConfig, "server"> & {
  /** A URL (`smtp://user:password@smtp.example.com:587`), nodemailer options, or a nodemailer transport. */
  server: string | object | undefined
}

/** The used members of a nodemailer transport. */
interface Transport {
  sendMail(mail: object): Promise<unknown>
  /** Absent in third-party transports. */
  verify?(): Promise<unknown>
  close?(): void
}

type Vendor = Pick<MailConfig, "id" | "name">

const DEFAULT_SEND_TIMEOUT_SECONDS = 8
/** nodemailer's timeout is shorter than ours, because its error states at which step the server stopped responding. */
const SHARES = { dnsTimeout: 0.8, connectionTimeout: 0.8, greetingTimeout: 0.8, socketTimeout: 0.9 }

/** nodemailer's own timeouts are minutes. */
const timeouts = ({ sendTimeout = DEFAULT_SEND_TIMEOUT_SECONDS }: MailParams["provider"]): Record<string, number> =>
  Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [name, Math.floor(sendTimeout * 1000 * share)]))

const hasMethod = (value: unknown, name: string): boolean => typeof Reflect.get(Object(value), name) === "function"

function loadNodemailer(name: string): typeof import("nodemailer") {
  try {
    // Loaded with the first email, because other providers do not need it.
    return createRequire(import.meta.url)("nodemailer")
  } catch (error) {
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND") throw error
    throw new Error(`${name} needs nodemailer: npm install nodemailer`)
  }
}

/** Options that change how nodemailer opens the connection. */
const OWN_CONNECTIONS = ["getSocket", "proxy", "connection", "socket"]

const opensItself = (server: object): boolean => OWN_CONNECTIONS.some((name) => Reflect.get(server, name))

function createTransport(provider: MailParams["provider"], name: string, getSocket: GetSocket): Transport {
  const { server } = provider
  if (hasMethod(server, "sendMail")) return server
  const { createTransport: create } = loadNodemailer(name)
  // A third-party transport.
  if (hasMethod(server, "send")) return create(server)
  const { url, ...own }: Record<string, unknown> = typeof server === "string" ? { url: server } : { ...server }
  // Options in the query of a URL override the others. nodemailer before 10 ignores other options next to a URL.
  const ofUrl: unknown = url === undefined ? {} : Reflect.get(create(String(url)), "options")
  const options = { ...timeouts(provider), ...own, ...Object(ofUrl) }
  return create(opensItself(options) ? options : { ...options, getSocket })
}

const countItems = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

function toMessage({ to, sender, subject, text, html }: ReadyMail, signal: AbortSignal): object {
  return {
    from: sender,
    // Already parsed: nodemailer's parser could find two recipients in one string (CVE-2022-35924).
    to: { name: "", address: to },
    subject,
    text,
    html,
    // RFC 3834 §5: suppresses automatic replies.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  }
}

async function send(transport: Transport, mail: ReadyMail, { signal }: MailParams): Promise<void> {
  // A third-party transport may return nothing; the email is then treated as sent.
  const { rejected, pending } = Object(await raceWith(transport.sendMail(toMessage(mail, signal)), signal))
  if (countItems(rejected) + countItems(pending) > 0) throw new Error("the SMTP server rejected the recipient")
}

/** Whether the transport reuses its connections. */
const isPool = (transport: Transport): boolean => Reflect.get(Object(transport), "transporter")?.name === "SMTP (pool)"

/** Whether nodemailer supports an abort signal. Versions before 10.5 do not. */
function heedsSignal(): boolean {
  const { version } = createRequire(import.meta.url)("nodemailer/package.json")
  const [major, minor] = String(version).split(".").map(Number) as [number, number]
  return major > 10 || (major === 10 && minor >= 5)
}

/** A transport that is reused for the next email. */
interface Kept {
  readonly server: unknown
  readonly transport: Transport
  /** The connections of a pool without signal support. An email can use any of them, so all are closed. */
  readonly pooled: Set<Socket> | undefined
}

/** Sends with one transport, which is created with the first email and replaced only for another server. */
function createSender(name: string): MailConfig["sendVerificationRequest"] {
  let kept: Kept | undefined
  const ofMail = new AsyncLocalStorage<Set<Socket>>()
  const keep = ({ provider }: MailParams): Kept => {
    const getSocket = createGetSocket(() => ofMail.getStore())
    const transport = createTransport(provider, name, getSocket)
    return { server: provider.server, transport, pooled: isPool(transport) && !heedsSignal() ? new Set() : undefined }
  }
  return async (params) => {
    const mail = requireMail(params, name)
    if (kept === undefined || kept.server !== params.provider.server) kept = keep(params)
    const { transport, pooled } = kept
    const sockets = pooled ?? new Set<Socket>()
    const close = () => {
      if (pooled) {
        transport.close?.()
        kept = undefined
      }
      // nodemailer closes the connections of other pools.
      if (pooled || !isPool(transport)) destroyAll(sockets)
    }
    params.signal.addEventListener("abort", close, { once: true })
    try {
      await ofMail.run(sockets, () => send(transport, mail, params))
    } catch (error) {
      const reason = params.signal.aborted ? "no complete response in time" : explainTls(asError(error).message)
      // No `cause`: it contains the server's response, which can quote the email.
      throw new Error(`${name}: ${quote(reason, params)}`)
    } finally {
      params.signal.removeEventListener("abort", close)
    }
  }
}

/** Checks the server's greeting, TLS, and authentication. */
const createVerifier =
  (name: string): NonNullable<MailConfig["verifyServer"]> =>
  async (provider) => {
    const sockets = new Set<Socket>()
    const transport = createTransport(
      provider,
      name,
      createGetSocket(() => sockets),
    )
    try {
      await transport.verify?.()
    } catch (error) {
      throw new Error(explainTls(asError(error).message), { cause: error })
    } finally {
      destroyAll(sockets)
      // The application's own transport stays open.
      if (transport !== provider.server) transport.close?.()
    }
  }

const isMailServer = (address: string): boolean => /^smtps?:\/\//i.test(address) && URL.canParse(address)

function requireServer({ id, name }: Vendor, provider: MailConfig): void {
  const missing = mailOptionProblems(provider).find(({ option }) => option === "server")
  if (missing) throw new AuthError(`${name}: server ${missing.seen}. ${missing.fix}`)
  const server: unknown = provider.options?.server
  // Its message can contain a password.
  if (typeof server === "string" && !isMailServer(server))
    throw new AuthError(
      `${name}: server is not a valid address such as smtp://user:password@smtp.example.com:587. Fix it or ${envPrefix(id)}_SERVER; write "/", "?", "#" and "@" in a name or password as %2F, %3F, %23 and %40`,
    )
}

/**
 * Creates an email provider that sends with nodemailer.
 *
 * @throws AuthError when there is no `server`
 */
export function smtpProvider(vendor: Vendor, options: SmtpOptions): MailConfig {
  const provider: MailConfig = {
    ...vendor,
    type: "email",
    requires: ["server", "from"],
    maxAge: LINK_MAX_AGE_SECONDS,
    sendVerificationRequest: withCode(createSender(vendor.name)),
    verifyServer: createVerifier(vendor.name),
    options,
  }
  requireServer(vendor, provider)
  return provider
}
