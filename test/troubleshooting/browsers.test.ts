import { createServer } from "node:http"
import type { Express } from "express"
import type { Browser, Page } from "playwright-core"
import { describeInChromium, launch, newPerson } from "../browser/support/chromium.js"
import { listen } from "../support/listen.js"
import { type Application, type Setup, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

/** The same server under another host name, which browsers treat as another site. */
const asLocalhost = (address: string) => address.replace("127.0.0.1", "localhost")

const BLOG_SECRET = "the secret of the blog, of forty letters"

const onLogin = (app: Express) =>
  app.get("/login", (req, res) => {
    const { auth } = res.locals
    res
      .set("cache-control", "no-store")
      .send(`<title>Login</title><p id="error">${req.query["error"] ? "failed" : ""}</p>
<form method="post" action="/auth/callback/credentials">${auth.csrfField()}
<input name="username"><input name="password" type="password"><button>Sign in</button></form>`)
  })

/** An application with its own sign-in page, which other sites may frame. */
const OWN_PAGE: Setup = { config: { pages: { signIn: "/login" } }, routes: onLogin }

async function fillIn(page: Pick<Page, "fill" | "click">): Promise<void> {
  await page.fill("input[name=username]", "ada")
  await page.fill("input[name=password]", "right")
  await page.click("button")
}

describeInChromium("troubleshooting in a browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  const newPage = async () => (await newPerson(browser, {})).newPage()

  async function signIn(page: Page, { address }: Application): Promise<void> {
    await page.goto(`${address}/auth/signin?callbackUrl=/me`)
    await fillIn(page)
    await page.waitForURL(`${address}/me`)
  }

  const sessionAt = async (page: Page, { address }: Application) => {
    await page.goto(`${address}/me`)
    return JSON.parse((await page.textContent("body")) ?? "")
  }

  describe("two applications on localhost with different secrets", () => {
    it("end each other's sessions, and the log names both possible causes", async () => {
      const [shop, blog] = [await start({}), await start({ config: { secret: BLOG_SECRET } })]
      const page = await newPage()
      await signIn(page, shop)
      expect(await sessionAt(page, blog)).toBeNull()
      expect(await sessionAt(page, shop)).toBeNull()
      expect(terminal.lines("[latchkey][error][session-unreadable]")).toHaveLength(1)
      expect(terminal.text()).toContain("If the secret was changed, keep the old one: secret: [newSecret, oldSecret]")
      expect(terminal.text()).toContain("If another application runs on this host, on any port")
      expect(terminal.text()).toContain("cookies: { sessionToken: { name:")
    })

    it("overwrite each other's CSRF cookie, and the log calls it foreign, not missing", async () => {
      const [shop, blog] = [await start({}), await start({ config: { secret: BLOG_SECRET } })]
      const page = await newPage()
      await page.goto(`${shop.address}/auth/signin`)
      const other = await page.context().newPage()
      await other.goto(`${blog.address}/auth/signin`)
      await fillIn(page)
      await page.waitForURL(/error=MissingCSRF/)
      expect(await page.textContent("[role=alert]")).toMatch(/try again/)
      expect(terminal.text()).toMatch(/\[csrf-cookie-foreign\] MissingCSRF: .*cookies: \{ csrfToken: \{ name: /)
    })

    it("both keep their sessions if their cookies have different names", async () => {
      const named = (name: string) => ({
        ...{ sessionToken: { name: `${name}.session-token` }, csrfToken: { name: `${name}.csrf-token` } },
        ...{ callbackUrl: { name: `${name}.callback-url` }, state: { name: `${name}.state` } },
      })
      const shop = await start({ config: { cookies: named("shop") } })
      const blog = await start({ config: { cookies: named("blog"), secret: BLOG_SECRET } })
      const page = await newPage()
      await signIn(page, shop)
      await signIn(page, blog)
      expect(await sessionAt(page, shop)).toMatchObject({ user: { name: "ada" } })
      expect(terminal.text()).toBe("")
    })
  })

  describe("a frame of another site", () => {
    const close: (() => Promise<void>)[] = []
    afterAll(() => Promise.all(close.map((closeServer) => closeServer())))

    /** Starts another site whose page frames the address. */
    async function frame(address: string): Promise<string> {
      const server = createServer((_req, res) => {
        res.setHeader("content-type", "text/html").end(`<title>Portal</title><iframe src="${address}"></iframe>`)
      })
      const { origin, close: end } = await listen(server)
      close.push(end)
      return asLocalhost(origin)
    }

    it("sends the application's own form without cookies, and the log names the frame and the fix", async () => {
      const app = await start(OWN_PAGE)
      const page = await newPage()
      await page.goto(await frame(`${app.address}/login`))
      const inner = page.frames()[1]
      if (!inner) throw new Error("there is no frame")
      await fillIn(inner)
      await inner.waitForURL(/error=MissingCSRF/)
      expect(await inner.textContent("#error")).toBe("failed")
      expect(terminal.text()).toMatch(
        /\[csrf-cookie-missing\] MissingCSRF: .*in a frame of another site, .*SameSite=Lax\. .*target=\\"_blank\\"/,
      )
    })

    it("does not show the built-in pages, and the browser's console gives the reason", async () => {
      const app = await start({})
      const person = await newPerson(browser, {})
      const page = await person.newPage()
      await page.goto(await frame(`${app.address}/auth/signin`))
      expect(await page.frames()[1]?.textContent("body")).not.toContain("Sign in")
      expect(person.complaints.join("\n")).toMatch(/frame-ancestors|X-Frame-Options/)
    })
  })

  describe("a service worker", () => {
    const worker = (skips: string) => `
self.addEventListener("install", () => self.skipWaiting())
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))
self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url)
  if (event.request.method !== "GET" ${skips}) return
  event.respondWith((async () => {
    const cache = await caches.open("all")
    const kept = await cache.match(event.request)
    if (kept) return kept
    const answer = await fetch(event.request)
    if (answer.ok && answer.type === "basic") await cache.put(event.request, answer.clone())
    return answer
  })())
})`

    async function visit(skips: string) {
      const app = await start({
        routes: (application) => {
          application.get("/", (_req, res) => void res.send("<title>Home</title>"))
          application.get("/worker.js", (_req, res) => void res.type("js").send(worker(skips)))
        },
      })
      const page = await newPage()
      await page.goto(`${app.address}/`)
      await page.evaluate(`(async () => {
        await navigator.serviceWorker.register("/worker.js")
        if (!navigator.serviceWorker.controller)
          await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done))
      })()`)
      const ask = () => page.evaluate(`fetch("/auth/session").then((answer) => answer.json())`)
      return { app, page, ask }
    }

    it("that caches every response hides the session, and the log of a stale form names the cache", async () => {
      const { app, page, ask } = await visit("")
      expect(await ask()).toBeNull()
      await page.goto(`${app.address}/auth/signin`)
      await page.context().clearCookies()
      await page.request.get(`${app.address}/auth/csrf`)
      await page.goto(`${app.address}/auth/signin`)
      await fillIn(page)
      await page.waitForURL(/error=MissingCSRF/)
      expect(terminal.text()).toMatch(/\[csrf-token-wrong\] MissingCSRF: .*a service worker.*from caching/)
      await page.goto(`${app.address}/auth/signin?fresh`)
      await fillIn(page)
      await page.waitForURL(`${app.address}/`)
      expect(await ask()).toBeNull()
    })

    it("that skips /auth does not affect the session", async () => {
      const { app, page, ask } = await visit(`|| pathname.startsWith("/auth/")`)
      expect(await ask()).toBeNull()
      await page.goto(`${app.address}/auth/signin`)
      await fillIn(page)
      await page.waitForURL(`${app.address}/`)
      expect(await ask()).toMatchObject({ user: { name: "ada" } })
      expect(terminal.text()).toBe("")
    })
  })
})
