/**
 * Runs a variant in a separate process.
 *
 * @module
 */
import { fork } from "node:child_process"
import { pinnedServer } from "./cores.mjs"

/** The number of characters of a variant's last output to keep. */
const LAST_WORDS = 4_000

/**
 * Starts a file of bench/variants, and waits until it reports its port.
 *
 * @throws Error if it ends before that
 */
export function startServer(file, { env = {}, execArgv = [] } = {}) {
  const child = fork(new URL(`../variants/${file}.mjs`, import.meta.url), {
    ...pinnedServer,
    execArgv: [...pinnedServer.execArgv, ...execArgv],
    env: { ...process.env, NODE_ENV: "production", ...env },
    // Do not print the output, which is mostly about forged cookies. Keep its end for error messages.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  child.lastWords = ""
  child.stderr.setEncoding("utf8").on("data", (text) => {
    child.lastWords = (child.lastWords + text).slice(-LAST_WORDS)
  })
  return answerOf(child, file).then(({ port }) => ({
    port,
    origin: `http://127.0.0.1:${port}`,
    ask: (question) => {
      const answer = answerOf(child, file)
      child.send(question)
      return answer
    },
    lastWords: () => child.lastWords,
    stop: () => stop(child),
  }))
}

/** The next message of a child. */
const answerOf = (child, file) =>
  new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`${file} ended with ${code}\n${child.lastWords}`))
    child.once("exit", ended)
    child.once("message", (message) => {
      child.off("exit", ended)
      resolve(message)
    })
  })

/** Disconnects, and waits until the server ends by itself, because it may have to clean up a database. */
const stop = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once("exit", resolve)
    child.disconnect()
  })
