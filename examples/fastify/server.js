/**
 * Fastify, with the handlers for web-standard requests.
 */
import Fastify from "fastify"
import { authHandlers, getSession } from "latchkey"
import { authConfig, port } from "./auth.js"

const { GET, POST } = authHandlers(authConfig)

const app = Fastify()

/** Converts a Fastify request to a web Request. `protocol` and `host` follow the option `trustProxy`. */
const toWebRequest = ({ method, protocol, host, url, headers, body }) =>
  new Request(`${protocol}://${host}${url}`, { method, headers: toWebHeaders(headers), body })

const toWebHeaders = (headers) =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one])))

// A separate plugin, so that its parser applies only to these routes.
app.register(async (auth) => {
  auth.removeAllContentTypeParsers()
  // The body is passed on unchanged, forms and JSON alike.
  auth.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: 64 * 1024 }, (_request, body, done) =>
    done(null, body),
  )
  auth.route({
    // Fastify's automatic HEAD route does not accept a web Response.
    method: ["GET", "HEAD", "POST"],
    url: "/api/auth/*",
    async handler(request, reply) {
      const handle = request.method === "POST" ? POST : GET
      const response = await handle({ request: toWebRequest(request), clientAddress: request.ip })
      return response ? reply.send(response) : reply.callNotFound()
    },
  })
})

const sessionOf = (request) => getSession(request.raw, authConfig)

app.get("/", async (request) => {
  const session = await sessionOf(request)
  return session ? { signedInAs: session.user.name } : { signIn: "/api/auth/signin" }
})

// The guard: `preHandler` of every route for signed-in users.
app.decorateRequest("user", null)
async function requireUser(request, reply) {
  const session = await sessionOf(request)
  if (!session) return reply.redirect(`/api/auth/signin?${new URLSearchParams({ callbackUrl: request.url })}`)
  request.user = session.user
}
app.get("/me", { preHandler: requireUser }, async (request) => request.user)

await app.listen({ port })
console.log(`Open http://localhost:${port}`)
