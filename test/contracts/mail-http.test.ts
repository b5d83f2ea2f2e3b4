import type { EmailConfig, Provider } from "../../lib/provider-kit/provider.js"
import { mailOptionProblems } from "../../lib/provider-kit/send-mail.js"
import Email from "../../lib/providers/email.js"
import ForwardEmail from "../../lib/providers/forwardemail.js"
import Loops from "../../lib/providers/loops.js"
import Mailgun from "../../lib/providers/mailgun.js"
import Nodemailer from "../../lib/providers/nodemailer.js"
import Postmark from "../../lib/providers/postmark.js"
import Resend from "../../lib/providers/resend.js"
import SendGrid from "../../lib/providers/sendgrid.js"
import { customFetch } from "../../lib/symbols.js"
import { failOnUnhandled } from "../support/unhandled.js"
import {
  API_KEY,
  CODE,
  FROM,
  failureOf,
  LINK,
  MAIL,
  type MailApi,
  paramsFor,
  RECIPIENT,
  sendWith,
  startMailApi,
  TOKEN,
  takeMails,
} from "./support/mail.js"

failOnUnhandled()

let api: MailApi
beforeAll(async () => {
  api = await startMailApi()
})
beforeEach(() => api.answer(takeMails))
afterAll(() => api.close())

const { subject, text, html } = MAIL
const basic = (userAndPassword: string) => `Basic ${btoa(userAndPassword)}`

interface Vendor {
  readonly id: string
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: each factory has different options
  readonly factory: (options: any) => EmailConfig
  readonly options: Record<string, string>
  readonly url: string
  readonly authorization: Record<string, string>
  readonly body: Record<string, unknown>
}

const COMMON = { apiKey: API_KEY, from: FROM }
const PLAIN = { from: FROM, to: RECIPIENT, subject, html, text }

const VENDORS: readonly Vendor[] = [
  {
    id: "resend",
    name: "Resend",
    factory: Resend,
    options: COMMON,
    url: "https://api.resend.com/emails",
    authorization: { authorization: `Bearer ${API_KEY}` },
    body: PLAIN,
  },
  {
    id: "sendgrid",
    name: "SendGrid",
    factory: SendGrid,
    options: COMMON,
    url: "https://api.sendgrid.com/v3/mail/send",
    authorization: { authorization: `Bearer ${API_KEY}` },
    body: {
      personalizations: [{ to: [{ email: RECIPIENT }] }],
      from: { email: "no-reply@mg.example.com", name: "Example, Inc." },
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
      tracking_settings: { click_tracking: { enable: false, enable_text: false } },
    },
  },
  {
    id: "postmark",
    name: "Postmark",
    factory: Postmark,
    options: COMMON,
    url: "https://api.postmarkapp.com/email",
    authorization: { "x-postmark-server-token": API_KEY },
    body: {
      From: FROM,
      To: RECIPIENT,
      Subject: subject,
      TextBody: text,
      HtmlBody: html,
      MessageStream: "outbound",
      TrackLinks: "None",
    },
  },
  {
    id: "mailgun",
    name: "Mailgun",
    factory: Mailgun,
    options: COMMON,
    url: "https://api.mailgun.net/v3/mg.example.com/messages",
    authorization: { authorization: basic(`api:${API_KEY}`) },
    // Multipart lines end in CRLF.
    body: { ...PLAIN, text: text.replaceAll("\n", "\r\n"), "o:tracking-clicks": "no" },
  },
  {
    id: "forwardemail",
    name: "Forward Email",
    factory: ForwardEmail,
    options: COMMON,
    url: "https://api.forwardemail.net/v1/emails",
    authorization: { authorization: basic(`${API_KEY}:`) },
    body: PLAIN,
  },
  {
    id: "loops",
    name: "Loops",
    factory: Loops,
    options: { apiKey: API_KEY, transactionalId: "template-1" },
    url: "https://app.loops.so/api/v1/transactional",
    authorization: { authorization: `Bearer ${API_KEY}` },
    body: { transactionalId: "template-1", email: RECIPIENT, dataVariables: { url: LINK, code: CODE } },
  },
]

const build = ({ factory, options }: Vendor, more: Record<PropertyKey, unknown> = {}): EmailConfig =>
  factory({ [customFetch]: api.fetch, ...options, ...more })

