import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import type { EmailConfig, SignInMail } from "../../../lib/provider-kit/provider.js"
import { listen } from "../../support/listen.js"

export const TOKEN = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
export const CODE = "CDFH-J479"
export const RECIPIENT = "ada@example.net"
export const LINK = `https://app.example.com/auth/callback/mail?callbackUrl=%2F&token=${TOKEN}&email=ada%40example.net`
export const FROM = '"Example, Inc." <no-reply@mg.example.com>'
export const API_KEY = "key-0f1e2d3c4b5a"

export const MAIL: SignInMail = {
  subject: "Sign in to bücher.example",
  text: `Sign in\n\n${LINK}\n`,
  html: `<p>Grüße. <a href="${LINK.replaceAll("&", "&amp;")}">Sign in</a></p>`,
}

type Params = Parameters<EmailConfig["sendVerificationRequest"]>[0]

/** Merges a provider's options as `lib/methods/email` does. */
export function paramsFor(provider: EmailConfig, more: Partial<Params> = {}): Params {
  return {
    identifier: RECIPIENT,
    url: LINK,
    expires: new Date(Date.now() + 86_400_000),
    provider: Object.freeze({ ...provider, ...Object.fromEntries(Object.entries(provider.options ?? {})) }),
    token: TOKEN,
    code: CODE,
    theme: {},
    request: new Request("https://app.example.com/auth/signin/mail", { method: "POST" }),
    mail: MAIL,
    signal: AbortSignal.timeout(8_000),
    ...more,
  }
}

/** Sends an email with the arguments of the sign-in method. */
export const sendWith = async (provider: EmailConfig, more?: Partial<Params>): Promise<void> =>
  provider.sendVerificationRequest(paramsFor(provider, more))

/** The error of a failed send: its message, and everything that a log could contain. */
export async function failureOf(sending: Promise<void>): Promise<{ name: string; message: string; all: string }> {
  const error: unknown = await sending.then(
    () => {
      throw new Error("it was sent")
    },
    (reason: unknown) => reason,
  )
  // Under Jest, Node's errors come from another realm.
  const { name, message, stack, cause } = error as Error
  return { name, message, all: [name, message, stack, JSON.stringify(error), String(cause)].join("\n") }
}

export interface Posted {
  readonly method: string
  /** The requested URL. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Answer = (request: IncomingMessage, response: ServerResponse, posted: Posted) => void

/** A local server for the API of an email vendor, and a `fetch` that redirects all calls to it. */
export interface MailApi {
  readonly origin: string
  readonly fetch: typeof fetch
  readonly posted: Posted[]
  /** Responds with success until changed. */
  answer(next: Answer): void
  close(): Promise<void>
}

const accept: Answer = (_request, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":"1"}')

export async function startMailApi(): Promise<MailApi> {
  const posted: Posted[] = []
  const asked: string[] = []
  let answer = accept
  const server = createServer(async (request, response) => {
    const [method = "", url = ""] = [request.method, asked.shift() ?? request.url]
    const entry = { method, url, headers: request.headers, body: await buffer(request) }
    posted.push(entry)
    answer(request, response, entry)
  })
  const { origin, close } = await listen(server)
  return {
    origin,
    posted,
    fetch: (input, init) => {
      asked.push(String(input))
      return fetch(new URL(new URL(String(input)).pathname, origin), init)
    },
    answer(next) {
      posted.length = 0
      asked.length = 0
      answer = next
    },
    close,
  }
}

export const takeMails = accept
