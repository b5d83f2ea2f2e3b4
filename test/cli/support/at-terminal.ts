import { spawn, spawnSync } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { until } from "../../support/wait.js"

/** util-linux provides this command; other implementations have other options. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false

export const KEYS = { enter: "\r", space: " ", down: "\u001b[B", tab: "\t", ctrlC: "\u0003" } as const

/** Words of a question, and the keys to press when it is shown. */
export type Answer = readonly [question: string, ...keys: string[]]

/** Runs a command in a terminal, and answers its questions. */
export async function runAtTerminal(command: string, folder: string, answers: readonly Answer[]) {
  const { PATH, HOME } = process.env
  // A new pseudo-terminal has no width.
  const wide = `stty columns 100 rows 40; ${command}`
  const child = spawn("script", ["-qec", wide, "/dev/null"], { cwd: folder, env: { PATH, HOME, TERM: "xterm" } })
  let out = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += stripVTControlCharacters(text)
  })
  const ended = new Promise<number | null>((done) => child.on("close", done))
  for (const [question, ...keys] of answers) {
    await until(() => out.includes(question) || child.exitCode !== null, 10_000)
    // Sends one key at a time, because simultaneous input is treated as pasted.
    for (const key of keys) {
      const before = out.length
      child.stdin.write(key)
      await until(() => out.length > before || child.exitCode !== null, 5_000)
    }
  }
  return { code: await ended, out }
}
