/**
 * Sends requests over connections that stay open, each with the next of many cookies: a hundred thousand of them would
 * be a hundred thousand prepared requests for each connection in other programs. It knows just enough HTTP for the
 * answers of the variants. The report says how busy it was; below a hundred percent it kept nobody waiting.
 *
 * @module
 */
import { connect } from "node:net"
import { median, quantile } from "./numbers.mjs"

const CONNECTIONS = 32
const END_OF_HEAD = "\r\n\r\n"
const LENGTH = "\r\ncontent-length:"

/** Requests for a path, with the cookies in rotation; what was sent once comes again only after all the others. */
export function rotate(path, cookies) {
  const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n`
  let index = 0
  return () => {
    const cookie = cookies[index++ % cookies.length]
    return cookie ? `${head}Cookie: ${cookie}\r\n\r\n` : `${head}\r\n`
  }
}

/** How many bytes the whole answer has; undefined before all of its head is there. */
function lengthOf(text) {
  const end = text.indexOf(END_OF_HEAD)
  if (end < 0) return undefined
  const at = text.toLowerCase().indexOf(LENGTH)
  if (at < 0 || at > end) throw new Error(`an answer without a length: ${text.slice(0, end)}`)
  return end + END_OF_HEAD.length + Number.parseInt(text.slice(at + LENGTH.length), 10)
}

/** One connection: a request, its answer, the next request, until the time is over. */
const run = (port, { next, status, until, latencies }) =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    let text = ""
    let sentAt = 0
    const send = () => {
      sentAt = performance.now()
      socket.write(next(), "latin1")
    }
    socket.setEncoding("latin1")
    socket.once("error", reject)
    socket.once("connect", send)
    socket.once("close", () => reject(new Error("a connection was closed before its answer")))
    socket.on("data", (chunk) => {
      text += chunk
      const length = lengthOf(text)
      if (length === undefined || text.length < length) return
      const now = performance.now()
      latencies.push(now - sentAt)
      if (!text.startsWith(status, 9)) return socket.destroy(new Error(`not ${status}: ${text}`))
      text = ""
      if (now < until) return send()
      socket.removeAllListeners("close")
      socket.destroy()
      resolve()
    })
  })

/**
 * Loads a server for some seconds.
 *
 * @throws Error when an answer has another status
 */
export async function load(port, { next, seconds, status = 200 }) {
  const startedAt = performance.now()
  const latencies = []
  const options = { next, status: String(status), until: startedAt + seconds * 1000, latencies }
  await Promise.all(Array.from({ length: CONNECTIONS }, () => run(port, options)))
  return {
    requests: latencies.length,
    seconds: (performance.now() - startedAt) / 1000,
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
  }
}
