/**
 * Fastify, by the handlers for web-standard requests.
 */
import Fastify from "fastify"
import { authHandlers, getSession } from "latchkey"
import { devProvider } from "latchkey/testing"

const port = Number(process.env.PORT || 3000)

const config = { providers: [devProvider({ port: port + 1 })] }
const { GET, POST } = authHandlers(config)

const app = Fastify()

/** What Fastify has of a request, as a web Request. `protocol` and `host` follow its option `trustProxy`. */
const toWebRequest = ({ method, protocol, host, url, headers, body }) =>
  new Request(`${protocol}://${host}${url}`, { method, headers: toWebHeaders(headers), body })

const toWebHeaders = (headers) =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one])))

// In a plugin of its own: its parser is for these addresses, the rest of the application keeps Fastify's.
app.register(async (auth) => {
  auth.removeAllContentTypeParsers()
  // The body goes on as it came, forms and JSON alike.
  auth.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: 64 * 1024 }, (_request, body, done) =>
    done(null, body),
  )
  auth.route({
    // Fastify's own HEAD route of a GET route takes no web Response.
    method: ["GET", "HEAD", "POST"],
    url: "/api/auth/*",
    async handler(request, reply) {
      const answer = request.method === "POST" ? POST : GET
      const response = await answer({ request: toWebRequest(request), clientAddress: request.ip })
      return response ? reply.send(response) : reply.callNotFound()
    },
  })
})

const sessionOf = (request) => getSession(request.raw, config)

app.get("/", async (request) => {
  const session = await sessionOf(request)
  return session ? { signedInAs: session.user.name } : { signIn: "/api/auth/signin" }
})

// The guard: `preHandler` of every route that is for signed-in people.
app.decorateRequest("user", null)
async function requireUser(request, reply) {
  const session = await sessionOf(request)
  if (!session) return reply.redirect(`/api/auth/signin?${new URLSearchParams({ callbackUrl: request.url })}`)
  request.user = session.user
}
app.get("/me", { preHandler: requireUser }, async (request) => request.user)

await app.listen({ port })
console.log(`Open http://localhost:${port}`)
