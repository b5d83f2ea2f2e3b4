/**
 * RED-04: pages escape text in every context.
 *
 * @module
 */

import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authMiddleware } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers } from "../../support/apps.js"
import { decodeEntities } from "../../support/html.js"
import { guardProcess } from "../support/guard.js"
import { mailbox } from "../support/mail.js"
import { structureOf, tagsOf } from "../support/markup.js"
import { register, startPasskeySite } from "../support/passkeys.js"

guardProcess()

/** Each payload breaks out of one context: an element, an attribute, a URL, a style sheet or a template. */
const PAYLOADS: readonly (readonly [where: string, text: string])[] = [
  ["an element", "<script>alert(1)</script>"],
  ["a title", "</title><svg onload=alert(1)>"],
  ["a style sheet", "</style><script>alert(1)</script>"],
  ["a comment", "--><img src=x onerror=alert(1)><!--"],
  ["CDATA", "]]><script>alert(1)</script><![CDATA["],
  ["a quoted attribute", '" autofocus onfocus="alert(1)" x="'],
  ["an attribute in single quotes", "' autofocus onfocus='alert(1)' x='"],
  ["an attribute without quotes", "x onmouseover=alert(1) y"],
  ["an element from within an attribute", '"><iframe src=//evil.test></iframe><a href="'],
  ["a URL", "javascript:alert(1)//"],
  ["a data URL", "data:text/html,<script>alert(1)</script>"],
  ["a CSS declaration", "red;}*{background:url(//evil.test/x)}"],
  ["a template", "<%= process.env %><%- include('x') %>#{1}{{1}}"],
  ["entities", "&lt;script&gt;&quot; onfocus=&quot;alert(1)&#34;&#x3e;"],
  ["an unfinished element", "<img src=//evil.test/"],
  ["capitals and control characters", "<ScRiPt\u000c>alert(1)</sCrIpT\t><a\u0001 href=java\tscript:alert(1)>"],
]

/** A configuration with the text in every value that a page shows. */
const configWith = (text: string): AuthConfig => ({
  ...configOf({ adapter: MemoryAdapter(), experimental: { enableWebAuthn: true }, theme: { logo: text } }),
  providers: [
    Credentials({
      name: text,
      credentials: {
        username: { label: text, placeholder: text, type: "text", title: text, pattern: text },
        [`field ${text}`]: { type: "text" },
        kind: { label: "Kind", type: text },
        ticket: { type: "hidden", value: text },
      },
      authorize: () => null,
    }),
    { ...mailbox().provider, name: text },
    Passkey({ name: text }),
    {
      ...{ id: "own", name: text, type: "oauth", clientId: "x", clientSecret: "y", style: { logo: text } },
      ...{ authorization: "https://op.test/a", token: "https://op.test/t", userinfo: "https://op.test/u" },
      profile: () => ({ id: "1" }),
    },
    {
      ...{ id: "other", name: text, type: "oauth", clientId: "x", clientSecret: "y" },
      ...{ authorization: "https://op.test/a", token: "https://op.test/t", userinfo: "https://op.test/u" },
      profile: () => ({ id: "1" }),
    },
  ],
})

const PAGES = ["signin", "signout", "error", "verify-request", "callback/mail", "callback/credentials", "signin/nope"]
const FIELDS =
  "error code email provider type token csrfToken theme providers host page title nonce locals cache".split(" ")

/** A query with the text in every parameter that a link can have. */
const queryWith = (text: string) =>
  new URLSearchParams([
    ...FIELDS.map((name) => [name, text]),
    ["callbackUrl", `/${text}`],
    ["settings[view options]", text],
  ])

function expectHarmless(html: string): void {
  for (const { attributes } of tagsOf(html))
    for (const [name, value] of attributes) {
      expect(name).not.toMatch(/^(?:on|style$|srcdoc$)/)
      if (["href", "action", "formaction"].includes(name))
        expect(value).not.toMatch(/^\s*(?:javascript|data|vbscript):/i)
    }
  expect(html).not.toMatch(/<(?:iframe|object|embed|base|meta http-equiv)/i)
}

