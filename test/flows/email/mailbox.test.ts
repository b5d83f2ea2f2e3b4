import type { RequestListener } from "node:http"
import connect from "connect"
import express, { type RequestHandler } from "express"
import express4 from "express4"
import request from "supertest"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../../lib/index.js"
import Nodemailer from "../../../lib/providers/nodemailer.js"
import { csrf, mailbox, sessionOf } from "../../../lib/testing.js"
import type { AuthConfig } from "../../../lib/types.js"
import { withEnv } from "../../express/support/servers.js"
import { recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

/** After this time, a browser can request another email to the same address. */
const RESEND_MS = 30_000

/** An application with sign-in by email, and the agent of a user. */
function application(over: Partial<AuthConfig> = {}) {
  const mails = mailbox()
  const time = { now: Date.now() }
  const { logger } = recordingLogger()
  const app = express().use(
    authMiddleware({
      ...{ secret: TEST_SECRET, logger, adapter: MemoryAdapter(), providers: [mails.provider] },
      clock: () => time.now,
      ...over,
    }),
  )
  app.get("/guarded", requireAuth, (_req, res) => void res.end())
  app.use("/dev/mails", mails.pages)
  const agent = request.agent(app)
  const requestLink = async (email: string, id = "email") => {
    time.now += RESEND_MS
    const csrfToken = await csrf(agent)
    await agent.post(`/auth/signin/${id}`).type("form").send({ csrfToken, email }).expect(302)
  }
  return { app, agent, mails, requestLink }
}

const readPath = (link: string) => link.slice(new URL(link).origin.length)

describe("mailbox()", () => {
  it("returns the sign-in link of an address", async () => {
    const { agent, mails, requestLink } = application()
    await requestLink("Ada@Example.com")
    await agent.get(readPath(await mails.link("ada@EXAMPLE.com"))).expect(302)
    await agent.get("/guarded").expect(200)
    expect(await sessionOf(agent)).toMatchObject({ user: { email: "ada@example.com" } })
  })

  it("waits for an email that has not arrived yet", async () => {
    const { mails, requestLink } = application()
    const [link] = await Promise.all([
      mails.link("ada@example.com"),
      requestLink("bob@example.com"),
      requestLink("ada@example.com"),
    ])
    expect(link).toContain("email=ada%40example.com")
  })

  it("returns the newest email once, and then waits for the next", async () => {
    const { mails, requestLink } = application()
    for (const _ of [1, 2]) await requestLink("ada@example.com")
    expect(await mails.link("ada@example.com")).toBe(mails.all[0]?.url)
    const waiting = mails.link("ada@example.com")
    await requestLink("ada@example.com")
    expect(await waiting).toBe(mails.all[0]?.url)
    expect(mails.all).toHaveLength(3)
  })

  it("returns each email to only one of two waiting callers", async () => {
    const { mails, requestLink } = application()
    const [first, second] = [mails.link("ada@example.com"), mails.link("ada@example.com")]
    await requestLink("ada@example.com")
    expect(await first).toBe(mails.all[0]?.url)
    await requestLink("ada@example.com")
    expect(await second).toBe(mails.all[0]?.url)
    expect(await first).not.toBe(await second)
  })

  it("returns the code of an address, which the page of the requesting browser accepts", async () => {
    const { agent, mails, requestLink } = application()
    await requestLink("ada@example.com")
    const code = await mails.code("ADA@example.com")
    expect(code).toBe(mails.all[0]?.code)
    const csrfToken = await csrf(agent)
    await agent.post("/auth/callback/email").type("form").send({ csrfToken, code }).expect(302)
    await agent.get("/guarded").expect(200)
  })

  it("returns the link or the code of each email once", async () => {
    const { mails, requestLink } = application()
    await requestLink("ada@example.com")
    await mails.link("ada@example.com")
    await expect(mails.code("ada@example.com", { timeoutSeconds: 0.01 })).rejects.toThrow(
      /already returned by link\(\) or/,
    )
  })

  it("reports an email without a code", async () => {
    const own = mailbox()
    const { requestLink } = application({ providers: [{ ...own.provider, emailCode: false }] })
    await requestLink("ada@example.com")
    await expect(own.code("ada@example.com")).rejects.toThrow("has no code, because emailCode is false")
    expect(own.all[0]?.code).toBeUndefined()
  })

  it("keeps all emails until clear() is called", async () => {
    const { mails, requestLink } = application()
    await requestLink("ada@example.com")
    expect(mails.all).toEqual([
      {
        id: "1",
        to: "ada@example.com",
        url: expect.stringContaining("/auth/callback/email?"),
        code: expect.stringMatching(/^\w{4}-\w{4}$/),
        subject: expect.stringContaining("Sign in"),
        text: expect.stringContaining("/auth/callback/email?"),
        html: expect.stringContaining("<html"),
        sentAt: expect.any(Date),
      },
    ])
    mails.clear()
    expect(mails.all).toEqual([])
  })

  it("collects the emails of another provider", async () => {
    const own = mailbox()
    const provider = Nodemailer({ server: "smtp://127.0.0.1:1", from: "a@app.test", sendVerificationRequest: own.send })
    const { agent, requestLink } = application({ providers: [provider] })
    await requestLink("ada@example.com", "nodemailer")
    await agent.get(readPath(await own.link("ada@example.com"))).expect(302)
    await agent.get("/guarded").expect(200)
  })

  describe("explains why no link arrived", () => {
    const linkIn = (mails: ReturnType<typeof mailbox>, to: string) => mails.link(to, { timeoutSeconds: 0.01 })

    it("if no email was sent", async () => {
      const { mails, requestLink } = application({ callbacks: { signIn: () => false } })
      await requestLink("ada@example.com")
      await expect(linkIn(mails, "ada@example.com")).rejects.toThrow(
        "mailbox: no email to ada@example.com arrived within 0.01 s. No emails arrived. No email is sent if the same browser requested one in the last 30 seconds, if callbacks.signIn rejects",
      )
    })

    it("if emails were sent to other addresses", async () => {
      const { mails, requestLink } = application()
      await requestLink("bob@example.com")
      await expect(linkIn(mails, "ada@example.com")).rejects.toThrow("Emails arrived for bob@example.com.")
    })

    it("if the link was returned before, and keeps the next email for the next caller", async () => {
      const { mails, requestLink } = application()
      await requestLink("ada@example.com")
      await linkIn(mails, "ada@example.com")
      await expect(linkIn(mails, "ada@example.com")).rejects.toThrow("The last email was already returned by link()")
      await requestLink("ada@example.com")
      expect(await linkIn(mails, "ada@example.com")).toBe(mails.all[0]?.url)
    })
  })

  it("throws in production", () => {
    withEnv({ NODE_ENV: "production" }, () => expect(mailbox).toThrow("mailbox() lets anyone sign in as any user"))
  })
})

describe("The pages of a mailbox", () => {
  it("state that there are no emails, and cannot be framed or cached", async () => {
    const { agent } = application()
    const { text, headers } = await agent.get("/dev/mails").expect(200)
    expect(text).toContain("There are no emails yet.")
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
    expect(headers["cache-control"]).toBe("no-store")
    await agent
      .get("/dev/mails/style.css")
      .expect(200)
      .expect("Content-Type", /text\/css/)
  })

  it("show the newest email with its link, and a list of the others", async () => {
    const { agent, mails, requestLink } = application()
    await requestLink("ada@example.com")
    await requestLink("bob@example.com")
    const { text } = await agent.get("/dev/mails").expect(200)
    const newest = mails.all[0]
    expect(text).toContain(`<a href="${newest?.url.replaceAll("&", "&amp;")}">`)
    expect(text).toContain('<iframe src="/dev/mails/2/html"')
    expect(text).toContain('<a href="/dev/mails/2" aria-current="true"><b>bob@example.com</b>')
    expect(text).toContain('<a href="/dev/mails/1"><b>ada@example.com</b>')
    expect((await agent.get("/dev/mails/1").expect(200)).text).toContain("To <b>ada@example.com</b>")
  })

  it("show the HTML of an email in a sandbox, whose links open outside the frame", async () => {
    const { agent, requestLink } = application()
    await requestLink("ada@example.com")
    const { text, headers } = await agent.get("/dev/mails/1/html").expect(200)
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none';.* sandbox allow-top-navigation/)
    expect(text).toContain('<base target="_top">')
  })

  it("escape the content of an email", async () => {
    const { agent, mails } = application()
    const mail = { subject: "<b>1", text: 'https://a.test/"><script>', html: "" }
    await mails.send({ identifier: "<i>@x", url: "", mail } as Parameters<typeof mails.send>[0])
    const { text } = await agent.get("/dev/mails").expect(200)
    expect(text).not.toMatch(/<b>1|<i>@|<script/)
    expect(text).toContain('href="https://a.test/&quot;&gt;&lt;script&gt;"')
  })

  it.each<[string, Record<string, string>]>([
    ["through a proxy", { "x-forwarded-for": "127.0.0.1" }],
    ["with another host name, as after DNS rebinding", { host: "evil.test" }],
  ])("are refused for requests %s", async (_, headers) => {
    const { agent, requestLink } = application()
    await requestLink("ada@example.com")
    for (const path of ["", "/1", "/1/html"]) {
      const { text } = await agent.get(`/dev/mails${path}`).set(headers).expect(403)
      expect(text).toContain("only on the machine")
      expect(text).not.toContain("ada@example.com")
    }
  })

  it("are refused for requests from another machine", async () => {
    const { app, requestLink } = application()
    await requestLink("ada@example.com")
    const outer: RequestListener = (req, res) => {
      Object.defineProperty(req.socket, "remoteAddress", { value: "192.0.2.7" })
      app(req, res)
    }
    await request(outer).get("/dev/mails").expect(403)
  })

  it("keep the application's Content-Security-Policy", async () => {
    const { mails } = application()
    const own: RequestHandler = (_req, res, next) => {
      res.set("Content-Security-Policy", "default-src 'self'")
      next()
    }
    const { headers } = await request(express().use(own, mails.pages)).get("/")
    expect(headers["content-security-policy"]).toBe("default-src 'self'")
  })

  it("respond with 404 to other paths and methods", async () => {
    const { agent } = application()
    for (const path of ["/0", "/1", "/constructor/html", "/1/2"]) await agent.get(`/dev/mails${path}`).expect(404)
    await agent.post("/dev/mails").expect(404)
  })

  it.each<[string, () => RequestListener & { use(path: string, handler: unknown): unknown }]>([
    ["Express 4", () => express4()],
    ["Connect", () => connect()],
  ])("know their mount path on %s", async (_, create) => {
    const { mails, requestLink } = application()
    await requestLink("ada@example.com")
    const app = create()
    app.use("/mails", mails.pages)
    for (const path of ["/mails?x=1", "/mails/", "/mails/1"])
      expect((await request(app).get(path)).text).toContain('<iframe src="/mails/1/html"')
  })
})
