/**
 * SES-15 in other shapes: what is left of a session's parts on the way, and cookies by the hundred.
 *
 * @module
 */
import { once } from "node:events"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import type { AuthConfig } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger, shapesOn } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"

guardProcess()

const NAME = "authjs.session-token"
const ADA = { user: { name: "ada" } }
const READS = ["/auth/session", "/me"]
const callbacks: NonNullable<AuthConfig["callbacks"]> = {
  jwt: ({ token }) => ({ ...token, filler: "x".repeat(6_000) }),
}

type Parts = readonly [zero: string, one: string, two: string]

describeServers("a session in three parts", (start, stage) => {
  const rows = shapesOn(stage)

  async function signedIn() {
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ callbacks, logger, session: { maxCookieSize: 16_384 } }))
    const browser = app.browser()
    await signIn(browser)
    const [zero = "", one = "", two = ""] = [0, 1, 2].map((i) => `${NAME}.${i}=${browser.cookie(`${NAME}.${i}`)}`)
    expect(two).toMatch(/\.2=[\w-]/)
    return { app, parts: [zero, one, two] as Parts, records }
  }

  /** Asks with a header as it stands, and gives what is then in a browser that had sent it. */
  async function ask(browser: Browser, path: string, cookie: string) {
    for (const [, name = "", value = ""] of cookie.matchAll(/([^;=\s]+)=([^;]*)/g)) browser.setCookie(name, value)
    const page = await browser.get(path, { headers: { cookie } })
    return { page, left: browser.cookies().flatMap(({ name }) => (name.startsWith(`${NAME}.`) ? [name] : [])) }
  }

  it.each(
    rows<[string, (parts: Parts) => string]>([
      ["in another order", ([zero, one, two]) => `${two}; ${zero}; ${one}`],
      ["without spaces", (parts) => parts.join(";")],
      ["with spaces where none belong", (parts) => ` ${parts.join(" ;\t ")} ;; `],
      ["the last twice, and one of another's between", ([zero, one, two]) => `${zero}; ${two}; a=b; ${one}; ${two}`],
      ["among those of others", (parts) => `a; =; b=${NAME}.0; ${parts.join("; c=%; ")}; x${NAME}=1`],
      ["before a part too many", (parts) => `${parts.join("; ")}; ${NAME}.3=junk; ${NAME}.7=junk`],
      [
        "after parts of their names that are junk",
        (parts) => `${NAME}.0=a; ${NAME}.1=b; ${NAME}.2=c; ${parts.join("; ")}`,
      ],
      ["beside a whole one that is junk", (parts) => `${NAME}=junk; ${parts.join("; ")}`],
      ["beside empty ones", (parts) => `${NAME}=; ${parts.join("; ")}; ${NAME}.3=; ${NAME}.=`],
    ]),
  )("SES-15: is read from a header that has them %s", async (_, header) => {
    const { app, parts } = await signedIn()
    for (const path of READS) {
      const { page } = await ask(app.browser(), path, header(parts))
      expect([page.status, await page.json()]).toEqual([200, expect.objectContaining(ADA)])
    }
  })

  it.each(
    rows<[string, (parts: Parts) => string]>([
      ["the middle one is missing", ([zero, , two]) => `${zero}; ${two}`],
      ["the first is missing", ([, one, two]) => `${one}; ${two}`],
      ["the last is missing", ([zero, one]) => `${zero}; ${one}`],
      [
        "one has taken another's place",
        ([zero, one, two]) => `${zero}; ${one.replace(".1=", ".2=")}; ${two.replace(".2=", ".1=")}`,
      ],
      ["one was cut short", ([zero, one, two]) => `${zero}; ${one.slice(0, -1)}; ${two}`],
      ["one is empty", ([zero, , two]) => `${zero}; ${NAME}.1=; ${two}`],
      ["one is no text that can be decoded", ([zero, one, two]) => `${zero}; ${one}%E0%A4%A; ${two}`],
      [
        "they are numbered from one",
        (parts) => parts.map((part, i) => part.replace(`.${i}=`, `.${i + 1}=`)).join("; "),
      ],
    ]),
  )("SES-15: is over, and forgotten to the last part, where %s", async (_, header) => {
    const { app, parts, records } = await signedIn()
    for (const path of READS) {
      const browser = app.browser()
      const { page, left } = await ask(browser, path, header(parts))
      expect([page.status, await page.json(), left]).toEqual([200, null, []])
      await signIn(browser)
      expect(await (await browser.get("/me")).json()).toMatchObject(ADA)
    }
    expect(records.every(({ code }) => code === "JWTSessionError")).toBe(true)
  })

  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${NAME}.${i}=x`).join("; ")
  const HEADERS: [string, string][] = [
    ["four hundred parts", numbered(400)],
    ["four hundred parts, backwards", numbered(400).split("; ").reverse().join("; ")],
    ["parts from a hundred on", Array.from({ length: 400 }, (_, i) => `${NAME}.${999 - i}=x`).join("; ")],
    [
      "attempts by the hundred",
      Array.from({ length: 300 }, (_, i) => `authjs.state.${String(i).padStart(16, "x")}=y`).join("; "),
    ],
    ["nothing but separators", "; ".repeat(7_000)],
    ["names without values", `${NAME}; `.repeat(600)],
    ["one name six hundred times", `${NAME}=x; `.repeat(580)],
    ["equals signs", "=".repeat(14_000)],
    ["a name of fourteen thousand characters", `${"n".repeat(14_000)}=1`],
    ["percent signs", `${NAME}=${"%".repeat(14_000)}`],
  ]

  it.each(rows(HEADERS))(
    "SES-15: an answer to %s is small enough for every proxy, and it is no session",
    async (_, cookie) => {
      const { logger, records } = recordingLogger()
      const { browser: visit } = await start(configOf({ logger }))
      for (const path of READS) {
        const page = await visit().get(path, { headers: { cookie } })
        expect([page.status, await page.json()]).toEqual([200, null])
        // nginx takes 4 kB of headers where nothing else is said, and answers 502 to more.
        expect([...page.headers].join().length).toBeLessThan(3_000)
      }
      const begun = await visit().get("/auth/signin", { headers: { cookie } })
      expect([begun.status, [...begun.headers].join().length < 3_000]).toEqual([200, true])
      expect(records.length).toBeLessThan(12)
    },
  )

  it("SES-15: parts that somebody has planted by the hundred are all gone after a few visits", async () => {
    const { browser: visit } = await start(configOf())
    const browser = visit()
    for (let i = 0; i < 60; i++) browser.setCookie(`${NAME}.${i}`, "x")
    for (let visits = 0; visits < 8; visits++) await browser.get("/auth/session")
    expect(browser.cookies()).toEqual([])
  })

  if (stage === "Auth()") return

  it("SES-15: is read from two Cookie headers, as HTTP/2 and some proxies send them", async () => {
    const { app, parts } = await signedIn()
    for (const path of READS) {
      const headers = [
        "Host",
        new URL(app.origin).host,
        "Cookie",
        `${parts[1]}; a=b`,
        "Cookie",
        `${parts[0]}; ${parts[2]}`,
      ]
      const outgoing = request(new URL(path, app.origin), { headers, agent: false })
      outgoing.end()
      const [incoming] = await once(outgoing, "response")
      expect(JSON.parse(await text(incoming))).toMatchObject(ADA)
    }
  })
})