/** The single request, with its body parsed by type. */
async function thePost() {
  const [{ method, url, headers, body }, ...others] = api.posted as [MailApi["posted"][number]]
  expect(others).toEqual([])
  const type = headers["content-type"] ?? ""
  const isForm = type.startsWith("multipart/form-data")
  const fields = isForm
    ? Object.fromEntries(await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData())
    : JSON.parse(body.toString("utf8"))
  return { method, url, headers, type: isForm ? "multipart/form-data" : type, fields }
}

describe.each(VENDORS)("$id", (vendor) => {
  const { id, name, url, authorization, options } = vendor

  it("is an email provider whose links expire after a day", () => {
    const provider = build(vendor)
    expect(provider).toMatchObject({ id, name, type: "email", maxAge: 86_400 })
    expect(provider).not.toHaveProperty("from")
  })

  it("posts the email as documented by its API", async () => {
    await sendWith(build(vendor))
    const post = await thePost()
    expect(post).toMatchObject({ method: "POST", url, fields: vendor.body })
    expect(post.fields).toEqual(vendor.body)
    expect(post.type).toBe(id === "mailgun" ? "multipart/form-data" : "application/json")
    const { accept, "user-agent": agent } = post.headers
    expect({ accept, agent }).toEqual({ accept: "application/json", agent: "latchkey" })
    const secret = ["authorization", "x-postmark-server-token"].flatMap((header) =>
      post.headers[header] === undefined ? [] : [[header, post.headers[header]]],
    )
    expect(Object.fromEntries(secret)).toEqual(authorization)
  })

  it("trims a line break at the end of the key", async () => {
    await sendWith(build(vendor, { apiKey: `${API_KEY}\n` }))
    expect((await thePost()).headers).toMatchObject(authorization)
  })

  it("uses the application's fetch if set, and the global one otherwise", async () => {
    await sendWith({ ...vendor.factory(options), [customFetch]: api.fetch } as EmailConfig)
    const realFetch = globalThis.fetch
    globalThis.fetch = (input, init) => {
      globalThis.fetch = realFetch
      return api.fetch(input, init)
    }
    await sendWith(vendor.factory(options))
    expect(api.posted.map((post) => post.url)).toEqual([url, url])
  })

  it.each([200, 201, 202, 204])("accepts status %i", async (status) => {
    api.answer((_request, response) => response.writeHead(status).end())
    await expect(sendWith(build(vendor))).resolves.toBeUndefined()
  })

  it.each([401, 422, 429, 500])("fails on status %i with the vendor's message", async (status) => {
    api.answer((_request, response) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end('{"message":"The domain is not verified"}'),
    )
    const { message } = await failureOf(sendWith(build(vendor)))
    expect(message).toBe(`${name} answered ${status}: {"message":"The domain is not verified"}`)
  })

  it("fails with only the status if there is no message", async () => {
    api.answer((_request, response) => response.writeHead(503).end())
    expect((await failureOf(sendWith(build(vendor)))).message).toBe(`${name} answered 503`)
  })

  it.each([200, 502])("does not quote an HTML page with status %i", async (status) => {
    api.answer((_request, response) =>
      response
        .writeHead(status, { "content-type": "text/html; charset=utf-8" })
        .end("<h1>Please sign in to the Wi-Fi</h1>"),
    )
    expect((await failureOf(sendWith(build(vendor)))).message).toBe(`${name} answered ${status}: an HTML page`)
  })

  it("quotes at most 200 characters on one line", async () => {
    api.answer((_request, response) =>
      response.writeHead(400).end(`one\r\ntwo\u001B[31m\u2028three ${"x".repeat(5_000)}`),
    )
    const { message } = await failureOf(sendWith(build(vendor)))
    expect(message).toMatch(new RegExp(`^${name} answered 400: one  two \\[31m three x+$`))
    expect(message.length).toBeLessThanOrEqual(`${name} answered 400: `.length + 200)
  })

  it("never follows a redirect", async () => {
    api.answer((_request, response) => response.writeHead(307, { location: `${api.origin}/elsewhere` }).end())
    expect((await failureOf(sendWith(build(vendor)))).message).toBe(`${name} answered 307`)
    expect(api.posted).toHaveLength(1)
  })

  it("stops reading an endless response", async () => {
    api.answer((_request, response) => {
      const fill = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        response.once("drain", fill)
      }
      fill()
    })
    expect((await failureOf(sendWith(build(vendor)))).message).toMatch(/larger than 1000000 bytes/)
  })

  it("EML-16: aborts if the vendor never responds, and closes the connection", async () => {
    const closed = new Promise<void>((resolve) => {
      api.answer((_request, response) => void response.once("close", resolve))
    })
    const { message } = await failureOf(sendWith(build(vendor), { signal: AbortSignal.timeout(80) }))
    expect(message).toBe(`${name}: no complete response in time`)
    await closed
  })

  it("aborts if a response stops midway", async () => {
    api.answer((_request, response) => response.writeHead(400).write("half"))
    const { message } = await failureOf(sendWith(build(vendor), { signal: AbortSignal.timeout(80) }))
    expect(message).toBe(`${name}: no complete response in time`)
  })

  it("reports the cause of a broken connection", async () => {
    api.answer((request) => request.socket.destroy())
    expect((await failureOf(sendWith(build(vendor)))).message).toMatch(
      new RegExp(`^${name}: ${new URL(url).origin}.*(other side closed|ECONNRESET|socket hang up)`),
    )
  })

  it.each([
    ["the whole email", () => JSON.stringify(MAIL)],
    ["the link", () => `{"error":"spam: ${LINK}"}`],
    ["the link as HTML", () => html],
    ["a part of the link", () => `…?token=${TOKEN.slice(0, 40)}`],
    ["the token", () => TOKEN],
    ["the key", () => `invalid key ${API_KEY}`],
    ["the header", () => `invalid header ${Object.values(authorization)[0]}`],
    ["the token at the truncation point", () => `${"x".repeat(180)}${TOKEN}`],
  ])("does not log %s if the vendor repeats it", async (_, answer) => {
    api.answer((_request, response) => response.writeHead(422).end(answer()))
    const { all } = await failureOf(sendWith(build(vendor)))
    const key = Object.values(authorization)[0]?.replace(/^\w+ /, "") ?? ""
    for (const secret of [TOKEN.slice(0, 20), API_KEY, key, LINK]) expect(all).not.toContain(secret)
  })

  it("does not log the request if an error of the application's fetch contains it", async () => {
    const talkative: typeof fetch = async (input, init) => {
      throw new Error(`failed: ${String(input)} ${JSON.stringify(init?.headers)} ${LINK}`)
    }
    const { all, message } = await failureOf(sendWith(build(vendor, { [customFetch]: talkative })))
    expect(message).toContain("failed: ")
    for (const secret of [API_KEY, ...Object.values(authorization), TOKEN]) expect(all).not.toContain(secret)
  })

  it.each([
    "a@evil.test,victim@app.test",
    "x,victim@app.test",
    "a@evil.test;victim@app.test",
    "a@evil.test victim@app.test",
    '"e@evil.test"@app.test',
    "a@evil.test>, <victim@app.test",
    "(c)v@app.test",
    "g:v@app.test",
    "a@b@c.test",
    "a@b.test\r\nBcc: victim@app.test",
    "a@b.test\u0000",
    "+31612345678",
    "",
  ])("ADV-06, ADV-07: sends nothing to %j", async (identifier) => {
    const { name: type, message } = await failureOf(sendWith(build(vendor), { identifier }))
    expect([type, message]).toEqual(["TypeError", `${name}: the recipient is not one address`])
    expect(api.posted).toEqual([])
  })

  it.each(Object.keys(options))("requires %s and sends nothing without it", async (option) => {
    const provider = build(vendor, { [option]: undefined })
    const variables: Record<string, string> = { apiKey: "_KEY", from: "_FROM" }
    const [problem, ...others] = mailOptionProblems(provider)
    expect(others).toEqual([])
    expect(problem).toMatchObject({ option, seen: "is missing", fix: expect.stringMatching(/[Ww]rite \{ /) })
    if (variables[option]) expect(problem?.fix).toContain(`Set AUTH_${id.toUpperCase()}${variables[option]}, or`)
    const { name: type, message } = await failureOf(sendWith(provider))
    expect([type, message]).toEqual(["TypeError", `${name}: ${option} is missing. ${problem?.fix}`])
    expect(api.posted).toEqual([])
  })

  it("accepts a complete configuration, and one with its own sendVerificationRequest", () => {
    expect(mailOptionProblems(build(vendor))).toEqual([])
    expect(mailOptionProblems(paramsFor(build(vendor)).provider)).toEqual([])
    expect(mailOptionProblems(vendor.factory({ sendVerificationRequest: () => {} }))).toEqual([])
  })
})

