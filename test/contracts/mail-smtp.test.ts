import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { build } from "esbuild"
import { createTransport } from "nodemailer"
import { satisfies } from "../../lib/cli/doctor/packages.js"
import { mailOptionProblems } from "../../lib/provider-kit/send-mail.js"
import Email from "../../lib/providers/email.js"
import Nodemailer from "../../lib/providers/nodemailer.js"
import { SELF_SIGNED } from "../flows/support/self-signed.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { until } from "../support/wait.js"
import { FROM, failureOf, LINK, MAIL, RECIPIENT, sendWith, TOKEN } from "./support/mail.js"
import {
  type FaultyServer,
  type MailServer,
  readMail,
  refusal,
  startFaultyServer,
  startMailServer,
} from "./support/smtp.js"

failOnUnhandled()

let server: MailServer
const started: { close(): Promise<void> }[] = []
const closeAfterTest = <T extends { close(): Promise<void> }>(one: T): T => {
  started.push(one)
  return one
}
const startServer = async (...args: Parameters<typeof startMailServer>) =>
  closeAfterTest(await startMailServer(...args))
const startFaulty = async (serve: Parameters<typeof startFaultyServer>[0]): Promise<FaultyServer> =>
  closeAfterTest(await startFaultyServer(serve))

beforeAll(async () => {
  server = await startMailServer()
})
beforeEach(() => {
  server.delivered.length = 0
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.close()))
})
afterAll(() => server.close())

const nodemailer = (smtp: string | object, more: object = {}) => Nodemailer({ server: smtp, from: FROM, ...more })

/** The single delivered email. */
function theMail(smtp: MailServer = server) {
  const [{ from, to, raw }, ...others] = smtp.delivered as [MailServer["delivered"][number]]
  expect(others).toEqual([])
  return { from, to, raw, ...readMail(raw) }
}

