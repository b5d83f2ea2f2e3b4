/**
 * Shared by the email providers: the required options, and a bounded call to a vendor's API.
 *
 * @module
 */

import { defined } from "../base/merge.js"
import { envPrefix } from "../base/text.js"
import type { Optional } from "../base/types.js"
import { asError } from "../errors/errors.js"
import { boundedFetch } from "../security/outbound.js"
import { type customFetch, RENDERS_CODE, readCustomFetch } from "../symbols.js"
import type { EmailConfig, SignInMail } from "./provider.js"

/** The lifetime of a link in seconds, as in Auth.js. */
export const LINK_MAX_AGE_SECONDS = 24 * 60 * 60

/** The argument of `sendVerificationRequest`. */
export type MailParams = Parameters<EmailConfig["sendVerificationRequest"]>[0]

/** Options that an email provider can require. */
export type RequiredMailOption = "apiKey" | "from" | "server" | "transactionalId"

type Sender = EmailConfig["sendVerificationRequest"]

/** Marks a sender that sends the rendered email, which contains the code. */
export const withCode = (sender: Sender): Sender => Object.assign(sender, { [RENDERS_CODE]: true })

/** True if the provider's sender is known to send the code. An application's own sender may ignore it. */
export const rendersCode = ({ sendVerificationRequest }: Pick<EmailConfig, "sendVerificationRequest">): boolean =>
  Reflect.get(sendVerificationRequest, RENDERS_CODE) === true

/** An email provider with its required options. */
export interface MailConfig extends EmailConfig {
  /** The required options. */
  readonly requires: readonly RequiredMailOption[]
  /**
   * Connects and authenticates to the SMTP server without sending an email. Receives the provider with its options
   * merged. Rejects on failure, with a reason that contains no password.
   */
  readonly verifyServer?: (provider: MailParams["provider"]) => Promise<void>
}

/** The options of an email provider's factory. */
export type MailUserConfig = Optional<Omit<EmailConfig, "type" | "options">> & {
  [customFetch]?: typeof fetch
}

/** One mailbox. The name can be empty. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/**
 * Matches one address. Lists, comments, groups and quoted names are rejected, because parsers interpret them
 * differently (CVE-2022-35924).
 */
const ADDRESS = /^[^\s\p{C}@,;:<>()[\]\\"]+@[^\s\p{C}@,;:<>()[\]\\"]+$/u

/** Parses `Example <no-reply@example.com>` or an address alone; returns undefined if it is neither. */
function parseMailbox(text: unknown): Mailbox | undefined {
  if (typeof text !== "string") return undefined
  const [, name = "", address = text.trim()] = /^([^<>\p{C}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : undefined
}

const FIXES: Readonly<Record<RequiredMailOption, (prefix: string) => string>> = {
  apiKey: (prefix) => `Set ${prefix}_KEY, or write { apiKey: "…" }`,
  from: (prefix) => `Set ${prefix}_FROM, or write { from: "Example <no-reply@example.com>" }`,
  server: (prefix) => `Set ${prefix}_SERVER, or write { server: "smtp://user:password@smtp.example.com:587" }`,
  transactionalId: () => `Write { transactionalId: "…" }: the id of a template that contains the data variable url`,
}

/** A missing required option and its fix. */
export interface MailOptionProblem {
  readonly option: RequiredMailOption
  /** Continues the sentence after the option's name. */
  readonly seen: string
  readonly fix: string
}

/**
 * Returns the missing options of a provider, with or without its options merged. A provider with the application's own
 * `sendVerificationRequest` has none.
 */
export function mailOptionProblems(provider: EmailConfig & Partial<MailConfig>): MailOptionProblem[] {
  if (provider.options?.sendVerificationRequest) return []
  const given: Record<string, unknown> = { ...provider, ...defined(provider.options) }
  return (provider.requires ?? []).flatMap((option) => {
    const fix = FIXES[option](envPrefix(String(given["id"])))
    if (!given[option]) return [{ option, seen: "is missing", fix }]
    if (option === "from" && !parseMailbox(given[option])) return [{ option, seen: "is not a valid sender", fix }]
    return []
  })
}

/** An email to one address, with everything needed to send it. */
export interface ReadyMail extends SignInMail {
  readonly to: string
  /** The sender as configured, and parsed. */
  readonly from: string
  readonly sender: Mailbox
  readonly apiKey: string
  /** The link, for a vendor with its own templates. */
  readonly url: string
  /** The code, for a vendor with its own templates; undefined without one. */
  readonly code: string | undefined
  readonly provider: MailParams["provider"]
}

const EMPTY_MAILBOX: Mailbox = { name: "", address: "" }

/**
 * Collects everything needed to send the email.
 *
 * @throws TypeError when an option is missing, or the identifier is not one address
 */
export function requireMail({ identifier, provider, mail, url, code }: MailParams, vendor: string): ReadyMail {
  const [problem] = mailOptionProblems(provider)
  if (problem) throw new TypeError(`${vendor}: ${problem.option} ${problem.seen}. ${problem.fix}`)
  if (!ADDRESS.test(identifier)) throw new TypeError(`${vendor}: the recipient is not one address`)
  const { from = "", apiKey = "" } = provider
  return {
    ...mail,
    to: identifier,
    from,
    sender: parseMailbox(from) ?? EMPTY_MAILBOX,
    apiKey: apiKey.trim(),
    url,
    code,
    provider,
  }
}

/** A call to a vendor's API. An object is sent as JSON. The headers authorise the call. */
export interface MailRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | FormData
}

/** The body as bytes, because a custom `fetch` may not support this realm's FormData. */
async function encode(body: MailRequest["body"]): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> }> {
  if (!(body instanceof FormData))
    return { type: "application/json", bytes: new TextEncoder().encode(JSON.stringify(body)) }
  const form = new Response(body)
  return { type: form.headers.get("content-type") ?? "", bytes: new Uint8Array(await form.arrayBuffer()) }
}

