import { execFileSync } from "node:child_process"

/** Asks in a process of its own: tests are registered before anything could be awaited. */
const PROBE = `
const socket = require("node:net").connect({ host: process.argv[1], port: process.argv[2], timeout: 2000 })
const end = (code) => () => process.exit(code)
socket.on("connect", end(0)).on("error", end(1)).on("timeout", end(1))`

const known = new Map<string, boolean>()

/** Does something listen there? */
export function reachable(url: string): boolean {
  const { hostname, port } = new URL(url)
  const found = known.get(url) ?? isListening(hostname, port)
  known.set(url, found)
  return found
}

function isListening(host: string, port: string): boolean {
  try {
    execFileSync(process.execPath, ["-e", PROBE, host, port], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
