/**
 * The same package with `require`: one way to sign in, the built-in pages, one guarded page.
 */
const { randomBytes, scrypt, scryptSync, timingSafeEqual } = require("node:crypto")
const { promisify } = require("node:util")
const express = require("express")
const { authMiddleware, optionalAuth, requireAuth } = require("latchkey")
const Credentials = require("latchkey/providers/credentials")

// OWASP's Password Storage Cheat Sheet. Keep salts and hashes in your database, and never a password.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
// A hash needs 128 MB and one of the four threads that files and DNS use too: run two at a time, and let others wait.
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

// The password is known to everyone who has read this file.
if (process.env.NODE_ENV === "production") throw new Error("This example has a known password: not for production")

const salt = randomBytes(16)
const carol = { user: { id: "carol", name: "Carol" }, salt, hash: scryptSync("wonderland", salt, 32, COST) }

async function checkPassword(username, password) {
  if (typeof username !== "string" || typeof password !== "string") return null
  // For unknown names too, so that the time it takes doesn't tell which names there are.
  const tried = await hash(password, carol.salt)
  return timingSafeEqual(tried, carol.hash) && username === "carol" ? carol.user : null
}

const app = express()

app.use(
  authMiddleware({
    // New at each start, which signs everybody out. In production leave this line away and set AUTH_SECRET.
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