async function call({ url, headers, body }: MailRequest, { provider, signal }: MailParams): Promise<Response> {
  const { type, bytes } = await encode(body)
  const own = readCustomFetch(provider) ?? readCustomFetch(Object(provider.options))
  return boundedFetch(own ?? globalThis.fetch, signal)(url, {
    method: "POST",
    // Some vendors reject requests without a User-Agent.
    headers: { accept: "application/json", "content-type": type, "user-agent": "latchkey", ...headers },
    body: bytes,
  })
}

const MAX_QUOTED_LENGTH = 200

/** Sanitizes untrusted text: one line, truncated, with links and keys removed. */
export function quote(text: string, { url, token, code = "" }: MailParams, secrets: readonly string[] = []): string {
  const codes = [code, code.replace("-", "")]
  const hidden = [url, token, encodeURIComponent(token), ...codes, ...secrets].filter((secret) => secret !== "")
  const longestFirst = hidden.sort((one, other) => other.length - one.length)
  return longestFirst
    .reduce((rest, secret) => rest.replaceAll(secret, "[masked]"), text)
    .replace(/\btoken=[^&\s"'<>\\]+/gi, "token=[masked]")
    .slice(0, MAX_QUOTED_LENGTH)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
}

const isHtml = ({ headers }: Response): boolean => /^text\/html\b/i.test(headers.get("content-type") ?? "")

/** The API key, and the value that the `Authorization` header contains. */
const listSecrets = ({ apiKey }: ReadyMail, { headers }: MailRequest): string[] => [
  apiKey,
  ...Object.values(headers).map((value) => value.replace(/^\w+ /, "")),
]

async function post(params: MailParams, vendor: string, toRequest: (mail: ReadyMail) => MailRequest): Promise<void> {
  const ready = requireMail(params, vendor)
  const request = toRequest(ready)
  const secrets = listSecrets(ready, request)
  // No `cause`: it contains untrusted text and possibly the whole request.
  const response = await call(request, params).catch((error: unknown) => {
    const reason = params.signal.aborted ? "no complete response in time" : asError(error).message
    throw new Error(`${vendor}: ${quote(reason, params, secrets)}`)
  })
  // No vendor confirms with an HTML page, so a proxy must have responded.
  if (response.ok && !isHtml(response)) return
  const answer = isHtml(response) ? "an HTML page" : quote(await response.text(), params, secrets)
  throw new Error(`${vendor} answered ${response.status}${answer && `: ${answer}`}`)
}

/** The factory of an email provider that sends with one POST to a vendor's API. */
export const mailProvider =
  <Options extends MailUserConfig = MailUserConfig>(
    vendor: Pick<MailConfig, "id" | "name" | "requires" | "emailCode">,
    toRequest: (mail: ReadyMail) => MailRequest,
  ) =>
  (options?: Options): MailConfig => ({
    ...vendor,
    // A copy, so that two providers never share a list.
    requires: [...vendor.requires],
    type: "email",
    maxAge: LINK_MAX_AGE_SECONDS,
    sendVerificationRequest: withCode((params) => post(params, vendor.name, toRequest)),
    options: options ?? {},
  })
