/**
 * Sign-in links sent over SMTP, or with any other transport of nodemailer.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { createRequire } from "node:module"
import type { Socket } from "node:net"
import { envPrefix } from "../env-name.js"
import { AuthError, asError } from "../errors.js"
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
} from "./send-mail.js"
import { destroyAll, explainTls, type GetSocket, socketsInto } from "./smtp-socket.js"

/** Options of the providers that send with nodemailer. */
export type SmtpOptions = Omit<MailUserConfig, "server"> & {
  /** An address (`smtp://user:password@smtp.example.com:587`), options of nodemailer, or a transport made with it. */
  server: string | object | undefined
}

/** As much as is needed of a transport of nodemailer. */
interface Transport {
  sendMail(mail: object): Promise<unknown>
  /** Absent in transports of somebody else's making. */
  verify?(): Promise<unknown>
  close?(): void
}

type Vendor = Pick<MailConfig, "id" | "name">

const DEFAULT_SEND_TIMEOUT_SECONDS = 8
/** nodemailer tells of a silent mail server before the time for sending is over: it knows where it was. */
const SHARES = { dnsTimeout: 0.8, connectionTimeout: 0.8, greetingTimeout: 0.8, socketTimeout: 0.9 }

/** nodemailer's own timeouts are minutes. */
const timeouts = ({ sendTimeout = DEFAULT_SEND_TIMEOUT_SECONDS }: MailParams["provider"]): Record<string, number> =>
  Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [name, Math.floor(sendTimeout * 1000 * share)]))

const hasMethod = (value: unknown, name: string): boolean => typeof Reflect.get(Object(value), name) === "function"

function loadNodemailer(name: string): typeof import("nodemailer") {
  try {
    // Loaded with the first mail: nobody else needs it.
    return createRequire(import.meta.url)("nodemailer")
  } catch (error) {
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND") throw error
    throw new Error(`${name} needs nodemailer: npm install nodemailer`)
  }
}

/** Options with which nodemailer opens the connection in another way. */
const OWN_CONNECTIONS = ["getSocket", "proxy", "connection", "socket"]

const opensItself = (server: object): boolean => OWN_CONNECTIONS.some((name) => Reflect.get(server, name))

function createTransport(provider: MailParams["provider"], name: string, getSocket: GetSocket): Transport {
  const { server } = provider
  if (hasMethod(server, "sendMail")) return server
  const { createTransport: create } = loadNodemailer(name)
  // A transport of somebody else's making.
  if (hasMethod(server, "send")) return create(server)
  const { url, ...own }: Record<string, unknown> = typeof server === "string" ? { url: server } : { ...server }
  // Options in the query of an address win over those beside it. Before 10 nodemailer ignores those beside an address.
  const ofUrl: unknown = url === undefined ? {} : Reflect.get(create(String(url)), "options")
  const options = { ...timeouts(provider), ...own, ...Object(ofUrl) }
  return create(opensItself(options) ? options : { ...options, getSocket })
}

const countOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

function toMessage({ to, sender, subject, text, html }: ReadyMail, signal: AbortSignal): object {
  return {
    from: sender,
    // Taken apart already: a parser could see two recipients in one text (CVE-2022-35924).
    to: { name: "", address: to },
    subject,
    text,
    html,
    // RFC 3834 §5: nobody's holiday answers this.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  }
}

async function send(transport: Transport, mail: ReadyMail, { signal }: MailParams): Promise<void> {
  // Of a transport of somebody else's making nothing may come: then it has taken the mail.
  const { rejected, pending } = Object(await raceWith(transport.sendMail(toMessage(mail, signal)), signal))
  if (countOf(rejected) + countOf(pending) > 0) throw new Error("the mail server did not take the recipient")
}

/** Does the transport keep its connections for further mails? */
const isPool = (transport: Transport): boolean => Reflect.get(Object(transport), "transporter")?.name === "SMTP (pool)"

/** Does nodemailer end a mail by the signal it was given? Versions before 10.5 do not. */
function heedsSignal(): boolean {
  const { version } = createRequire(import.meta.url)("nodemailer/package.json")
  const [major, minor] = String(version).split(".").map(Number) as [number, number]
  return major > 10 || (major === 10 && minor >= 5)
}

/** A transport that is kept for the next mail. */
interface Kept {
  readonly server: unknown
  readonly transport: Transport
  /** The connections of a pool of a nodemailer without signals: a mail may be on any, so all are closed. */
  readonly pooled: Set<Socket> | undefined
}

/** Sends with one transport, made with the first mail and made anew only for another server. */
function createSender(name: string): MailConfig["sendVerificationRequest"] {
  let kept: Kept | undefined
  const ofMail = new AsyncLocalStorage<Set<Socket>>()
  const keep = ({ provider }: MailParams): Kept => {
    const getSocket = socketsInto(() => ofMail.getStore())
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
      // Connections of other pools are closed by nodemailer.
      if (pooled || !isPool(transport)) destroyAll(sockets)
    }
    params.signal.addEventListener("abort", close, { once: true })
    try {
      await ofMail.run(sockets, () => send(transport, mail, params))
    } catch (error) {
      const reason = params.signal.aborted ? "no complete answer in time" : explainTls(asError(error).message)
      // Without the error behind it: that one has the mail server's words in it, and they may be those of the mail.
      throw new Error(`${name}: ${quote(reason, params)}`)
    } finally {
      params.signal.removeEventListener("abort", close)
    }
  }
}

/** The server's greeting, TLS, and name and password. */
const createVerifier =
  (name: string): NonNullable<MailConfig["verifyServer"]> =>
  async (provider) => {
    const sockets = new Set<Socket>()
    const transport = createTransport(
      provider,
      name,
      socketsInto(() => sockets),
    )
    try {
      await transport.verify?.()
    } catch (error) {
      throw new Error(explainTls(asError(error).message), { cause: error })
    } finally {
      destroyAll(sockets)
      // One of the application's own stays open.
      if (transport !== provider.server) transport.close?.()
    }
  }

const isMailServer = (address: string): boolean => /^smtps?:\/\//i.test(address) && URL.canParse(address)

function requireServer({ id, name }: Vendor, provider: MailConfig): void {
  const missing = mailOptionProblems(provider).find(({ option }) => option === "server")
  if (missing) throw new AuthError(`${name}: server ${missing.message}`)
  const server: unknown = provider.options?.server
  // Its text may hold a password.
  if (typeof server === "string" && !isMailServer(server))
    throw new AuthError(
      `${name}: server is no address such as smtp://user:password@smtp.example.com:587. Mend it, or ${envPrefix(id)}_SERVER; "/", "?", "#" and "@" in a name or password are written %2F, %3F, %23 and %40`,
    )
}

/**
 * Makes a provider of e-mail links that sends with nodemailer.
 *
 * @throws AuthError when there is no `server`
 */
export function smtpProvider(vendor: Vendor, options: SmtpOptions): MailConfig {
  const provider: MailConfig = {
    ...vendor,
    type: "email",
    requires: ["server", "from"],
    maxAge: LINK_MAX_AGE_SECONDS,
    sendVerificationRequest: createSender(vendor.name),
    verifyServer: createVerifier(vendor.name),
    options,
  }
  requireServer(vendor, provider)
  return provider
}
