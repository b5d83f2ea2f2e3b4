/**
 * SES-15: sessions in several cookie chunks, and requests with hundreds of cookies.
 *
 * @module
 */
import { once } from "node:events"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, shapesOn } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const NAME = "authjs.session-token"
const ADA = { user: { name: "ada" } }
const READS = ["/auth/session", "/me"]
const callbacks: NonNullable<AuthConfig["callbacks"]> = {
  jwt: ({ token }) => ({ ...token, filler: "x".repeat(6_000) }),
}

type Chunks = readonly [zero: string, one: string, two: string]

describeServers("session in three cookie chunks", (start, stage) => {
  const rows = shapesOn(stage)

  async function startSignedIn() {
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ callbacks, logger, session: { maxCookieSize: 16_384 } }))
    const browser = app.browser()
    await signIn(browser)
    const [zero = "", one = "", two = ""] = [0, 1, 2].map((i) => `${NAME}.${i}=${browser.cookie(`${NAME}.${i}`)}`)
    expect(two).toMatch(/\.2=[\w-]/)
    return { app, chunks: [zero, one, two] as Chunks, records }
  }

  /** Sends the Cookie header unchanged, and returns the chunks that the browser has afterwards. */
  async function sendCookies(browser: Browser, path: string, cookie: string) {
    for (const [, name = "", value = ""] of cookie.matchAll(/([^;=\s]+)=([^;]*)/g)) browser.setCookie(name, value)
    const page = await browser.get(path, { headers: { cookie } })
    return { page, left: browser.cookies().flatMap(({ name }) => (name.startsWith(`${NAME}.`) ? [name] : [])) }
  }

  it.each(
    rows<[string, (chunks: Chunks) => string]>([
      ["in another order", ([zero, one, two]) => `${two}; ${zero}; ${one}`],
      ["without spaces", (chunks) => chunks.join(";")],
      ["with extra spaces", (chunks) => ` ${chunks.join(" ;\t ")} ;; `],
      [
        "with the last chunk twice and another cookie in between",
        ([zero, one, two]) => `${zero}; ${two}; a=b; ${one}; ${two}`,
      ],
      ["among other cookies", (chunks) => `a; =; b=${NAME}.0; ${chunks.join("; c=%; ")}; x${NAME}=1`],
      ["before extra chunks", (chunks) => `${chunks.join("; ")}; ${NAME}.3=junk; ${NAME}.7=junk`],
      [
        "after junk chunks of the same names",
        (chunks) => `${NAME}.0=a; ${NAME}.1=b; ${NAME}.2=c; ${chunks.join("; ")}`,
      ],
      ["next to a junk cookie without a number", (chunks) => `${NAME}=junk; ${chunks.join("; ")}`],
      ["next to empty cookies", (chunks) => `${NAME}=; ${chunks.join("; ")}; ${NAME}.3=; ${NAME}.=`],
    ]),
  )("SES-15: is read from chunks %s", async (_, header) => {
    const { app, chunks } = await startSignedIn()
    for (const path of READS) {
      const { page } = await sendCookies(app.browser(), path, header(chunks))
      expect([page.status, await page.json()]).toEqual([200, expect.objectContaining(ADA)])
    }
  })

  it.each(
    rows<[string, (chunks: Chunks) => string]>([
      ["the middle chunk is missing", ([zero, , two]) => `${zero}; ${two}`],
      ["the first chunk is missing", ([, one, two]) => `${one}; ${two}`],
      ["the last chunk is missing", ([zero, one]) => `${zero}; ${one}`],
      [
        "two chunks are swapped",
        ([zero, one, two]) => `${zero}; ${one.replace(".1=", ".2=")}; ${two.replace(".2=", ".1=")}`,
      ],
      ["a chunk is truncated", ([zero, one, two]) => `${zero}; ${one.slice(0, -1)}; ${two}`],
      ["a chunk is empty", ([zero, , two]) => `${zero}; ${NAME}.1=; ${two}`],
      ["a chunk cannot be decoded", ([zero, one, two]) => `${zero}; ${one}%E0%A4%A; ${two}`],
      [
        "the chunks are numbered from one",
        (chunks) => chunks.map((part, i) => part.replace(`.${i}=`, `.${i + 1}=`)).join("; "),
      ],
    ]),
  )("SES-15: is invalid and all chunks are cleared if %s", async (_, header) => {
    const { app, chunks, records } = await startSignedIn()
    for (const path of READS) {
      const browser = app.browser()
      const { page, left } = await sendCookies(browser, path, header(chunks))
      expect([page.status, await page.json(), left]).toEqual([200, null, []])
      await signIn(browser)
      expect(await (await browser.get("/me")).json()).toMatchObject(ADA)
    }
    expect(records.every(({ code }) => code === "JWTSessionError")).toBe(true)
  })

  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${NAME}.${i}=x`).join("; ")
  const HEADERS: [string, string][] = [
    ["400 chunks", numbered(400)],
    ["400 chunks in reverse order", numbered(400).split("; ").reverse().join("; ")],
    ["chunks with three-digit numbers", Array.from({ length: 400 }, (_, i) => `${NAME}.${999 - i}=x`).join("; ")],
    [
      "300 sign-in cookies",
      Array.from({ length: 300 }, (_, i) => `authjs.state.${String(i).padStart(16, "x")}=y`).join("; "),
    ],
    ["only separators", "; ".repeat(7_000)],
    ["names without values", `${NAME}; `.repeat(600)],
    ["one name 580 times", `${NAME}=x; `.repeat(580)],
    ["only equals signs", "=".repeat(14_000)],
    ["a name of 14,000 characters", `${"n".repeat(14_000)}=1`],
    ["a value of percent signs", `${NAME}=${"%".repeat(14_000)}`],
  ]

  it.each(rows(HEADERS))("SES-15: the response to %s has no session and small headers", async (_, cookie) => {
    const { logger, records } = recordingLogger()
    const { browser: newBrowser } = await start(configOf({ logger }))
    for (const path of READS) {
      const page = await newBrowser().get(path, { headers: { cookie } })
      expect([page.status, await page.json()]).toEqual([200, null])
      // By default, nginx accepts 4 kB of response headers and responds 502 to more.
      expect([...page.headers].join().length).toBeLessThan(3_000)
    }
    const signInPage = await newBrowser().get("/auth/signin", { headers: { cookie } })
    expect([signInPage.status, [...signInPage.headers].join().length < 3_000]).toEqual([200, true])
    expect(records.length).toBeLessThan(12)
  })

  it("SES-15: 60 planted chunks are cleared after a few requests", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    for (let i = 0; i < 60; i++) browser.setCookie(`${NAME}.${i}`, "x")
    for (let visits = 0; visits < 8; visits++) await browser.get("/auth/session")
    expect(browser.cookies()).toEqual([])
  })

  if (stage === "Auth()") return

  it("SES-15: is read from two Cookie headers, as HTTP/2 and some proxies send them", async () => {
    const { app, chunks } = await startSignedIn()
    for (const path of READS) {
      const headers = [
        "Host",
        new URL(app.origin).host,
        "Cookie",
        `${chunks[1]}; a=b`,
        "Cookie",
        `${chunks[0]}; ${chunks[2]}`,
      ]
      const outgoing = request(new URL(path, app.origin), { headers, agent: false })
      outgoing.end()
      const [incoming] = await once(outgoing, "response")
      expect(JSON.parse(await text(incoming))).toMatchObject(ADA)
    }
  })
})
