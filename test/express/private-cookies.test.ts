/** No cache may store a response that sets one of our cookies, whichever code writes the caching headers. */
import { mkdtempSync, writeFileSync } from "node:fs"
import type { RequestListener, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import express, { type Express } from "express"
import express4 from "express4"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, migrateSession, requireAuth } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import type { Page } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { http2Server } from "./support/http2.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const PUBLIC = {
  "Cache-Control": "public, max-age=3600",
  "CDN-Cache-Control": "public, max-age=3600",
  "Cloudflare-CDN-Cache-Control": "public, max-age=3600",
  "Surrogate-Control": "max-age=3600",
  "X-Accel-Expires": "3600",
}
const setAll = (res: ServerResponse) => {
  for (const [name, value] of Object.entries(PUBLIC)) res.setHeader(name, value)
}

/** Runs code when the headers are written, after all other code, as `on-headers` does. */
function beforeHeaders(res: ServerResponse, run: () => void): void {
  const { writeHead } = res
  res.writeHead = (...parameters: unknown[]) => {
    run()
    return Reflect.apply(writeHead, res, parameters)
  }
}

const folder = mkdtempSync(join(tmpdir(), "latchkey-static-"))
writeFileSync(join(folder, "file.txt"), "text")

/** Ways in which an application writes caching headers, before and after it reads the session. */
const ROUTES: Readonly<Record<string, (req: express.Request, res: express.Response) => unknown>> = {
  "/before": async (req, res) => {
    setAll(res)
    res.json(await req.getSession())
  },
  "/after": async (req, res) => {
    const session = await req.getSession()
    setAll(res)
    res.json(session)
  },
  "/appended": async (req, res) => {
    const session = await req.getSession()
    res.appendHeader("Cache-Control", "public")
    res.json(session)
  },
  "/removed": async (req, res) => {
    const session = await req.getSession()
    res.removeHeader("cache-control")
    res.json(session)
  },
  "/set-headers": async (req, res) => {
    await req.getSession()
    res.setHeaders(new Headers(PUBLIC)).end("text")
  },
  "/write-head-object": async (req, res) => {
    await req.getSession()
    res.writeHead(200, PUBLIC).end("text")
  },
  "/write-head-list": async (req, res) => {
    await req.getSession()
    res.writeHead(200, "OK", Object.entries(PUBLIC).flat()).end("text")
  },
  "/on-headers-before": async (req, res) => {
    beforeHeaders(res, () => setAll(res))
    res.json(await req.getSession())
  },
  "/on-headers-after": async (req, res) => {
    const session = await req.getSession()
    beforeHeaders(res, () => setAll(res))
    res.json(session)
  },
  "/file": async (req, res) => {
    await req.getSession()
    res.sendFile(join(folder, "file.txt"), { maxAge: 3_600_000, immutable: true })
  },
}

const ADDRESSES = [
  ...["signin", "signout", "session", "csrf", "providers", "error", "verify-request", "passkeys", "sessions"],
  ...["webauthn-options/passkey?action=authenticate", "callback/credentials", "signin/credentials"],
].map((path) => `/auth/${path}`)

const EXPRESS = { "Express 5": express, "Express 4": express4 as unknown as () => Express }
const STRATEGIES = { "jwt sessions": "jwt", "database sessions": "database" } as const

interface Site {
  readonly create: () => Express
  readonly config: AuthConfig
  /** Runs before all other code. */
  readonly before?: (res: ServerResponse) => void
}

async function site({ create, config, before }: Site) {
  const app = create()
  if (before)
    app.use((_req, res, next) => {
      before(res)
      next()
    })
  const migration = {
    cookie: "old.sid",
    until: new Date(Date.now() + 86_400_000),
    read: () => ({ user: { id: "7", name: "Ada", email: "ada@example.com" } }),
  }
  app.use(migrateSession(config, migration))
  app.use(authMiddleware(config))
  for (const [path, route] of Object.entries(ROUTES)) app.get(path, (req, res) => void route(req, res))
  app.get("/guarded", requireAuth, (_req, res) => void res.send("guarded"))
  app.use("/static", express.static(folder, { maxAge: 3_600_000 }))
  return serve(app as RequestListener)
}