/** The policy without `img-src`, which depends on the logo. */
const policyOf = (headers: Headers) => (headers.get("content-security-policy") ?? "").replace(/ ?img-src[^;]*/, "")

describeServers("text on the built-in pages", (start, stage) => {
  // One server gets all payloads, each other server a fifth of them.
  it.each(stage === "Auth()" ? PAYLOADS : PAYLOADS.filter((_, i) => i % 5 === 0))(
    "RED-04: a payload that breaks out of %s is shown as text: %j",
    async (_where, text) => {
      const visit = async (payload: string) => {
        const browser = (await start(configWith(payload))).browser()
        const pages = []
        for (const page of PAGES) {
          const answer = await browser.get(`/auth/${page}?${queryWith(payload)}`)
          pages.push({ page, status: answer.status, html: await answer.text(), headers: answer.headers })
        }
        return pages
      }
      const [plain, hostile] = [await visit("plain"), await visit(text)]
      for (const [i, { page, status, html, headers }] of hostile.entries()) {
        const expected = plain[i]
        expect([page, status, structureOf(html)]).toEqual([page, expected?.status, structureOf(expected?.html ?? "")])
        expectHarmless(html)
        expect(policyOf(headers)).toBe(expected && policyOf(expected.headers))
        for (const value of headers.values()) expect(value).not.toMatch(/[<>]|[^ -~]/)
      }
      // The page does contain the text.
      expect(decodeEntities(hostile[0]?.html ?? "").split(text).length).toBeGreaterThan(10)
    },
  )
})

describeServer("text on the passkey page", "Auth()", (start) => {
  it("RED-04: the name of a passkey is shown as text", async () => {
    const { app } = await startPasskeySite(start)
    const browser = app.browser()
    await register(browser, app.origin, { email: "ada@example.com" })
    const rename = async (name: string): Promise<string> => {
      const html = await (await browser.get("/auth/passkeys")).text()
      const form = browser.forms(html).find(({ fields }) => fields["do"] === "rename")
      if (!form) throw new Error("nothing to rename")
      await browser.submit(form, { name })
      return (await browser.get("/auth/passkeys")).text()
    }
    const plain = structureOf(await rename("plain"))
    for (const [, text] of PAYLOADS) {
      const html = await rename(text)
      expect([text, structureOf(html)]).toEqual([text, plain])
      expectHarmless(html)
      expect(html).not.toContain("plain<")
    }
  })
})

describeServer("text on the sessions page", "Auth()", (start) => {
  it("RED-04: the name of the browser is shown as text", async () => {
    const listWith = async (name: string): Promise<string> => {
      // Header values have no control characters and no characters above U+00FF.
      const agent = `${name.replace(/[^ -~]/g, "")}/1.0 (Windows)`
      const browser = (await start(configOf({ store: MemoryStore() }))).browser({ headers: { "user-agent": agent } })
      await signIn(browser)
      return (await browser.get("/auth/sessions")).text()
    }
    const plain = await listWith("plain")
    expect(plain).toContain(">plain<")
    for (const [, text] of PAYLOADS) {
      const html = await listWith(text)
      expect([text, structureOf(html)]).toEqual([text, structureOf(plain)])
      expectHarmless(html)
    }
  })
})

describe("theme colours", () => {
  const COLOURS = [
    ...PAYLOADS.map(([, text]) => text),
    ...["red;color:blue", "url(//evil.test)", "var(--x)", "expression(alert(1))", "rgb(1,2,3);x", "#fff}", "#12345"],
    ...["red/**/", "r\\65d", "rgb(calc(1),2,3)", "image-set('//evil.test')", "#fff\n}", "rgb(1,2,3", "red !important"],
  ]

  it.each(COLOURS)("RED-04: a colour of %j is rejected", (colour) => {
    for (const name of ["brandColor", "buttonText"])
      expect(() => authMiddleware(configOf({ theme: { [name]: colour } }))).toThrow(`theme.${name}`)
  })
})
