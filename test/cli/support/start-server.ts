import { spawn } from "node:child_process"
import { once } from "node:events"
import { freePortPair } from "../../examples/support/run-example.js"
import { until } from "../../support/wait.js"

export interface StartedServer {
  readonly origin: string
  stop(): Promise<void>
}

/** Starts an application that `init` has written, and waits until it prints its address. */
export async function startServer(
  folder: string,
  file: string,
  env: Record<string, string> = {},
): Promise<StartedServer> {
  const port = await freePortPair()
  const { PATH, HOME } = process.env
  const settings = { PATH, HOME, PORT: String(port), ...env }
  const child = spawn(process.execPath, ["--env-file=.env", file], { cwd: folder, env: settings })
  const exited = once(child, "exit")
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const origin = `http://localhost:${port}`
  await until(() => output.includes(origin) || child.exitCode !== null, 15_000)
  if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}:\n${output}`)
  const stop = async () => {
    child.kill()
    await exited
  }
  return { origin, stop }
}
