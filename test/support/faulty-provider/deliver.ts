import type { ServerResponse } from "node:http"
import type { Fault } from "./mode.js"

/** A response. An object is sent as JSON. */
export interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

const HUGE_BYTES = 64_000_000
const DRIP_INTERVAL_MS = 100
const JSON_TYPE = { "content-type": "application/json" }

/** A fault that does not depend on the request. */
export type PlainFault = Exclude<Fault, (...args: never[]) => unknown>

/** Sends the response or the fault. `work` is called only if its result is sent. */
export async function deliver(res: ServerResponse, fault: PlainFault | undefined, work: () => Promise<Answer>) {
  if (fault === undefined) return send(res, await work())
  if (typeof fault === "string") return FAULTS[fault](res, work)
  if ("status" in fault) return send(res, fault)
  const answer = await work()
  const timer = setTimeout(() => send(res, answer), fault.delayMs)
  res.once("close", () => clearTimeout(timer))
}

function send(res: ServerResponse, { status, body, headers }: Answer): void {
  const isText = typeof body === "string"
  const type = isText ? { "content-type": "text/html; charset=utf-8" } : JSON_TYPE
  res.writeHead(status, { "cache-control": "no-store", ...(body !== undefined && type), ...headers })
  res.end(body === undefined || isText ? body : JSON.stringify(body))
}

const FAULTS: Record<Fault & string, (res: ServerResponse, work: () => Promise<Answer>) => void | Promise<void>> = {
  hang: () => {},
  drip,
  huge,
  reset: (res) => void res.socket?.resetAndDestroy(),
  html: (res) => send(res, { status: 200, body: "<!doctype html><title>Maintenance</title><h1>Back soon</h1>" }),
  malformed: (res) => void res.writeHead(200, JSON_TYPE).end('{"access_token": "abc'),
  empty: (res) => void res.writeHead(200, JSON_TYPE).end(),
  "wrong-type": async (res, work) => {
    const answer = await work()
    send(res, { ...answer, headers: { ...answer.headers, "content-type": "text/plain" } })
  },
}

function drip(res: ServerResponse): void {
  res.writeHead(200, JSON_TYPE)
  res.write("{")
  const timer = setInterval(() => res.write(" "), DRIP_INTERVAL_MS)
  res.once("close", () => clearInterval(timer))
}

function huge(res: ServerResponse): void {
  res.writeHead(200, JSON_TYPE)
  const chunk = Buffer.alloc(64_000, "a")
  let left = HUGE_BYTES
  const pour = () => {
    while (left > 0 && !res.destroyed) {
      left -= chunk.length
      if (!res.write(chunk)) return void res.once("drain", pour)
    }
    res.end('"}')
  }
  res.write('{"filler":"')
  pour()
}
