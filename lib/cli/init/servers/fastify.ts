import { typed } from "../source.js"
import { SAY_WHERE, type ServerFor } from "./server.js"

export const fastifyServer: ServerFor = (dialect) => ({
  imports: [{ from: "fastify", defaultName: "Fastify" }],
  mountImports: [{ from: "fastify", types: ["FastifyRequest"] }],
  names: ["authHandlers", "getSession"],
  create: "const app = Fastify()",
  mount: `
const { GET, POST } = authHandlers(authConfig)

function toWebRequest(request${typed(": FastifyRequest", dialect)}) {
  const { method, protocol, host, url, headers, body } = request
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one)${typed(": [string, string]", dialect)} => [name, one]),
  )
  const sent = method === "POST" ? { body${typed(": body as Uint8Array<ArrayBuffer>", dialect)} } : {}
  return new Request(\`\${protocol}://\${host}\${url}\`, { method, headers: pairs, ...sent })
}

// A separate plugin, so that its parser, which leaves bodies unparsed, applies only to these addresses.
app.register(async (auth) => {
  auth.removeAllContentTypeParsers()
  auth.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: 65536 }, (_request, body, done) => done(null, body))
  auth.route({
    method: ["GET", "POST"],
    url: "/api/auth/*",
    async handler(request, reply) {
      const answer = request.method === "POST" ? POST : GET
      const response = await answer({ request: toWebRequest(request), clientAddress: request.ip })
      return response ? reply.send(response) : reply.callNotFound()
    },
  })
})`.trim(),
  routes: `
app.get("/", async (request) => {
  const session = await getSession(request.raw, authConfig)
  return session ? { signedInAs: session.user } : { signIn: "/api/auth/signin" }
})

app.get("/me", async (request, reply) => {
  const session = await getSession(request.raw, authConfig)
  if (!session) return reply.redirect(\`/api/auth/signin?\${new URLSearchParams({ callbackUrl: request.url })}\`)
  return session.user
})`.trim(),
  listen: `app.listen({ port }, ${SAY_WHERE})`,
})
