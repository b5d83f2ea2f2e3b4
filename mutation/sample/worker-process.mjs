import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url))
/** A change after which tests take longer than this beyond the usual hangs them. */
const GRACE_MS = 120_000

/** Ends a process with all that its tests have started. */
function end({ pid }) {
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}

/** One process that tries changes, and is put away when it hangs or is full. */
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
      // Of a process group of its own.
      detached: true,
    })
    await new Promise((ready, fail) => {
      child.once("message", ready)
      child.once("exit", (code) => fail(new Error(`what tries the changes could not begin, and ended with ${code}`)))
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
      // An error that nobody caught ends the process, as it would end Jest.
      running.once("exit", () => finish("noticed", true))
      running.send({ change: change.id, files: files.map(({ path }) => path) })
    })
  }
  return { attempt, stop }
}
