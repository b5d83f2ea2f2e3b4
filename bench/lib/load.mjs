/**
 * Sends requests over keep-alive connections, each with the next of many cookies. Other load generators would need a
 * hundred thousand prepared requests per connection for that. It supports just enough HTTP for the responses of the
 * variants. The report states how busy it was; below a hundred percent it was not the bottleneck.
 *
 * @module
 */
import { connect } from "node:net"
import { median, quantile } from "./numbers.mjs"

const CONNECTIONS = 32
const END_OF_HEAD = "\r\n\r\n"
const LENGTH = "\r\ncontent-length:"
const CHUNKED = "\r\ntransfer-encoding: chunked"
const LAST_CHUNK = "\r\n0\r\n\r\n"

/** Requests for a path, with the cookies in rotation: a cookie is repeated only after all others. */
export function rotate(path, cookies) {
  const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n`
  let index = 0
  return () => {
    const cookie = cookies[index++ % cookies.length]
    return cookie ? `${head}Cookie: ${cookie}\r\n\r\n` : `${head}\r\n`
  }
}

/** Requests that post the same form with the same cookies. */
export function repeatForm(path, cookie, fields) {
  const body = new URLSearchParams(fields).toString()
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nContent-Length: ${body.length}\r\n`
  const request = `${head}Content-Type: application/x-www-form-urlencoded\r\n\r\n${body}`
  return () => request
}

/** The length of the whole response in bytes; undefined until it is known. */
function lengthOf(text) {
  const end = text.indexOf(END_OF_HEAD)
  if (end < 0) return undefined
  const head = text.slice(0, end).toLowerCase()
  if (head.includes(CHUNKED)) return text.endsWith(LAST_CHUNK) ? text.length : undefined
  const at = head.indexOf(LENGTH)
  if (at < 0) throw new Error(`a response without a length: ${text.slice(0, end)}`)
  return end + END_OF_HEAD.length + Number.parseInt(text.slice(at + LENGTH.length), 10)
}

/** One connection: sends a request after each response until the time is over. */
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
    socket.once("close", () => reject(new Error("a connection was closed before its response")))
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
 * Sends load to a server for some seconds.
 *
 * @throws Error if a response has another status
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
