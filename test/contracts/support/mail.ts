import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import type { EmailConfig, SignInMail } from "../../../lib/providers/provider.js"
import { listen } from "../../support/listen.js"

export const TOKEN = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
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

/** What the sign-in method gives to a provider: its options merged over it by name, as `lib/methods/email` does. */
export function paramsFor(provider: EmailConfig, more: Partial<Params> = {}): Params {
  return {
    identifier: RECIPIENT,
    url: LINK,
    expires: new Date(Date.now() + 86_400_000),
    provider: Object.freeze({ ...provider, ...Object.fromEntries(Object.entries(provider.options ?? {})) }),
    token: TOKEN,
    theme: {},
    request: new Request("https://app.example.com/auth/signin/mail", { method: "POST" }),
    mail: MAIL,
    signal: AbortSignal.timeout(8_000),
    ...more,
  }
}

/** Sends with what the sign-in method would give. */
export const sendWith = async (provider: EmailConfig, more?: Partial<Params>): Promise<void> =>
  provider.sendVerificationRequest(paramsFor(provider, more))

/** Why sending failed: the message, and everything else that a log could show of the error. */
export async function failureOf(sending: Promise<void>): Promise<{ name: string; message: string; all: string }> {
  const error: unknown = await sending.then(
    () => {
      throw new Error("it was sent")
    },
    (reason: unknown) => reason,
  )
  // Node's own errors come from another realm under Jest.
  const { name, message, stack, cause } = error as Error
  return { name, message, all: [name, message, stack, JSON.stringify(error), String(cause)].join("\n") }
}

export interface Posted {
  readonly method: string
  /** The address that was asked for, before it was led to this machine. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Answer = (request: IncomingMessage, response: ServerResponse, posted: Posted) => void

/** A stand-in for the API of a vendor of mail, and a `fetch` that leads every call there. */
export interface MailApi {
  readonly origin: string
  readonly fetch: typeof fetch
  readonly posted: Posted[]
  /** Answers like the vendor when it takes a mail, until told otherwise. */
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
