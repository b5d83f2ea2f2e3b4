/**
 * Sends sign-in emails with nodemailer: over SMTP, or with another transport.
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
  markRendersCode,
  type ReadyMail,
  requireMail,
  sanitizeText,
} from "./send-mail.js"
import { createGetSocket, destroyAll, explainTls, type GetSocket } from "./smtp-socket.js"

/** Options of the providers that send with nodemailer. */
export type SmtpOptions = Omit<MailUserConfig, "server"> & {
  /** A URL (`smtp://user:password@smtp.example.com:587`), nodemailer options, or a nodemailer transport. */
  server: string | object | undefined
}

/** The members of a nodemailer transport that are used here. */
interface Transport {
  sendMail(mail: object): Promise<unknown>
  /** Absent in third-party transports. */
  verify?(): Promise<unknown>
  close?(): void
}

type Vendor = Pick<MailConfig, "id" | "name">

const DEFAULT_SEND_TIMEOUT_SECONDS = 8
/**
 * nodemailer's timeouts as shares of `sendTimeout`. Each share is less than 1, so that nodemailer fails before
 * `sendTimeout` is over: its errors state at which step the server stopped responding.
 */
const TIMEOUT_SHARES = { dnsTimeout: 0.8, connectionTimeout: 0.8, greetingTimeout: 0.8, socketTimeout: 0.9 }

/** Returns nodemailer's timeouts in milliseconds. Without them, nodemailer would wait for minutes. */
const nodemailerTimeouts = ({
  sendTimeout = DEFAULT_SEND_TIMEOUT_SECONDS,
}: MailParams["provider"]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(TIMEOUT_SHARES).map(([name, share]) => [name, Math.floor(sendTimeout * 1000 * share)]),
  )

const hasMethod = (value: unknown, name: string): boolean => typeof Reflect.get(Object(value), name) === "function"

function loadNodemailer(vendorName: string): typeof import("nodemailer") {
  try {
    // Load nodemailer only when a transport is created, because applications without SMTP do not install it.
    return createRequire(import.meta.url)("nodemailer")
  } catch (error) {
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND") throw error
    throw new Error(`${vendorName} needs nodemailer: npm install nodemailer`)
  }
}

/** The options with which an application changes how nodemailer opens the connection. */
const CONNECTION_OPTIONS = ["getSocket", "proxy", "connection", "socket"]

const hasConnectionOption = (server: object): boolean => CONNECTION_OPTIONS.some((name) => Reflect.get(server, name))

function createTransport(provider: MailParams["provider"], vendorName: string, getSocket: GetSocket): Transport {
  const { server } = provider
  if (hasMethod(server, "sendMail")) return server
  const { createTransport: create } = loadNodemailer(vendorName)
  // A third-party transport, to which nodemailer adds `sendMail`.
  if (hasMethod(server, "send")) return create(server)
  const { url, ...serverOptions }: Record<string, unknown> =
    typeof server === "string" ? { url: server } : { ...server }
  // The options that nodemailer reads from the URL override `serverOptions`, as in nodemailer 10. Merge them here,
  // because older versions ignore all other options if there is a URL.
  const urlOptions: unknown = url === undefined ? {} : Reflect.get(create(String(url)), "options")
  const options = { ...nodemailerTimeouts(provider), ...serverOptions, ...Object(urlOptions) }
  return create(hasConnectionOption(options) ? options : { ...options, getSocket })
}

const countItems = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

