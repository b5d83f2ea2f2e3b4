/**
 * A variant, in a process of its own.
 *
 * @module
 */
import { fork } from "node:child_process"
import { pinnedServer } from "./cores.mjs"

/** So many characters of what a variant wrote last are kept. */
const LAST_WORDS = 4_000

/**
 * Starts a file of bench/variants, and waits until it says where it listens.
 *
 * @throws Error when it ends before
 */
export function startServer(file, { env = {}, execArgv = [] } = {}) {
  const child = fork(new URL(`../variants/${file}.mjs`, import.meta.url), {
    ...pinnedServer,
    execArgv: [...pinnedServer.execArgv, ...execArgv],
    env: { ...process.env, NODE_ENV: "production", ...env },
    // What a variant writes of a forged cookie is no news; what it writes before it fails is.
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

/** A server ends by itself when nobody is connected to it any more: it may have a store to leave behind clean. */
const stop = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once("exit", resolve)
    child.disconnect()
  })
