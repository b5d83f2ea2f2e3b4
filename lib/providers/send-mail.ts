/**
 * What the providers of e-mail links share: which options they need, and one bounded call to a vendor's API.
 *
 * @module
 */
import { envPrefix } from "../env-name.js"
import { asError } from "../errors.js"
import { defined } from "../merge.js"
import { boundedFetch } from "../security/outbound.js"
import { type customFetch, fetchOf } from "../symbols.js"
import type { Optional } from "../types.js"
import type { EmailConfig, SignInMail } from "./provider.js"

/** Seconds that a link is good for, as in Auth.js. */
export const LINK_MAX_AGE_SECONDS = 24 * 60 * 60

/** What `sendVerificationRequest` is given. */
export type MailParams = Parameters<EmailConfig["sendVerificationRequest"]>[0]

/** Options that a provider of e-mail links may be unable to do without. */
export type RequiredMailOption = "apiKey" | "from" | "server" | "transactionalId"

/** A provider of e-mail links that knows which options it can't do without. */
export interface MailConfig extends EmailConfig {
  /** The options without which it cannot send. */
  readonly requires: readonly RequiredMailOption[]
  /**
   * Signs in at the mail server and sends nothing; given the provider with its options merged over it. Rejects where
   * that fails, with a reason that has no password in it.
   */
  readonly verifyServer?: (provider: MailParams["provider"]) => Promise<void>
}

/** What an application may give to a factory of e-mail links. */
export type MailUserConfig = Optional<Omit<EmailConfig, "type" | "options">> & {
  [customFetch]?: typeof fetch
}

/** One mailbox: the name may be empty. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** One address and no more, however a vendor reads it: no list, comment, group or quoted name fits in (CVE-2022-35924). */
const ADDRESS = /^[^\s\p{C}@,;:<>()[\]\\"]+@[^\s\p{C}@,;:<>()[\]\\"]+$/u

/** `Example <no-reply@example.com>`, or the address alone; undefined when it is neither. */
export function parseMailbox(text: unknown): Mailbox | undefined {
  if (typeof text !== "string") return undefined
  const [, name = "", address = text.trim()] = /^([^<>\p{C}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : undefined
}

const LINE_TO_WRITE: Readonly<Record<RequiredMailOption, (prefix: string) => string>> = {
  apiKey: (prefix) => `Set ${prefix}_KEY, or write { apiKey: "…" }`,
  from: (prefix) => `Set ${prefix}_FROM, or write { from: "Example <no-reply@example.com>" }`,
  server: (prefix) => `Set ${prefix}_SERVER, or write { server: "smtp://user:password@smtp.example.com:587" }`,
  transactionalId: () => `Write { transactionalId: "…" }: the id of a template that shows the data variable url`,
}

/** An option without which nothing can be sent, and what is to be done. */
export interface MailOptionProblem {
  readonly option: RequiredMailOption
  /** Reads on after the option's name. */
  readonly message: string
}

/**
 * Which options a provider lacks, given as the factory made it or with its options merged over it. One whose
 * `sendVerificationRequest` is the application's own lacks nothing.
 */
export function mailOptionProblems(provider: EmailConfig & Partial<MailConfig>): MailOptionProblem[] {
  if (provider.options?.sendVerificationRequest) return []
  const given: Record<string, unknown> = { ...provider, ...defined(provider.options) }
  return (provider.requires ?? []).flatMap((option) => {
    const line = LINE_TO_WRITE[option](envPrefix(String(given["id"])))
    if (!given[option]) return [{ option, message: `is missing. ${line}` }]
    if (option === "from" && !parseMailbox(given[option])) return [{ option, message: `is no sender. ${line}` }]
    return []
  })
}

/** A mail to one address, with everything that it takes to send it. */
export interface ReadyMail extends SignInMail {
  readonly to: string
  /** The sender as the application wrote it, and taken apart. */
  readonly from: string
  readonly sender: Mailbox
  readonly apiKey: string
  /** The link, for a vendor with templates of its own. */
  readonly url: string
  readonly provider: MailParams["provider"]
}

const NOBODY: Mailbox = { name: "", address: "" }

/**
 * Everything that it takes to send the mail.
 *
 * @throws TypeError when an option is missing, or the identifier is not one address
 */
export function requireMail({ identifier, provider, mail, url }: MailParams, vendor: string): ReadyMail {
  const [problem] = mailOptionProblems(provider)
  if (problem) throw new TypeError(`${vendor}: ${problem.option} ${problem.message}`)
  if (!ADDRESS.test(identifier)) throw new TypeError(`${vendor}: the recipient is not one address`)
  const { from = "", apiKey = "" } = provider
  return { ...mail, to: identifier, from, sender: parseMailbox(from) ?? NOBODY, apiKey: apiKey.trim(), url, provider }
}

/** A call to a vendor's API: an object is sent as JSON. The headers are those that authorise it. */
export interface MailRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | FormData
}

/** The body as bytes: an application's own `fetch` may not know this realm's FormData. */
async function encode(body: MailRequest["body"]): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> }> {
  if (!(body instanceof FormData))
    return { type: "application/json", bytes: new TextEncoder().encode(JSON.stringify(body)) }
  const form = new Response(body)
  return { type: form.headers.get("content-type") ?? "", bytes: new Uint8Array(await form.arrayBuffer()) }
}