describe("a delivered email", () => {
  it("has a text and an HTML part from the templates", async () => {
    await sendWith(nodemailer(server.url))
    const { headers, parts } = theMail()
    expect(headers["content-type"]).toMatch(/^multipart\/alternative;/)
    expect(parts.map(({ type, body }) => [type, body])).toEqual([
      ["text/plain; charset=utf-8", MAIL.text],
      ["text/html; charset=utf-8", MAIL.html],
    ])
  })

  it("goes from the sender to exactly one recipient", async () => {
    await sendWith(nodemailer(server.url))
    const { from, to, headers } = theMail()
    expect([from, to]).toEqual(["no-reply@mg.example.com", [RECIPIENT]])
    expect(headers).toMatchObject({ from: '"Example, Inc." <no-reply@mg.example.com>', to: RECIPIENT })
    for (const other of ["cc", "bcc", "reply-to"]) expect(headers).not.toHaveProperty(other)
  })

  it("has a Unicode subject, a date and an id, and requests no automatic replies", async () => {
    await sendWith(nodemailer(server.url), { mail: { ...MAIL, subject: "Sign in to bücher.example, 例え.テスト" } })
    const { raw, headers } = theMail()
    expect(headers).toMatchObject({
      subject: "Sign in to bücher.example, 例え.テスト",
      "auto-submitted": "auto-generated",
      date: expect.stringMatching(/\d{4} \d\d:\d\d:\d\d/),
      "message-id": expect.stringMatching(/^<.+@mg\.example\.com>$/),
    })
    expect(raw.slice(0, raw.indexOf("\r\n\r\n"))).toMatch(/^[\x20-\x7E\r\n\t]+$/)
  })

  it("contains a link of any length without line breaks", async () => {
    const url = `${LINK}&callbackUrl=${"a=".repeat(600)}`
    await sendWith(nodemailer(server.url), { mail: { ...MAIL, text: `Sign in:\n${url}\n` } })
    const { raw, parts } = theMail()
    expect(parts[0]?.body).toBe(`Sign in:\n${url}\n`)
    expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThan(998)
  })

  it.each(["o'hara+tag@example.net", "a.b-c_d@xn--bcher-kva.example", "!#$%&*/=?^`{|}~@example.net"])(
    "reaches %s",
    async (identifier) => {
      await sendWith(nodemailer(server.url), { identifier })
      const { to, headers } = theMail()
      // The server decodes A-labels.
      expect(to.map((address) => address.replace("bücher", "xn--bcher-kva"))).toEqual([identifier])
      expect(headers["to"]).toBe(identifier)
    },
  )

  it("cannot inject a header by its subject", async () => {
    await sendWith(nodemailer(server.url), { mail: { ...MAIL, subject: "Sign in\r\nBcc: victim@app.test" } })
    const { to, headers } = theMail()
    expect(to).toEqual([RECIPIENT])
    expect(headers).not.toHaveProperty("bcc")
  })

  it.each([
    ["text", { path: __filename }],
    ["html", { href: "http://127.0.0.1:1/" }],
  ])("never loads a file or URL as its %s part", async (part, content) => {
    // nodemailer would load a file or URL if a template returned an object instead of a string.
    const mail = { ...MAIL, [part]: content } as typeof MAIL
    expect((await failureOf(sendWith(nodemailer(server.url), { mail }))).message).toMatch(/access rejected/i)
    expect(server.delivered).toEqual([])
  })

  it.each([
    "a@evil.test,victim@app.test",
    '"e@evil.test"@app.test',
    "x,victim@app.test",
    "a@b.test\r\nRCPT TO:<v@app.test>",
  ])("ADV-06, ADV-07: is never sent to %j", async (identifier) => {
    const { name, message } = await failureOf(sendWith(nodemailer(server.url), { identifier }))
    expect([name, message]).toEqual(["TypeError", "Nodemailer: the recipient is not one address"])
    expect(server.delivered).toEqual([])
  })

  it("is sent by the deprecated provider `email` too", async () => {
    const provider = Email({ server: server.url, from: FROM })
    expect(provider).toMatchObject({ id: "email", name: "Email", type: "email" })
    await sendWith(provider)
    expect(theMail().to).toEqual([RECIPIENT])
  })
})

