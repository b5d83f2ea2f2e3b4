import { execFileSync } from "node:child_process"

/** Runs in a child process, because tests are registered synchronously. */
const PROBE = `
const socket = require("node:net").connect({ host: process.argv[1], port: process.argv[2], timeout: 2000 })
const end = (code) => () => process.exit(code)
socket.on("connect", end(0)).on("error", end(1)).on("timeout", end(1))`

const known = new Map<string, boolean>()

/** True if a server listens at the URL. */
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
