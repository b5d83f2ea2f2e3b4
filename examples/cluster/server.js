/**
 * Several processes behind one port: this file starts them, starts another where one has died, and stops them all.
 * What they share is in PostgreSQL and Redis, so it doesn't matter which of them gets a request.
 */
import cluster from "node:cluster"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { devProvider } from "latchkey/testing"
import { openStores } from "./stores.js"

const port = Number(process.env.PORT || 3000)
const workers = Number(process.env.WORKERS || Math.max(2, availableParallelism()))

cluster.setupPrimary({ exec: new URL("worker.js", import.meta.url) })

// Once, before anybody serves. `npx latchkey migrate` in the deployment does the same, and both at once do no harm.
const { adapter, close } = await openStores()
await adapter.migrate()
await close()

// An OpenID provider for development, one for all of them, so that the example runs without an account anywhere.
const dev = await devProvider({ port: port + 1 }).listen()

const env = {
  ...process.env,
  PORT: String(port),
  // One secret for all of them. In production it comes from outside and outlives every start.
  AUTH_SECRET: process.env.AUTH_SECRET || randomBytes(33).toString("base64"),
  AUTH_DEV_ISSUER: dev.issuer,
  AUTH_DEV_ID: dev.clientId,
  AUTH_DEV_SECRET: dev.clientSecret,
}

for (let i = 0; i < workers; i++) cluster.fork(env)

let listening = 0
cluster.on("listening", () => {
  listening += 1
  if (listening === workers) console.log(`${workers} processes serve http://localhost:${port}`)
})

let isStopping = false
cluster.on("exit", (worker, code, signal) => {
  if (isStopping) return
  console.log(`process ${worker.process.pid} ended (${signal ?? code}), and another takes its place`)
  cluster.fork(env)
})

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    isStopping = true
    void dev.close()
    for (const worker of Object.values(cluster.workers)) worker.kill("SIGTERM")
  })
}