describe("the server option", () => {
  it.each<[string, () => string | object]>([
    ["an address", () => server.url],
    ["an address with options", () => `${server.url}/?name=app.example.com`],
    ["options", () => ({ host: "127.0.0.1", port: server.port })],
    ["options with an address", () => ({ url: server.url })],
    ["a transport", () => createTransport(server.url)],
    [
      "a custom nodemailer transport",
      () => ({
        name: "own",
        version: "1",
        send: (mail: { data: object }, done: (error: Error | null, info: object) => void) =>
          createTransport(server.url)
            .sendMail({ ...mail.data })
            .then((info) => done(null, info), done as () => void),
      }),
    ],
  ])("can be %s", async (_, smtp) => {
    await sendWith(nodemailer(smtp()))
    expect(theMail().to).toEqual([RECIPIENT])
  })

  it("creates one pool, whose emails share a connection", async () => {
    const smtp = await startServer()
    for (const pool of [
      `${smtp.url}?pool=true&maxConnections=1`,
      { host: "127.0.0.1", port: smtp.port, pool: true, maxConnections: 1 },
    ]) {
      const before = smtp.connections()
      const provider = nodemailer(pool)
      for (let i = 0; i < 3; i++) await sendWith(provider)
      expect(smtp.connections() - before).toBe(1)
    }
    expect(smtp.delivered).toHaveLength(6)
  })

  it("can differ between configurations", async () => {
    const smtp = await startServer()
    const provider = nodemailer(server.url)
    await sendWith(provider)
    await sendWith({ ...provider, options: { ...provider.options, server: smtp.url } })
    expect([server.delivered.length, smtp.delivered.length]).toEqual([1, 1])
  })

  it("reports rejected credentials without logging them", async () => {
    const smtp = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(refusal(535, "Authentication credentials invalid")),
    })
    const { all, message } = await failureOf(sendWith(nodemailer(smtp.url.replace("//", "//ada:s3cret-pass@"))))
    expect(message).toBe("Nodemailer: Invalid login: 535 Authentication credentials invalid")
    expect(all).not.toContain("s3cret-pass")
  })

  it("passes user name and password", async () => {
    const seen: unknown[] = []
    const smtp = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, done) {
        seen.push([username, password])
        done(null, { user: username })
      },
    })
    await sendWith(nodemailer(smtp.url.replace("//", "//ada:p%40ss@")))
    expect([seen, theMail(smtp).to]).toEqual([[["ada", "p@ss"]], [RECIPIENT]])
  })

  it.each([
    ["550 to the recipient", 550, "No such user here"],
    ["451 to the recipient, for greylisting", 451, "Greylisted, try again in 5 minutes"],
  ])("reports the server's response %s", async (_, code, words) => {
    const smtp = await startServer({ onRcptTo: (_address, _session, done) => done(refusal(code, words)) })
    const { message } = await failureOf(sendWith(nodemailer(smtp.url)))
    expect(message).toContain(`${code} ${words}`)
    expect(smtp.delivered).toEqual([])
  })

  it("reports a rejected sender", async () => {
    const smtp = await startServer({ onMailFrom: (_address, _session, done) => done(refusal(553, "Not your address")) })
    expect((await failureOf(sendWith(nodemailer(smtp.url)))).message).toContain("553 Not your address")
  })

  it("reports a rejected email without the link that the server repeats", async () => {
    const smtp = await startServer({
      onData(stream, _session, done) {
        stream.resume().on("end", () => done(refusal(554, `Spam: ${LINK}`)))
      },
    })
    const { all, message } = await failureOf(sendWith(nodemailer(smtp.url)))
    expect(message).toBe("Nodemailer: Message failed: 554 Spam: [masked]")
    expect(all).not.toContain(TOKEN)
  })

  it.each([
    ["rejected", { rejected: [RECIPIENT], pending: [] }],
    ["pending", { rejected: [], pending: [{ address: RECIPIENT }] }],
  ])("fails if the transport leaves the recipient %s", async (_, info) => {
    const { message } = await failureOf(sendWith(nodemailer({ sendMail: async () => info })))
    expect(message).toBe("Nodemailer: the SMTP server rejected the recipient")
  })

  it.each<[string, object]>([
    ["a transport that returns undefined", { sendMail: async () => {} }],
    ["a transport that returns null", { sendMail: async () => null }],
    [
      "a custom nodemailer transport that passes no result",
      { name: "own", version: "1", send: (_: object, done: (e: null) => void) => done(null) },
    ],
  ])("treats the email as sent by %s", async (_, server) => {
    await expect(sendWith(nodemailer(server))).resolves.toBeUndefined()
  })

  it("can be a custom transport, which receives parsed addresses", async () => {
    const sent: object[] = []
    const sendMail = async (mail: object) => {
      sent.push(mail)
      return { messageId: "1" }
    }
    await expect(sendWith(nodemailer({ sendMail }))).resolves.toBeUndefined()
    expect(sent).toEqual([
      expect.objectContaining({
        from: { name: "Example, Inc.", address: "no-reply@mg.example.com" },
        to: { name: "", address: RECIPIENT },
        signal: expect.objectContaining({ aborted: false }),
      }),
    ])
  })
})

