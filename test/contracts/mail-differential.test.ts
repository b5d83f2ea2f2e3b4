/**
 * Compares the emails of our providers and of Auth.js for the same link.
 *
 * @module
 */
import TheirEmail from "@auth/core/providers/email"
import TheirForwardEmail from "@auth/core/providers/forwardemail"
import TheirLoops from "@auth/core/providers/loops"
import TheirMailgun from "@auth/core/providers/mailgun"
import TheirNodemailer from "@auth/core/providers/nodemailer"
import TheirPostmark from "@auth/core/providers/postmark"
import TheirResend from "@auth/core/providers/resend"
import TheirSendGrid from "@auth/core/providers/sendgrid"
import { createEmails } from "../../lib/pages/mail.js"
import { createLanguages } from "../../lib/pages/texts.js"
import Email from "../../lib/providers/email.js"
import ForwardEmail from "../../lib/providers/forwardemail.js"
import Loops from "../../lib/providers/loops.js"
import Mailgun from "../../lib/providers/mailgun.js"
import Nodemailer from "../../lib/providers/nodemailer.js"
import Postmark from "../../lib/providers/postmark.js"
import Resend from "../../lib/providers/resend.js"
import SendGrid from "../../lib/providers/sendgrid.js"
import { API_KEY, LINK, paramsFor } from "./support/mail.js"

// biome-ignore lint/suspicious/noExplicitAny: the two packages have different types, and only data is compared
type Loose = any

const OPTIONS = {
  apiKey: API_KEY,
  from: "no-reply@mg.example.com",
  server: "smtp://127.0.0.1",
  transactionalId: "template-1",
}

/** The compared providers by name, with options for both. */
const CASES: Record<string, readonly [ours: Loose, theirs: Loose, options?: object]> = {
  resend: [Resend, TheirResend],
  sendgrid: [SendGrid, TheirSendGrid],
  postmark: [Postmark, TheirPostmark],
  mailgun: [Mailgun, TheirMailgun],
  "mailgun, EU": [Mailgun, TheirMailgun, { region: "EU" }],
  forwardemail: [ForwardEmail, TheirForwardEmail],
  loops: [Loops, TheirLoops],
}

/** Intended differences: the case, the differing facts and the reason. An outdated row fails. */
const DIFFERENCES = [
  { in: "sendgrid", facts: ["body.tracking_settings"], why: "a tracked link shows its token to the vendor" },
  { in: "postmark", facts: ["body.TrackLinks"], why: "a tracked link shows its token to the vendor" },
  ...["mailgun", "mailgun, EU"].map((name) => ({
    in: name,
    facts: ["body.from", "body.o:tracking-clicks"],
    why: "a tracked link shows its token to the vendor, and the sender has the name that the application gave",
  })),
]

const { host } = new URL(LINK)
const facts = { url: LINK, host, expires: new Date(), maxAgeSeconds: 86_400, code: undefined, codeMaxAgeSeconds: 600 }

async function parseFields(body: Loose): Promise<Record<string, unknown>> {
  if (body instanceof FormData) return Object.fromEntries(body)
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body)
  if (!text.startsWith("--")) return JSON.parse(text)
  const boundary = text.slice(2, text.indexOf("\r\n"))
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` }
  return Object.fromEntries(await new Response(text, { headers }).formData())
}

/** Replaces texts that both packages word differently. */
const withoutWords = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      typeof member === "string" && /^(?:text|html|TextBody|HtmlBody|value)$/.test(name) ? "…" : member,
    ),
  )

/** The single request that a provider makes. */
async function recordRequest(factory: Loose, options: object): Promise<Record<string, unknown>> {
  const requests: { input: unknown; init: Loose }[] = []
  const realFetch = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    requests.push({ input, init })
    return Response.json({})
  }
  try {
    const mail = createEmails({}).signIn(facts, createLanguages({}).for("en"))
    const provider = factory({ ...OPTIONS, ...options })
    await provider.sendVerificationRequest(paramsFor(provider, { mail, code: undefined }))
  } finally {
    globalThis.fetch = realFetch
  }
  const [{ input, init }, ...others] = requests as [(typeof requests)[number]]
  expect(others).toEqual([])
  const headers = new Headers(init.headers)
  const body = withoutWords(await parseFields(init.body)) as object
  return {
    url: String(input),
    method: init.method,
    authorization: headers.get("authorization"),
    token: headers.get("x-postmark-server-token"),
    ...Object.fromEntries(Object.entries(body).map(([name, value]) => [`body.${name}`, value])),
  }
}

describe("requests of our email providers", () => {
  it.each(Object.entries(CASES))(
    "%s: differs from the request of Auth.js only in the listed facts",
    async (name, [ours, theirs, options = {}]) => {
      const [own, reference] = [await recordRequest(ours, options), await recordRequest(theirs, options)]
      const members = new Set([...Object.keys(own), ...Object.keys(reference)])
      const differing = [...members].filter((fact) => JSON.stringify(own[fact]) !== JSON.stringify(reference[fact]))
      const listed = DIFFERENCES.filter((difference) => difference.in === name).flatMap(
        (difference) => difference.facts,
      )
      expect(differing.sort()).toEqual(listed.sort())
      expect(Object.keys(own)).toEqual(expect.arrayContaining(["url", "method", "authorization"]))
    },
  )

  it.each(DIFFERENCES)("the listed difference names a compared provider: $in, $why", (difference) => {
    expect(Object.keys(CASES)).toContain(difference.in)
  })
})

describe("our email providers", () => {
  it.each([...Object.values(CASES), [Nodemailer, TheirNodemailer] as const, [Email, TheirEmail] as const])(
    "equal those of Auth.js except for the default sender (%#)",
    (ours, theirs) => {
      const [own, reference] = [ours(OPTIONS), theirs(OPTIONS)]
      const common = ({ id, name, type, maxAge }: Loose) => ({ id, name, type, maxAge })
      expect(common(own)).toEqual(common(reference))
      expect(reference.from).toBe("Auth.js <no-reply@authjs.dev>")
      expect(own).not.toHaveProperty("from")
    },
  )

  it("have no default mail server, like those of Auth.js", () => {
    for (const factory of [Nodemailer, TheirNodemailer, Email, TheirEmail])
      expect(() => (factory as Loose)({ from: OPTIONS.from })).toThrow(/server/)
    expect(Nodemailer(OPTIONS)).not.toHaveProperty("server")
  })
})
