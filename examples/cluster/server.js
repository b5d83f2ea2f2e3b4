/**
 * Several processes on one port: this file starts them, replaces each one that dies, and stops them all.
 * Shared data is in PostgreSQL or Redis, so any process can handle any request.
 */
import cluster from "node:cluster"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { devProvider } from "latchkey/testing"
import { openAdapter } from "./adapter.js"

const port = Number(process.env.PORT || 3000)
const workers = Number(process.env.WORKERS || Math.max(2, availableParallelism()))

cluster.setupPrimary({ exec: new URL("worker.js", import.meta.url) })

// Creates the tables before the processes start. `npx latchkey migrate` does the same; both may run at once.
const { adapter, close } = openAdapter()
await adapter.migrate()
await close()

// One OpenID provider for development for all processes, so that the example needs no account.
const dev = await devProvider({ port: port + 1 }).listen()

const env = {
  ...process.env,
  PORT: String(port),
  // One secret for all processes. In production set AUTH_SECRET, so that sessions survive a restart.
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