function toMessage({ to, sender, subject, text, html }: ReadyMail, signal: AbortSignal): object {
  return {
    from: sender,
    // An object, because nodemailer's parser could find two recipients in a string (CVE-2022-35924).
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

/** True if the transport is a pool, which reuses its connections. */
const isPool = (transport: Transport): boolean => Reflect.get(Object(transport), "transporter")?.name === "SMTP (pool)"

/** True if the installed nodemailer supports an abort signal. Versions before 10.5 do not. */
function supportsSignal(): boolean {
  const { version } = createRequire(import.meta.url)("nodemailer/package.json")
  const [major, minor] = String(version).split(".").map(Number) as [number, number]
  return major > 10 || (major === 10 && minor >= 5)
}

/** A transport that is reused for later emails. */
interface CachedTransport {
  /** The option `server` from which the transport was created. */
  readonly server: unknown
  readonly transport: Transport
  /**
   * The open connections of a pool that has to be closed on a timeout, because nodemailer does not support signals. All
   * of them are closed, because an email can use any of them. Undefined for other transports.
   */
  readonly poolSockets: Set<Socket> | undefined
}

/**
 * Creates a function that sends emails. The function creates a transport for the first email and reuses it for later
 * emails. It creates a new transport if the option `server` has changed, or if it has closed its pool on a timeout.
 */
function createSender(vendorName: string): MailConfig["sendVerificationRequest"] {
  let cached: CachedTransport | undefined
  const currentSockets = new AsyncLocalStorage<Set<Socket>>()
  const createCached = ({ provider }: MailParams): CachedTransport => {
    const getSocket = createGetSocket(() => currentSockets.getStore())
    const transport = createTransport(provider, vendorName, getSocket)
    // A pool that the application has created is never closed here, because the application may use it elsewhere.
    const closesPool = isPool(transport) && transport !== provider.server && !supportsSignal()
    return { server: provider.server, transport, poolSockets: closesPool ? new Set<Socket>() : undefined }
  }
  return async (params) => {
    const mail = requireMail(params, vendorName)
    if (cached === undefined || cached.server !== params.provider.server) cached = createCached(params)
    const { transport, poolSockets } = cached
    const sockets = poolSockets ?? new Set<Socket>()
    const close = () => {
      if (poolSockets) {
        transport.close?.()
        cached = undefined
      }
      // Do not close the connections of other pools: on the signal, nodemailer itself closes the connection of the
      // email (10.5 and newer), and a pool of the application is never closed.
      if (poolSockets || !isPool(transport)) destroyAll(sockets)
    }
    params.signal.addEventListener("abort", close, { once: true })
    try {
      await currentSockets.run(sockets, () => send(transport, mail, params))
    } catch (error) {
      const reason = params.signal.aborted ? "no complete response in time" : explainTls(asError(error).message)
      // No `cause`: it contains the server's response, which can quote the email.
      throw new Error(`${vendorName}: ${sanitizeText(reason, params)}`)
    } finally {
      params.signal.removeEventListener("abort", close)
    }
  }
}

/** Creates a function that checks the server's greeting, TLS and authentication. */
const createVerifier =
  (vendorName: string): NonNullable<MailConfig["verifyServer"]> =>
  async (provider) => {
    const sockets = new Set<Socket>()
    const transport = createTransport(
      provider,
      vendorName,
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

const isSmtpUrl = (address: string): boolean => /^smtps?:\/\//i.test(address) && URL.canParse(address)

function requireServer({ id, name }: Vendor, provider: MailConfig): void {
  const missing = mailOptionProblems(provider).find(({ option }) => option === "server")
  if (missing) throw new AuthError(`${name}: server ${missing.seen}. ${missing.fix}`)
  const server: unknown = provider.options?.server
  // The address is checked here, because the error message of nodemailer can contain a password.
  if (typeof server === "string" && !isSmtpUrl(server))
    throw new AuthError(
      `${name}: server is not a valid address such as smtp://user:password@smtp.example.com:587. Correct this option or ${envPrefix(id)}_SERVER. In a name or password, write "/", "?", "#" and "@" as %2F, %3F, %23 and %40`,
    )
}

/**
 * Creates an email provider that sends with nodemailer.
 *
 * @throws AuthError when `server` is missing or invalid
 */
export function smtpProvider(vendor: Vendor, options: SmtpOptions): MailConfig {
  const provider: MailConfig = {
    ...vendor,
    type: "email",
    requires: ["server", "from"],
    maxAge: LINK_MAX_AGE_SECONDS,
    sendVerificationRequest: markRendersCode(createSender(vendor.name)),
    verifyServer: createVerifier(vendor.name),
    options,
  }
  requireServer(vendor, provider)
  return provider
}