const setsOurCookie = ({ headers }: Page) => headers.getSetCookie().some((cookie) => cookie.startsWith("authjs."))

function expectPrivate({ headers }: Page): void {
  const found = Object.keys(PUBLIC).map((name) => [name, headers.get(name)])
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries(Object.keys(PUBLIC).map((name) => [name, null])),
    "Cache-Control": "private, no-cache, no-store",
  })
}

describe.each(Object.entries(EXPRESS))("responses with our cookies on %s", (_version, create) => {
  describe.each(Object.entries(STRATEGIES))("with %s", (_name, strategy) => {
    const adapter = MemoryAdapter()
    const ada = { id: "", name: "Ada", email: "ada@example.com", emailVerified: null }
    const authorize = async () => (await adapter.getUserByEmail(ada.email)) ?? adapter.createUser(ada)
    const config = configOf({
      adapter,
      providers: [Credentials({ authorize }), Passkey],
      experimental: { enableWebAuthn: true },
      session: { strategy, updateAge: 0 },
    })

    it.each(Object.keys(ROUTES))("SEC-02: are private at %s when the session is renewed", async (path) => {
      const browser = (await site({ create, config })).browser()
      await signIn(browser)
      const page = await browser.get(path)
      expect(page.status).toBe(200)
      expect(setsOurCookie(page)).toBe(true)
      expectPrivate(page)
    })

    const BEFORE = {
      "set before all other code": setAll,
      "set when the headers are written": (res: ServerResponse) => beforeHeaders(res, () => setAll(res)),
    }
    const migratingPaths = [...ADDRESSES, ...Object.keys(ROUTES), "/auth/nothing", "/guarded", "/static/file.txt"]

    it.each(Object.entries(BEFORE))(
      "SEC-02: are private when they migrate a session, with public headers %s",
      async (_when, before) => {
        const server = await site({ create, config, before })
        for (const path of migratingPaths) {
          const browser = server.browser()
          browser.setCookie("old.sid", path)
          const page = await browser.get(path)
          expect([path, setsOurCookie(page)]).toEqual([path, true])
          expectPrivate(page)
        }
      },
    )

    it.each(Object.entries(BEFORE))(
      "SEC-02: are private at our own paths, with public headers %s",
      async (_when, before) => {
        const browser = (await site({ create, config, before })).browser()
        for (const path of ADDRESSES) expectPrivate(await browser.get(path))
        expectPrivate(await browser.post("/auth/signin/credentials", {}))
        expectPrivate(await signIn(browser))
        expectPrivate(await browser.post("/auth/signout", { csrfToken: await browser.csrf() }))
      },
    )

    it("SEC-02: do not include assets, which stay public", async () => {
      const browser = (await site({ create, config })).browser()
      const [, href = ""] =
        /<link rel="stylesheet" href="([^"]+)"/.exec(await (await browser.get("/auth/signin")).text()) ?? []
      browser.jar.forget()
      browser.setCookie("old.sid", "1")
      const page = await browser.get(`${href}?x=7`)
      expect([page.status, page.headers.getSetCookie()]).toEqual([200, []])
      expect(page.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    })
  })
})

describe("responses with our cookies over HTTP/2", () => {
  const middleware = authMiddleware(configOf())
  const send = http2Server((req, res) =>
    middleware(req, res, () => {
      // A view with a form, so that the response sets the CSRF cookie.
      const { csrfToken } = (res as unknown as express.Response).locals.auth
      res.writeHead(200, req.url === "/list" ? Object.entries(PUBLIC).flat() : PUBLIC).end(csrfToken)
    }),
  )

  it.each(["/object", "/list"])("SEC-02: are private with public headers as an %s", async (path) => {
    const { headers } = await send({ ":path": path })
    expect(headers).toMatchObject({ ":status": 200, "cache-control": "private, no-cache, no-store" })
    expect(headers["set-cookie"]?.[0]).toMatch(/^authjs\.csrf-token=/)
    expect([headers["cdn-cache-control"], headers["surrogate-control"]]).toEqual([undefined, undefined])
  })
})