describe("TLS", () => {
  const TLS = { key: SELF_SIGNED.key, cert: SELF_SIGNED.cert, disabledCommands: [] }

  it("is used with STARTTLS if the certificate is trusted, and the error names the fix otherwise", async () => {
    const smtp = await startServer(TLS)
    await sendWith(nodemailer({ host: "127.0.0.1", port: smtp.port, tls: { ca: SELF_SIGNED.cert } }))
    expect(theMail(smtp).raw).toContain(MAIL.subject.slice(0, 7))
    const { message } = await failureOf(sendWith(nodemailer(smtp.url)))
    expect(message).toMatch(/^Nodemailer: .*certificate.*tls: \{ ca \}.*NODE_EXTRA_CA_CERTS/)
  })

  it("fails with the fix in the error if the port does not start with TLS", async () => {
    const { message } = await failureOf(sendWith(nodemailer(server.url.replace("smtp:", "smtps:"))))
    expect(message).toBe(
      "Nodemailer: the port does not start with TLS. Write smtp:// instead of smtps://, or secure: false, to use STARTTLS",
    )
  })

  it("fails with an untrusted certificate", async () => {
    const smtp = await startServer({ ...TLS, secure: true })
    const { message } = await failureOf(sendWith(nodemailer(smtp.url.replace("smtp:", "smtps:"))))
    expect(message).toMatch(/^Nodemailer: .*certificate.*NODE_EXTRA_CA_CERTS/)
    expect(smtp.delivered).toEqual([])
  })

  it("can be required", async () => {
    const { message } = await failureOf(sendWith(nodemailer(`${server.url}?requireTLS=true`)))
    expect(message).toMatch(/^Nodemailer: .*STARTTLS/)
    expect(server.delivered).toEqual([])
  })
})

