/**
 * Typed roles, and a page for administrators.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import express from "express"
import { authMiddleware, optionalAuth, requireAuth, type User } from "latchkey"
import Credentials from "latchkey/providers/credentials"

type Role = "admin" | "member"

// The application's additions to the package's types. `authorize` returns the role, and the callbacks below copy it.
declare module "latchkey" {
  interface User {
    role?: Role | undefined
  }
  interface JWT {
    role?: Role | undefined
  }
}

interface Person {
  readonly user: User
  readonly salt: Buffer
  readonly hash: Buffer
}

// Parameters from OWASP's Password Storage Cheat Sheet. Store salts and hashes in your database, never passwords.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const hashNow = promisify<string, Buffer, Buffer>((password, salt, done) => scrypt(password, salt, 32, COST, done))

// A hash needs 128 MB and one of the four threads that files and DNS use too: run two at a time and queue the rest.
let free = 2
const waiting: (() => void)[] = []

async function hash(password: string, salt: Buffer): Promise<Buffer> {
  if (free > 0) free--
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await hashNow(password, salt)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}

async function createPerson(user: User, password: string): Promise<Person> {
  const salt = randomBytes(16)
  return { user, salt, hash: await hash(password, salt) }
}

const people = new Map<string, Person>([
  ["alice", await createPerson({ id: "1", name: "Alice", role: "admin" }, "looking-glass")],
  ["bob", await createPerson({ id: "2", name: "Bob", role: "member" }, "sponge-cake")],
])

/** A user with a random password, so that an unknown name takes as long as a wrong password. */
const nobody = await createPerson({}, randomBytes(32).toString("hex"))

async function checkPassword(username: unknown, password: unknown): Promise<User | null> {
  if (typeof username !== "string" || typeof password !== "string") return null
  const person = people.get(username) ?? nobody
  return timingSafeEqual(await hash(password, person.salt), person.hash) ? person.user : null
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
    callbacks: {
      // `user` is the result of `authorize`, at sign-in only. Later the token has the role already.
      jwt: ({ token, user }) => (user?.role ? { ...token, role: user.role } : token),
      session: ({ session, token }) => ({ ...session, user: { ...session.user, role: token.role } }),
    },
  }),
)

app.get("/", optionalAuth, (_req, res) => {
  const { user } = res.locals.auth
  res.json({ name: user?.name ?? null, role: user?.role ?? null })
})

const requireAdmin = requireAuth({ authorize: ({ user }) => user.role === "admin" })

app.get("/admin", requireAdmin, (req, res) => {
  const { name, role } = req.auth.user
  res.json({ message: `Hello ${name}, you are ${role}.` })
})

const port = Number(process.env["PORT"] || 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`The example runs at http://localhost:${port}`)
  console.log("Sign in as alice with looking-glass (admin), or as bob with sponge-cake (member)")
})

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
  })
}
