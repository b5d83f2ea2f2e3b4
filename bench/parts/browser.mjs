import { Agent, request as httpRequest } from "node:http"

/** A minimal browser: it stores cookies by host and name, and returns redirects without following them. */
export function createBrowser(agent) {
  const jars = new Map()
  const jarOf = (host) => jars.get(host) ?? jars.set(host, new Map()).get(host)
  const store = (host, lines = []) => {
    for (const line of lines) {
      const [pair] = line.split(";")
      const at = pair.indexOf("=")
      const isGone = /max-age=0\b|expires=thu, 01 jan 1970/i.test(line)
      if (isGone) jarOf(host).delete(pair.slice(0, at))
      else jarOf(host).set(pair.slice(0, at), pair.slice(at + 1))
    }
  }
  return async function visit(address, form) {
    const url = new URL(address)
    const cookie = [...jarOf(url.host)].map(([name, value]) => `${name}=${value}`).join("; ")
    const body = form && new URLSearchParams(form).toString()
    const answer = await send(url, agent, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...(cookie && { cookie }), ...(body !== undefined && formHeaders(body)) },
      body,
    })
    store(url.host, answer.headers["set-cookie"])
    const { location } = answer.headers
    return { ...answer, ...(location && { location: new URL(location, url).href }) }
  }
}

export const createAgent = () => new Agent({ keepAlive: true, maxSockets: 32 })

const formHeaders = (body) => ({
  "content-type": "application/x-www-form-urlencoded",
  "content-length": Buffer.byteLength(body),
})

const send = (url, agent, { body, ...options }) =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent, ...options }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk) => {
        text += chunk
      })
      response.once("error", reject)
      response.once("end", () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    request.once("error", reject)
    request.end(body)
  })
