/** Where the middleware adds `req.accessToken()` and `req.authorizedFetch()`. */
import { createServer, IncomingMessage } from "node:http"
import express, { type Request } from "express"
import { authMiddleware } from "../../lib/index.js"
import GitHub from "../../lib/providers/github.js"
import { MemoryStore } from "../../lib/store/memory.js"
import { type AppRequest, describeServer, TEST_SECRET } from "../support/apps.js"
import { listen } from "../support/listen.js"

const config = {
  providers: [GitHub({ clientId: "id", clientSecret: "secret" })],
  secret: TEST_SECRET,
  store: MemoryStore(),
  trustHost: true,
}

/** Calls `read` with one request to the application. */
async function readRequest<T>(app: express.Express, path: string, read: (req: Request) => T): Promise<Awaited<T>> {
  let value: T | undefined
  app.get(path, (req, res) => {
    value = read(req)
    res.end()
  })
  const { origin, close } = await listen(createServer(app))
  await (await fetch(origin + path)).text()
  await close()
  return value as Awaited<T>
}

describe("provider access in Express", () => {
  it("is added to the requests of the application, and to no others", async () => {
    const app = express()
    app.use(authMiddleware(config))
    const isOwn = await readRequest(app, "/own", (req) => [typeof req.accessToken, Object.hasOwn(req, "accessToken")])
    expect(isOwn).toEqual(["function", false])
    for (const others of [IncomingMessage.prototype, express.request, express().request])
      expect(others).not.toHaveProperty("accessToken")
  })

  it("is available in a mounted application", async () => {
    const app = express()
    const mounted = express()
    app.use(authMiddleware(config))
    app.use("/mounted", mounted)
    mounted.get("/page", (req, res) => res.send(typeof req.accessToken))
    const { origin, close } = await listen(createServer(app))
    expect(await (await fetch(`${origin}/mounted/page`)).text()).toBe("function")
    await close()
  })

  it("rejects on a request that the middleware has not handled, with the line to write", async () => {
    const app = express()
    const early = express.Router()
    app.use("/early", early)
    app.use(authMiddleware(config))
    await readRequest(app, "/handled", () => undefined)
    early.get("/page", (req, res) => {
      req.accessToken("github").catch((error: unknown) => res.json(error))
    })
    const { origin, close } = await listen(createServer(app))
    expect(await (await fetch(`${origin}/early/page`)).json()).toMatchObject({
      messageCode: "middleware-missing",
      message: expect.stringContaining("app.use(authMiddleware(config))"),
    })
    await close()
  })
})

describeServer("provider access", "Connect", (start) => {
  it("is added to each request without Express", async () => {
    const app = await start(config, {
      routes(application) {
        application.use("/own", (req: AppRequest, res) => res.end(String(Object.hasOwn(req, "accessToken"))))
      },
    })
    expect(await (await app.browser().get("/own")).text()).toBe("true")
    expect(IncomingMessage.prototype).not.toHaveProperty("accessToken")
  })
})
