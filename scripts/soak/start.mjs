/**
 * Starts the application under load in a separate process.
 *
 * @module
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { pinnedServer } from "../../bench/lib/cores.mjs"

/** The next message of a child. */
const answerOf = (child) =>
  new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`the server ended with ${code}`))
    child.once("exit", ended)
    child.once("message", (message) => {
      child.off("exit", ended)
      resolve(message)
    })
  })

/** Starts it with these kinds of sessions, and shows its standard error. If `pinned`, it runs on the second core. */
export async function startServer(kinds, { env = {}, isPinned = false } = {}) {
  const child = fork(new URL("server.mjs", import.meta.url), kinds, {
    ...(isPinned && pinnedServer),
    execArgv: [...(isPinned ? pinnedServer.execArgv : []), "--expose-gc"],
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  const { ports } = await answerOf(child)
  return {
    origins: Object.entries(ports).map(([kind, port]) => ({ kind, origin: `http://127.0.0.1:${port}` })),
    memory() {
      const answer = answerOf(child)
      child.send("memory")
      return answer
    },
    async stop() {
      if (child.exitCode !== null) return
      child.disconnect()
      await once(child, "exit")
    },
  }
}