it("a key that is invalid in a header is not logged", async () => {
  const provider = Resend({ ...COMMON, apiKey: "re_\u00010f1e2d3c", [customFetch]: api.fetch })
  const { all, message } = await failureOf(sendWith(provider))
  expect(message).toMatch(/^Resend: .*header/)
  expect(all).not.toContain("0f1e2d3c")
})

describe("the from option", () => {
  const sender = async (from: string) => {
    await sendWith(SendGrid({ ...COMMON, from, [customFetch]: api.fetch }))
    return (await thePost()).fields.from
  }

  it.each([
    ["no-reply@example.com", { email: "no-reply@example.com" }],
    [" <no-reply@example.com> ", { email: "no-reply@example.com" }],
    ["Example <no-reply@example.com>", { email: "no-reply@example.com", name: "Example" }],
    ['"Example, Inc." <no-reply@example.com>', { email: "no-reply@example.com", name: "Example, Inc." }],
    ["Bücher <no-reply@example.com>", { email: "no-reply@example.com", name: "Bücher" }],
  ])("%j is parsed", async (from, parts) => {
    expect(await sender(from)).toEqual(parts)
  })

  it.each([
    "Example",
    "example.com",
    "A <a@b.test>, C <c@d.test>",
    "a@b.test, c@d.test",
    "A\r\nBcc: x <a@b.test>",
    "<>",
  ])("%j is rejected", async (from) => {
    expect(mailOptionProblems(Resend({ ...COMMON, from }))).toEqual([
      {
        option: "from",
        seen: "is not a valid sender",
        fix: expect.stringMatching(/^Set AUTH_RESEND_FROM, or write \{ from:/),
      },
    ])
    await expect(sendWith(Resend({ ...COMMON, from, [customFetch]: api.fetch }))).rejects.toThrow(
      "from is not a valid sender",
    )
  })
})

describe("mailgun", () => {
  it.each([
    [undefined, "https://api.mailgun.net/v3/mg.example.com/messages"],
    ["US", "https://api.mailgun.net/v3/mg.example.com/messages"],
    ["EU", "https://api.eu.mailgun.net/v3/mg.example.com/messages"],
  ] as const)("in the region %s posts to %s", async (region, url) => {
    await sendWith(Mailgun({ ...COMMON, region, [customFetch]: api.fetch }))
    expect(api.posted.map((post) => post.url)).toEqual([url])
  })

  it("encodes its form as bytes, for any implementation of fetch", async () => {
    const bodies: unknown[] = []
    const own: typeof fetch = (input, init) => {
      bodies.push(init?.body)
      return api.fetch(input, init)
    }
    await sendWith(Mailgun({ ...COMMON, [customFetch]: own }))
    expect(bodies).toEqual([expect.any(Uint8Array)])
  })
})

describe("the types", () => {
  it("accept the documented forms", () => {
    const unset = process.env["NOT_SET"]
    const bare: Provider[] = [Email, ForwardEmail, Loops, Mailgun, Nodemailer, Postmark, Resend, SendGrid]
    const called: Provider[] = [
      Resend(),
      Resend({ apiKey: unset, from: unset, maxAge: 600, [customFetch]: fetch }),
      Resend({ sendVerificationRequest: async ({ identifier, mail }) => void [identifier, mail.html] }),
      Mailgun({ region: "EU" }),
      Loops({ transactionalId: unset }),
      Nodemailer({ server: { host: "127.0.0.1", pool: true }, from: unset }),
      Email({ server: "smtp://127.0.0.1" }),
    ]
    // @ts-expect-error there is no such region
    called.push(Mailgun({ region: "APAC" }))
    // @ts-expect-error there is no such option
    called.push(Resend({ key: "re_1" }))
    // @ts-expect-error there is no server
    expect(() => Nodemailer({ from: FROM })).toThrow("server is missing")
    expect([bare.length, called.length]).toEqual([8, 9])
  })
})
