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
 * The timeouts of nodemailer as shares of `sendTimeout`. They end earlier, because nodemailer's errors state at which
 * step the server stopped responding.
 */
const TIMEOUT_SHARES = { dnsTimeout: 0.8, connectionTimeout: 0.8, greetingTimeout: 0.8, socketTimeout: 0.9 }

/** Returns the timeouts for nodemailer in milliseconds, because its defaults are minutes. */
const nodemailerTimeouts = ({
  sendTimeout = DEFAULT_SEND_TIMEOUT_SECONDS,
}: MailParams["provider"]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(TIMEOUT_SHARES).map(([name, share]) => [name, Math.floor(sendTimeout * 1000 * share)]),
  )

const hasMethod = (value: unknown, name: string): boolean => typeof Reflect.get(Object(value), name) === "function"

function loadNodemailer(name: string): typeof import("nodemailer") {
  try {
    // Loaded with the first transport, because other providers do not need nodemailer.
    return createRequire(import.meta.url)("nodemailer")
  } catch (error) {
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND") throw error
    throw new Error(`${name} needs nodemailer: npm install nodemailer`)
  }
}

/** The options with which an application changes how nodemailer opens the connection. */
const CONNECTION_OPTIONS = ["getSocket", "proxy", "connection", "socket"]

const hasConnectionOption = (server: object): boolean => CONNECTION_OPTIONS.some((name) => Reflect.get(server, name))

function createTransport(provider: MailParams["provider"], name: string, getSocket: GetSocket): Transport {
  const { server } = provider
  if (hasMethod(server, "sendMail")) return server
  const { createTransport: create } = loadNodemailer(name)
  // A third-party transport, to which nodemailer adds `sendMail`.
  if (hasMethod(server, "send")) return create(server)
  const { url, ...serverOptions }: Record<string, unknown> =
    typeof server === "string" ? { url: server } : { ...server }
  // Options in the query of the URL override the others. They are merged here, because nodemailer before 10 ignores all
  // other options if there is a URL.
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
   * The connections of a pool, if nodemailer does not support signals. An email can use any of these connections, so
   * all are closed on a timeout.
   */
  readonly poolSockets: Set<Socket> | undefined
}

/**
 * Creates a function that sends emails. It creates its transport with the first email, and replaces the transport only
 * if the option `server` is another one.
 */
function createSender(name: string): MailConfig["sendVerificationRequest"] {
  let cached: CachedTransport | undefined
  const socketsOfEmail = new AsyncLocalStorage<Set<Socket>>()
  const createCached = ({ provider }: MailParams): CachedTransport => {
    const getSocket = createGetSocket(() => socketsOfEmail.getStore())
    const transport = createTransport(provider, name, getSocket)
    // A pool that the application has created is never closed here, because the application may use it elsewhere.
    const closesPool = isPool(transport) && transport !== provider.server && !supportsSignal()
    return { server: provider.server, transport, poolSockets: closesPool ? new Set<Socket>() : undefined }
  }
  return async (params) => {
    const mail = requireMail(params, name)
    if (cached === undefined || cached.server !== params.provider.server) cached = createCached(params)
    const { transport, poolSockets } = cached
    const sockets = poolSockets ?? new Set<Socket>()
    const close = () => {
      if (poolSockets) {
        transport.close?.()
        cached = undefined
      }
      // If nodemailer supports signals, its pool closes the connection itself.
      if (poolSockets || !isPool(transport)) destroyAll(sockets)
    }
    params.signal.addEventListener("abort", close, { once: true })
    try {
      await socketsOfEmail.run(sockets, () => send(transport, mail, params))
    } catch (error) {
      const reason = params.signal.aborted ? "no complete response in time" : explainTls(asError(error).message)
      // No `cause`: it contains the server's response, which can quote the email.
      throw new Error(`${name}: ${quote(reason, params)}`)
    } finally {
      params.signal.removeEventListener("abort", close)
    }
  }
}

/** Creates a function that checks the server's greeting, TLS and authentication. */
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
  // The address is checked here, because the error message of nodemailer can contain a password.
  if (typeof server === "string" && !isMailServer(server))
    throw new AuthError(
      `${name}: server is not a valid address such as smtp://user:password@smtp.example.com:587. Fix it or ${envPrefix(id)}_SERVER; write "/", "?", "#" and "@" in a name or password as %2F, %3F, %23 and %40`,
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
    sendVerificationRequest: withCode(createSender(vendor.name)),
    verifyServer: createVerifier(vendor.name),
    options,
  }
  requireServer(vendor, provider)
  return provider
}