describe("EML-16: a faulty mail server", () => {
  /** A server that speaks SMTP until it receives a matching line, and then hangs. */
  const hangingAt = (line: RegExp) =>
    startFaulty((socket) => {
      let isMail = false
      socket.write("220 mail.test ESMTP\r\n")
      socket.on("data", (chunk: Buffer) => {
        if (isMail || line.test(chunk.toString())) return
        isMail = chunk.toString().startsWith("DATA")
        socket.write(isMail ? "354 go on\r\n" : "250 OK\r\n")
      })
    })

  const SHORT = { sendTimeout: 0.2 }
  const SIGNAL = () => ({ signal: AbortSignal.timeout(2_000) })

  it.each([
    ["after the connection", () => startFaulty(() => {}), "Greeting never received"],
    ["after the greeting", () => hangingAt(/^EHLO/), "Timeout"],
    ["after the sender", () => hangingAt(/^MAIL/), "Timeout"],
    ["after the email", () => hangingAt(/^never/), "Timeout"],
  ])("that hangs %s is abandoned, and the connection is closed", async (_, start, words) => {
    const smtp = await start()
    const startedAt = performance.now()
    const { message } = await failureOf(sendWith(nodemailer(smtp.url, SHORT), SIGNAL()))
    expect(message).toBe(`Nodemailer: ${words}`)
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    await until(() => smtp.open.size === 0)
  })

  it("is limited by the application's timeouts if set", async () => {
    const smtp = await startFaulty(() => {})
    const provider = nodemailer(`${smtp.url}?greetingTimeout=60`)
    const startedAt = performance.now()
    expect((await failureOf(sendWith(provider, SIGNAL()))).message).toBe("Nodemailer: Greeting never received")
    expect(performance.now() - startedAt).toBeGreaterThan(50)
    const other = nodemailer({ url: smtp.url, greetingTimeout: 60 })
    expect((await failureOf(sendWith(other, SIGNAL()))).message).toBe("Nodemailer: Greeting never received")
  })

  it("is aborted at the deadline if it responds slowly, and the connection is closed", async () => {
    const smtp = await startFaulty((socket) => {
      const timer = setInterval(() => socket.write("220-still here\r\n"), 5)
      socket.on("close", () => clearInterval(timer))
    })
    for (const more of ["", "?pool=true"]) {
      const signal = AbortSignal.timeout(80)
      const { message } = await failureOf(sendWith(nodemailer(smtp.url + more), { signal }))
      expect(message).toBe("Nodemailer: no complete response in time")
      await until(() => smtp.open.size === 0)
    }
  })

  it("SEC-11: is aborted at the deadline if it delays its final response, and no connection stays open", async () => {
    const smtp = await startFaulty((socket) => {
      let timer: NodeJS.Timeout | undefined
      let isMail = false
      socket.write("220 mail.test ESMTP\r\n")
      socket.on("data", (chunk: Buffer) => {
        if (isMail) timer ??= setInterval(() => socket.write("250-still here\r\n"), 5)
        else {
          isMail = chunk.toString().startsWith("DATA")
          socket.write(isMail ? "354 go on\r\n" : "250 OK\r\n")
        }
      })
      socket.on("close", () => clearInterval(timer))
    })
    for (const more of ["", "?pool=true"]) {
      // Far longer than the signal's timeout, so that only the signal ends it.
      const provider = nodemailer(smtp.url + more, { sendTimeout: 60 })
      const send = () => failureOf(sendWith(provider, { signal: AbortSignal.timeout(300) }))
      const failures = Array.from({ length: 20 }, send)
      for (const { message } of await Promise.all(failures))
        expect(message).toBe("Nodemailer: no complete response in time")
      await until(() => smtp.open.size === 0)
    }
  })

  it("leaves the application's own pool open at the deadline, also with a nodemailer that ignores signals", async () => {
    jest.doMock("nodemailer/package.json", () => ({ version: "10.4.0" }))
    try {
      const smtp = await startFaulty(() => {})
      const pool = createTransport({ host: "127.0.0.1", port: Number(new URL(smtp.url).port), pool: true })
      const close = jest.spyOn(pool, "close")
      const { message } = await failureOf(sendWith(nodemailer(pool), { signal: AbortSignal.timeout(80) }))
      expect([message, close.mock.calls]).toEqual(["Nodemailer: no complete response in time", []])
      pool.close()
    } finally {
      jest.dontMock("nodemailer/package.json")
    }
  })

  it("all versions of nodemailer that Auth.js accepts are accepted, and newer ones", () => {
    const { nodemailer: range } = JSON.parse(readFileSync("package.json", "utf8")).peerDependencies
    expect(["7.0.13", "8.0.11", "9.0.0", "10.6.0"].filter((version) => !satisfies(version, range))).toEqual([])
    expect(satisfies("6.10.1", range)).toBe(false)
  })

  it("is not called after the deadline", async () => {
    const before = server.connections()
    const { message } = await failureOf(sendWith(nodemailer(server.url), { signal: AbortSignal.abort() }))
    expect(message).toBe("Nodemailer: no complete response in time")
    await pause(20)
    expect(server.connections()).toBe(before)
  })

  it("is aborted even if a custom transport ignores the deadline", async () => {
    const provider = nodemailer({ sendMail: () => new Promise(() => {}) })
    expect((await failureOf(sendWith(provider, { signal: AbortSignal.timeout(30) }))).message).toBe(
      "Nodemailer: no complete response in time",
    )
  })

  it.each([
    ["at once", ""],
    ["after the greeting", "220 mail.test ESMTP\r\n"],
    ["with a refusal", "554 No service for you\r\n"],
  ])("that drops the connection %s is reported", async (_, words) => {
    const smtp = await startFaulty((socket) => socket.end(words))
    const startedAt = performance.now()
    const { message } = await failureOf(sendWith(nodemailer(smtp.url)))
    expect(message).toMatch(words.startsWith("554") ? /554 No service for you/ : /^Nodemailer: .*(clos|reset)/i)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it("is reported if it is unreachable", async () => {
    const gone = await startFaultyServer(() => {})
    await gone.close()
    const { message } = await failureOf(sendWith(nodemailer(gone.url)))
    expect(message).toBe(`Nodemailer: connect ECONNREFUSED ${gone.url.slice("smtp://".length)}`)
  })

  it("is reported if its host is unknown", async () => {
    const { message } = await failureOf(sendWith(nodemailer("smtp://mail.invalid", SHORT), SIGNAL()))
    expect(message).toMatch(/^Nodemailer: /)
  })

  it("is reported if it does not speak SMTP", async () => {
    const smtp = await startFaulty((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    expect((await failureOf(sendWith(nodemailer(smtp.url)))).message).toMatch(/^Nodemailer: /)
  })

  it("is used again once it works", async () => {
    let isDown = true
    const smtp = await startServer({ onConnect: (_session, done) => (isDown ? done(refusal(421, "Down")) : done()) })
    for (const more of ["", "?pool=true"]) {
      isDown = true
      const provider = nodemailer(smtp.url + more)
      expect((await failureOf(sendWith(provider))).message).toContain("421 Down")
      isDown = false
      await sendWith(provider)
    }
    expect(smtp.delivered).toHaveLength(2)
  })

  it("is reported if the application closed its pool", async () => {
    const pool = createTransport({ host: "127.0.0.1", port: server.port, pool: true })
    const provider = nodemailer(pool)
    await sendWith(provider)
    pool.close()
    expect((await failureOf(sendWith(provider))).message).toMatch(/^Nodemailer: .*closed/)
  })
})

describe("missing configuration", () => {
  it.each([
    ["Nodemailer", Nodemailer],
    ["Email", Email],
  ])("%s reports a missing server when it is created", (name, factory) => {
    const line = `Set AUTH_${name.toUpperCase()}_SERVER, or write { server: "smtp://user:password@smtp.example.com:587" }`
    for (const server of [undefined, ""])
      expect(() => factory({ server, from: FROM })).toThrow(
        expect.objectContaining({ type: "AuthError", message: `${name}: server is missing. ${line}` }),
      )
  })

  it.each([
    "smtp.example.com",
    "http://ada:s3cret@smtp.example.com",
    "ada:s3cret@smtp.example.com:587",
    "smtp://ada:s3cret/1@smtp.example.com",
    "smtp://h:port",
  ])("the invalid server %j is rejected by an error that does not repeat it", (text) => {
    const build = () => Nodemailer({ server: text, from: FROM })
    expect(build).toThrow("server is not a valid address such as smtp://")
    expect(build).not.toThrow("s3cret")
  })

  it("a missing sender is reported before an email is sent", async () => {
    const provider = Nodemailer({ server: server.url })
    expect(mailOptionProblems(provider)).toEqual([
      {
        option: "from",
        seen: "is missing",
        fix: expect.stringContaining("Set AUTH_NODEMAILER_FROM, or write { from:"),
      },
    ])
    await expect(sendWith(provider)).rejects.toThrow("Nodemailer: from is missing")
    expect(server.delivered).toEqual([])
  })

  it("a missing nodemailer package is reported in one line at the first email", async () => {
    const folder = await mkdtemp(join(tmpdir(), "latchkey-mail-"))
    try {
      const contents = `
        import Nodemailer from ${JSON.stringify(join(__dirname, "../../lib/providers/nodemailer.ts"))}
        const from = "no-reply@example.com"
        const provider = Nodemailer({ server: "smtp://127.0.0.1", from })
        const mail = { subject: "", text: "", html: "" }
        provider
          .sendVerificationRequest({ provider: { ...provider, from }, identifier: "a@b.test", mail, signal: AbortSignal.timeout(100) })
          .catch((error) => process.stdout.write(error.message))`
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: __dirname, loader: "ts" },
        ...({ bundle: true, platform: "node", format: "esm", write: false } as const),
      })
      await writeFile(join(folder, "send.mjs"), outputFiles[0]?.text ?? "")
      const { stdout } = await promisify(execFile)(process.execPath, ["send.mjs"], { cwd: folder })
      expect(stdout).toBe("Nodemailer needs nodemailer: npm install nodemailer")
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
