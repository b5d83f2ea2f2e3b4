/**
 * The same package with `require`: one way to sign in, the built-in pages, one guarded page.
 */
const { randomBytes, scrypt, scryptSync, timingSafeEqual } = require("node:crypto")
const { promisify } = require("node:util")
const express = require("express")
const { authMiddleware, optionalAuth, requireAuth } = require("latchkey")
const Credentials = require("latchkey/providers/credentials")

// Parameters from OWASP's Password Storage Cheat Sheet. Store salts and hashes in your database, never passwords.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
// A hash needs 128 MB and one of the four threads that files and DNS use too: run two at a time and queue the rest.
let free = 2
const waiting = []

async function hash(password, salt) {
  if (free > 0) free--
  else await new Promise((resolve) => waiting.push(resolve))
  try {
    return await promisify(scrypt)(password, salt, 32, COST)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}

// The password is public.
if (process.env.NODE_ENV === "production") throw new Error("This example has a known password: not for production")

const salt = randomBytes(16)
const carol = { user: { id: "carol", name: "Carol" }, salt, hash: scryptSync("wonderland", salt, 32, COST) }

async function checkPassword(username, password) {
  if (typeof username !== "string" || typeof password !== "string") return null
  // Also for unknown names, so that the response time does not reveal which names exist.
  const tried = await hash(password, carol.salt)
  return timingSafeEqual(tried, carol.hash) && username === "carol" ? carol.user : null
}

const app = express()

app.use(
  authMiddleware({
    // A new secret at each start ends all sessions. In production remove this line and set AUTH_SECRET.
    secret: randomBytes(33).toString("base64"),
    providers: [
      Credentials({
        credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
        authorize: ({ username, password }) => checkPassword(username, password),
      }),
    ],
  }),
)

app.get("/", optionalAuth, (req, res) => {
  res.send(req.auth ? 'Signed in. <a href="/auth/signout">Sign out</a>' : '<a href="/hello">Say hello</a>')
})

app.get("/hello", requireAuth, (req, res) => {
  res.type("text").send(`Hello, ${req.auth.user.name}`)
})

const port = Number(process.env.PORT || 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`The example runs at http://localhost:${port}`)
  console.log('Sign in as carol with "wonderland"')
})

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
  })
}
