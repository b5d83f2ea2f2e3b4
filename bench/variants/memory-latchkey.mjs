/**
 * latchkey in a process that reports its memory use after a garbage collection. Needs --expose-gc.
 *
 * @module
 */
import { openSync, writeSync } from "node:fs"
import { authMiddleware } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import { createApp, user } from "./app.mjs"
import { SECRET } from "./constants.mjs"

/** Makes the console write synchronously, as it does to a file. */
if (process.env.BENCH_LOGGER === "console") {
  const nowhere = openSync("/dev/null", "w")
  process.stderr.write = (text) => writeSync(nowhere, text) > 0
}

const silent = { error() {}, warn() {}, debug() {} }
const config = {
  secret: SECRET,
  trustHost: true,
  providers: [Credentials({ credentials: { name: {} }, authorize: () => ({ id: "1", ...user }) })],
  ...(process.env.BENCH_LOGGER === "silent" && { logger: silent }),
}
const app = createApp(
  (req) => req.getSession(),
  (app) => app.use(authMiddleware(config)),
)
const server = app.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))

/** Collects twice with a pause, because the second pass frees what the first one finalises. */
async function collect() {
  globalThis.gc()
  await new Promise((resolve) => setTimeout(resolve, 100))
  globalThis.gc()
}

process.on("message", async (question) => {
  if (question === "memory") await collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send({ cpu: process.cpuUsage(), held: heapUsed + external, rss })
})
process.on("disconnect", () => process.exit())
