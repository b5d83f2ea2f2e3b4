/**
 * Runs the servers on one core and the load on another, so that they do not compete.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"

const hasTaskset = spawnSync("taskset", ["--version"]).status === 0

/** Whether processes can be pinned to cores here. */
export const arePinned = hasTaskset && availableParallelism() > 1

/** Pins this process and, by default, its future child processes to the first core. */
export function pinLoad() {
  if (arePinned) spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", "0", String(process.pid)])
}

/** The command that starts a server on the second core. */
export const pinnedServer = arePinned
  ? { execPath: "taskset", execArgv: ["--cpu-list", "1", process.execPath] }
  : { execArgv: [] }
