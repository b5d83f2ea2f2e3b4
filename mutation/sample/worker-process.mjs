import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url))
/** Tests that take this much longer than usual count as hanging. */
const GRACE_MS = 120_000

/** Kills a process with everything that its tests have started. */
function end({ pid }) {
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}

/** A process that tries changes. It is replaced when it hangs or uses too much memory. */
export function makeWorker() {
  let child
  const stop = () => {
    if (child) end(child)
    child = undefined
  }
  const start = async () => {
    if (child?.connected) return child
    stop()
    child = fork(WORKER, {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: ["--no-warnings"],
      // Use a separate process group.
      detached: true,
    })
    await new Promise((ready, fail) => {
      child.once("message", ready)
      child.once("exit", (code) => fail(new Error(`the worker could not start, and ended with ${code}`)))
    })
    child.removeAllListeners()
    return child
  }
  const attempt = async (change, files) => {
    const running = await start()
    return new Promise((resolve) => {
      const limit = files.reduce((sum, { ms }) => sum + ms, 0) * 3 + GRACE_MS
      const finish = (outcome, isOver) => {
        clearTimeout(timer)
        running.removeAllListeners()
        if (isOver) stop()
        resolve(outcome)
      }
      const timer = setTimeout(() => finish("timeout", true), limit)
      running.once("message", ({ isNoticed, isFull }) => finish(isNoticed ? "noticed" : "missed", isFull))
      // An uncaught error ends the process, as it would end Jest.
      running.once("exit", () => finish("noticed", true))
      running.send({ change: change.id, files: files.map(({ path }) => path) })
    })
  }
  return { attempt, stop }
}