async function call({ url, headers, body }: MailRequest, { provider, signal }: MailParams): Promise<Response> {
  const { type, bytes } = await encode(body)
  const own = fetchOf(provider) ?? fetchOf(Object(provider.options))
  return boundedFetch(own ?? globalThis.fetch, signal)(url, {
    method: "POST",
    // Some vendors refuse a call that does not say who calls.
    headers: { accept: "application/json", "content-type": type, "user-agent": "latchkey", ...headers },
    body: bytes,
  })
}

const MAX_QUOTED_LENGTH = 200

/** A stranger's text on one line and cut short, with nothing in it that lets somebody sign in or send mails. */
export function quote(text: string, { url, token }: MailParams, secrets: readonly string[] = []): string {
  const hidden = [url, token, encodeURIComponent(token), ...secrets].filter((secret) => secret !== "")
  const longestFirst = hidden.sort((one, other) => other.length - one.length)
  return longestFirst
    .reduce((rest, secret) => rest.replaceAll(secret, "[masked]"), text)
    .replace(/\btoken=[^&\s"'<>\\]+/gi, "token=[masked]")
    .slice(0, MAX_QUOTED_LENGTH)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
}

const isHtml = ({ headers }: Response): boolean => /^text\/html\b/i.test(headers.get("content-type") ?? "")

/** The key alone, and as the header has it. */
const secretsOf = ({ apiKey }: ReadyMail, { headers }: MailRequest): string[] => [
  apiKey,
  ...Object.values(headers).map((value) => value.replace(/^\w+ /, "")),
]

async function post(params: MailParams, vendor: string, toRequest: (mail: ReadyMail) => MailRequest): Promise<void> {
  const ready = requireMail(params, vendor)
  const request = toRequest(ready)
  const secrets = secretsOf(ready, request)
  // Without the error behind it: that one has texts of strangers in it, and the whole request perhaps.
  const response = await call(request, params).catch((error: unknown) => {
    const reason = params.signal.aborted ? "no complete answer in time" : asError(error).message
    throw new Error(`${vendor}: ${quote(reason, params, secrets)}`)
  })
  // No vendor says "sent" with a page for people: something in between has answered.
  if (response.ok && !isHtml(response)) return
  const answer = isHtml(response) ? "an HTML page" : quote(await response.text(), params, secrets)
  throw new Error(`${vendor} answered ${response.status}${answer && `: ${answer}`}`)
}

/** Makes a provider of e-mail links that sends with one POST to a vendor's API. */
export function mailProvider(
  vendor: Pick<MailConfig, "id" | "name" | "requires">,
  options: MailUserConfig,
  toRequest: (mail: ReadyMail) => MailRequest,
): MailConfig {
  return {
    ...vendor,
    type: "email",
    maxAge: LINK_MAX_AGE_SECONDS,
    sendVerificationRequest: (params) => post(params, vendor.name, toRequest),
    options,
  }
}
