/**
 * Used by all email providers: checks the required options, and sends a request to a vendor's API with a limit on time
 * and size.
 *
 * @module
 */

import { omitUndefined } from "../base/merge.js"
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

type SendFunction = EmailConfig["sendVerificationRequest"]

/** Marks a function that sends the rendered email, which contains the code. Returns the same function. */
export const markRendersCode = (send: SendFunction): SendFunction => Object.assign(send, { [RENDERS_CODE]: true })

/** True if the provider's function is marked by `markRendersCode`. An application's own function may omit the code. */
export const rendersCode = ({ sendVerificationRequest }: Pick<EmailConfig, "sendVerificationRequest">): boolean =>
  Reflect.get(sendVerificationRequest, RENDERS_CODE) === true

/** An email provider that lists its required options. */
export interface MailConfig extends EmailConfig {
  /** The options that must be set. */
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

/** A display name, which can be empty, and an email address. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/**
 * Matches a single address. Lists, comments, groups and quoted names do not match, because parsers interpret them
 * differently (CVE-2022-35924).
 */
const ADDRESS = /^[^\s\p{C}@,;:<>()[\]\\"]+@[^\s\p{C}@,;:<>()[\]\\"]+$/u

/** Parses `Example <no-reply@example.com>` or an address alone. Returns undefined for other text. */
function parseMailbox(text: unknown): Mailbox | undefined {
  if (typeof text !== "string") return undefined
  const [, name = "", address = text.trim()] = /^([^<>\p{C}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : undefined
}

/** How to set each required option. `prefix` is the prefix of the provider's environment variables. */
const FIXES: Readonly<Record<RequiredMailOption, (prefix: string) => string>> = {
  apiKey: (prefix) => `Set ${prefix}_KEY, or write { apiKey: "…" }`,
  from: (prefix) => `Set ${prefix}_FROM, or write { from: "Example <no-reply@example.com>" }`,
  server: (prefix) => `Set ${prefix}_SERVER, or write { server: "smtp://user:password@smtp.example.com:587" }`,
  transactionalId: () => `Write { transactionalId: "…" }: the id of a template that contains the data variable url`,
}

/** A required option that is missing or invalid, and the fix. */
export interface MailOptionProblem {
  readonly option: RequiredMailOption
  /** What is wrong: the rest of a sentence that begins with the option's name. */
  readonly seen: string
  readonly fix: string
}

/**
 * Returns the required options that are missing or invalid. The application's options can be merged into `provider`, or
 * be in its member `options`. With the application's own `sendVerificationRequest`, no option is required.
 */
export function mailOptionProblems(provider: EmailConfig & Partial<MailConfig>): MailOptionProblem[] {
  if (provider.options?.sendVerificationRequest) return []
  const merged: Record<string, unknown> = { ...provider, ...omitUndefined(provider.options) }
  return (provider.requires ?? []).flatMap((option) => {
    const fix = FIXES[option](envPrefix(String(merged["id"])))
    if (!merged[option]) return [{ option, seen: "is missing", fix }]
    if (option === "from" && !parseMailbox(merged[option])) return [{ option, seen: "is not a valid sender", fix }]
    return []
  })
}

/** An email to one address, with everything that is needed to send it. */
export interface ReadyMail extends SignInMail {
  readonly to: string
  /** The sender, as configured. */
  readonly from: string
  /** The sender, parsed. */
  readonly sender: Mailbox
  readonly apiKey: string
  /** The link, for a vendor with its own templates. */
  readonly url: string
  /** The code, for a vendor with its own templates. Undefined if the email has no code. */
  readonly code: string | undefined
  readonly provider: MailParams["provider"]
}

const EMPTY_MAILBOX: Mailbox = { name: "", address: "" }

/**
 * Returns the email with everything that is needed to send it.
 *
 * @throws TypeError when an option is missing or invalid, or the identifier is not a single address
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

/** A request to a vendor's API. The headers contain the API key. A body that is a plain object is sent as JSON. */
export interface MailRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | FormData
}

/** Encodes the body as bytes, because a custom `fetch` may not support the `FormData` of this realm. */
async function encode(body: MailRequest["body"]): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> }> {
  if (!(body instanceof FormData))
    return { type: "application/json", bytes: new TextEncoder().encode(JSON.stringify(body)) }
  const form = new Response(body)
  return { type: form.headers.get("content-type") ?? "", bytes: new Uint8Array(await form.arrayBuffer()) }
}

async function sendRequest({ url, headers, body }: MailRequest, { provider, signal }: MailParams): Promise<Response> {
  const { type, bytes } = await encode(body)
  const applicationFetch = readCustomFetch(provider) ?? readCustomFetch(Object(provider.options))
  return boundedFetch(applicationFetch ?? globalThis.fetch, signal)(url, {
    method: "POST",
    // Some vendors reject requests without a User-Agent.
    headers: { accept: "application/json", "content-type": type, "user-agent": "latchkey", ...headers },
    body: bytes,
  })
}

const MAX_SANITIZED_LENGTH = 200

/**
 * Sanitizes untrusted text for an error message: one line of at most 200 characters, with link, code and secrets
 * masked.
 */
export function sanitizeText(
  text: string,
  { url, token, code = "" }: MailParams,
  secrets: readonly string[] = [],
): string {
  const codes = [code, code.replace("-", "")]
  const sensitiveTexts = [url, token, encodeURIComponent(token), ...codes, ...secrets].filter((secret) => secret !== "")
  const longestFirst = sensitiveTexts.sort((a, b) => b.length - a.length)
  return longestFirst
    .reduce((rest, secret) => rest.replaceAll(secret, "[masked]"), text)
    .replace(/\btoken=[^&\s"'<>\\]+/gi, "token=[masked]")
    .slice(0, MAX_SANITIZED_LENGTH)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
}

const isHtml = ({ headers }: Response): boolean => /^text\/html\b/i.test(headers.get("content-type") ?? "")

/** Lists the secrets of a request: the API key, and the values of its headers without a scheme such as `Bearer`. */
const listSecrets = ({ apiKey }: ReadyMail, { headers }: MailRequest): string[] => [
  apiKey,
  ...Object.values(headers).map((value) => value.replace(/^\w+ /, "")),
]

async function post(params: MailParams, vendor: string, toRequest: (mail: ReadyMail) => MailRequest): Promise<void> {
  const ready = requireMail(params, vendor)
  const request = toRequest(ready)
  const secrets = listSecrets(ready, request)
  // No `cause`: it contains untrusted text and possibly the whole request.
  const response = await sendRequest(request, params).catch((error: unknown) => {
    const reason = params.signal.aborted ? "no complete response in time" : asError(error).message
    throw new Error(`${vendor}: ${sanitizeText(reason, params, secrets)}`)
  })
  // An HTML page is a failure even with status 200: a proxy must have sent it, because no vendor responds with a page.
  if (response.ok && !isHtml(response)) return
  const answer = isHtml(response) ? "an HTML page" : sanitizeText(await response.text(), params, secrets)
  throw new Error(`${vendor} answered ${response.status}${answer && `: ${answer}`}`)
}

/** Creates the factory of an email provider that sends each email with one POST request to a vendor's API. */
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
    sendVerificationRequest: markRendersCode((params) => post(params, vendor.name, toRequest)),
    options: options ?? {},
  })
