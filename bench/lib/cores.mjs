/**
 * The servers on one core and the load on another, so that neither takes the other's time.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"

const hasTaskset = spawnSync("taskset", ["--version"]).status === 0

/** Can cores be told apart here? */
export const arePinned = hasTaskset && availableParallelism() > 1

/** Keeps this process, and what it starts from now on unless told otherwise, on the first core. */
export function pinLoad() {
  if (arePinned) spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", "0", String(process.pid)])
}

/** How a server is started on the second core. */
export const pinnedServer = arePinned
  ? { execPath: "taskset", execArgv: ["--cpu-list", "1", process.execPath] }
  : { execArgv: [] }
