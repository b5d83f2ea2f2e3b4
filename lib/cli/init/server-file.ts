import type { Choices, Framework } from "./choices.js"
import { convertSource, type Dialect, ifTypeScript, siblingImport } from "./source.js"

/** The source text of an application with one framework. */
interface ServerTemplate {
  /** Import lines that only a new application needs. */
  readonly imports?: readonly string[]
  /** Import lines that `mount` needs. An existing application needs them too. */
  readonly mountImports?: readonly string[]
  /** The functions to import from this package. */
  readonly names: readonly string[]
  /** The code that adds the sign-in to a new or existing application. */
  readonly mount: string
  /** The rest of a new application; undefined for an unknown framework. */
  readonly rest?: {
    readonly create: string
    /** Two routes: one shows the current user, and the other requires a sign-in. */
    readonly routes: string
    /** An expression that starts the server. */
    readonly listen: string
  }
}

const PRINT_ADDRESS = `() => console.log(\`http://localhost:\${port}\`)`

const express = (): ServerTemplate => ({
  imports: ['import express from "express"'],
  names: ["authMiddleware", "optionalAuth", "requireAuth"],
  mount: "app.use(authMiddleware(authConfig))",
  rest: {
    create: "const app = express()",
    routes: `app.get("/", optionalAuth, (req, res) => {
  res.json(req.auth ? { signedInAs: req.auth.user } : { signIn: "/auth/signin" })
})

app.get("/me", requireAuth, (req, res) => {
  res.json(req.auth.user)
})`,
    listen: `app.listen(port, ${PRINT_ADDRESS})`,
  },
})

const hono = (): ServerTemplate => ({
  imports: ['import { serve } from "@hono/node-server"', 'import { Hono } from "hono"'],
  mountImports: ['import { getConnInfo } from "@hono/node-server/conninfo"'],
  names: ["authHandlers", "getSession"],
  mount: `const { GET, POST } = authHandlers(authConfig)

app.on(["GET", "POST"], "/api/auth/*", async (c, next) => {
  const event = { request: c.req.raw, clientAddress: getConnInfo(c).remote.address }
  return (await (c.req.method === "POST" ? POST : GET)(event)) ?? next()
})`,
  rest: {
    create: "const app = new Hono()",
    routes: `app.get("/", async (c) => {
  const session = await getSession(c.req.raw, authConfig)
  return c.json(session ? { signedInAs: session.user } : { signIn: "/api/auth/signin" })
})

app.get("/me", async (c) => {
  const session = await getSession(c.req.raw, authConfig)
  if (!session) return c.redirect(\`/api/auth/signin?\${new URLSearchParams({ callbackUrl: c.req.path })}\`)
  return c.json(session.user)
})`,
    listen: `serve({ fetch: app.fetch, port }, ${PRINT_ADDRESS})`,
  },
})

const fastify = (dialect: Dialect): ServerTemplate => ({
  imports: ['import Fastify from "fastify"'],
  mountImports: ['import type { FastifyRequest } from "fastify"'],
  names: ["authHandlers", "getSession"],
  mount: `const { GET, POST } = authHandlers(authConfig)

function toWebRequest(request${ifTypeScript(": FastifyRequest", dialect)}) {
  const { method, protocol, host, url, headers, body } = request
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one)${ifTypeScript(": [string, string]", dialect)} => [name, one]),
  )
  const sent = method === "POST" ? { body${ifTypeScript(": body as Uint8Array<ArrayBuffer>", dialect)} } : {}
  return new Request(\`\${protocol}://\${host}\${url}\`, { method, headers: pairs, ...sent })
}

// A separate plugin, so that bodies stay unparsed only for these routes.
app.register(async (auth) => {
  auth.removeAllContentTypeParsers()
  auth.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: 65536 }, (_request, body, done) => done(null, body))
  auth.route({
    method: ["GET", "POST"],
    url: "/api/auth/*",
    async handler(request, reply) {
      const handle = request.method === "POST" ? POST : GET
      const response = await handle({ request: toWebRequest(request), clientAddress: request.ip })
      return response ? reply.send(response) : reply.callNotFound()
    },
  })
})`,
  rest: {
    create: "const app = Fastify()",
    routes: `app.get("/", async (request) => {
  const session = await getSession(request.raw, authConfig)
  return session ? { signedInAs: session.user } : { signIn: "/api/auth/signin" }
})

app.get("/me", async (request, reply) => {
  const session = await getSession(request.raw, authConfig)
  if (!session) return reply.redirect(\`/api/auth/signin?\${new URLSearchParams({ callbackUrl: request.url })}\`)
  return session.user
})`,
    listen: `app.listen({ port }, ${PRINT_ADDRESS})`,
  },
})

const other = (): ServerTemplate => ({
  names: ["authHandlers"],
  mount: `// Call GET and POST with a Request whose path is below /api/auth. They return a Response.
const { GET, POST } = authHandlers(authConfig)`,
})

const TEMPLATES: Readonly<Record<Framework, (dialect: Dialect) => ServerTemplate>> = { express, hono, fastify, other }

/** Returns the import lines for new and existing applications: `mountImports`, this package and `auth.js`. */
function importsOfMount({ mountImports = [], names }: ServerTemplate, { session }: Choices, dialect: Dialect): string {
  const authImports = session === "cookie" ? "authConfig" : "adapter, authConfig"
  const lines = [
    `import { ${names.join(", ")} } from "latchkey"`,
    `import { ${authImports} } from "${siblingImport("auth", dialect)}"`,
  ]
  return [...mountImports, ...lines].join("\n")
}

/** Returns the code that creates the tables and then runs `listen`. */
const migrateThen = (listen: string, { canAwait }: Dialect): string =>
  canAwait ? `await adapter.migrate()\n${listen}` : `adapter.migrate().then(() => ${listen})`

/**
 * Returns the source of `server.js`, an application that shows the current user. Undefined for an unknown framework.
 */
export function serverFile(choices: Choices, dialect: Dialect): string | undefined {
  const template = TEMPLATES[choices.framework](dialect)
  const { imports = [], mount, rest } = template
  if (!rest) return undefined
  const importText = [...imports, importsOfMount(template, choices, dialect)].join("\n")
  const begin = `const port = Number(process.env.PORT ?? 3000)\n${rest.create}`
  const start = choices.session === "cookie" ? rest.listen : migrateThen(rest.listen, dialect)
  return convertSource(`${[importText, begin, mount, rest.routes, start].join("\n\n")}\n`, dialect)
}

/** Returns the lines to add to an existing application. */
export function serverLines(choices: Choices, dialect: Dialect): string {
  const template = TEMPLATES[choices.framework](dialect)
  const imports = importsOfMount(template, choices, dialect)
  const call = migrateThen(dialect.canAwait ? "" : "app.listen(3000)", dialect).trim()
  const migration =
    choices.session === "cookie" ? [] : [`// Create the tables once, before the application listens.\n${call}`]
  return convertSource([imports, ...migration, template.mount].join("\n\n"), dialect)
}
