import { CookieJar, type StoredCookie } from "./cookie-jar.js"
import { decodeEntities, type Form, parseForms } from "./html.js"
import { overNetwork, type Send } from "./network.js"

export type { StoredCookie } from "./cookie-jar.js"
export type { Form } from "./html.js"
export type { Send } from "./network.js"

export interface BrowserOptions {
  /** The base of relative URLs. */
  origin?: string
  /** Replaces the network, for `origin` if it is given, otherwise for all sites. */
  send?: Send
  /** Store and send `Secure` cookies over http too. */
  secure?: boolean
  /** Milliseconds since 1970, for the expiry of cookies. @default Date.now */
  now?: () => number
  /** Headers of every request. */
  headers?: Record<string, string>
}

export interface Visit {
  method?: string
  /** Overrides of the browser's headers. An empty value removes the header. */
  headers?: Record<string, string>
  body?: string | URLSearchParams | Uint8Array<ArrayBuffer>
  /** Follow redirects, at most ten. @default false */
  follow?: boolean
  /**
   * The origin of the page with the link or form. It determines `Origin`, `Sec-Fetch-Site` and which `SameSite` cookies
   * are sent. @default the address bar for GET and HEAD, a page of the same site for other methods
   */
  from?: string
  signal?: AbortSignal
  /** Called with the text of a page that continues automatically, which `Browser` treats as a redirect. */
  seesAnswer?: (text: string) => void
}

/** A response with its URL. */
export type Page = Response & {
  /** Absolute; "" without a `Location` header. */
  readonly location: string
}

export type Fields = Record<string, string> | [string, string][] | URLSearchParams

const MAX_REDIRECTS = 10
const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * A browser without scripts: stores cookies and sends the headers that identify cross-site requests. Redirects are
 * returned and not followed, unless `follow` is set.
 */
export class Browser {
  readonly jar: CookieJar
  /** The URL of the last page. */
  url: string
  readonly #options: BrowserOptions

  constructor(options: BrowserOptions = {}) {
    this.#options = options
    this.jar = new CookieJar(options)
    this.url = options.origin ?? ""
  }

  get(url: string, init: Visit = {}): Promise<Page> {
    return this.request(url, { ...init, method: "GET" })
  }

  /** Posts a form. */
  post(url: string, fields: Fields = {}, init: Visit = {}): Promise<Page> {
    return this.request(url, { ...init, method: "POST", body: new URLSearchParams(fields) })
  }

  postJson(url: string, value: unknown, init: Visit = {}): Promise<Page> {
    const headers = { "content-type": "application/json", ...init.headers }
    return this.request(url, { ...init, headers, method: "POST", body: JSON.stringify(value) })
  }

  async request(url: string, init: Visit = {}): Promise<Page> {
    let page = await this.#load(this.#resolve(url), init)
    if (!init.follow) return page
    for (let i = 0; page.location && REDIRECTS.includes(page.status); i++) {
      if (i === MAX_REDIRECTS) throw new Error(`more than ${MAX_REDIRECTS} redirects, at last to ${page.location}`)
      page = await this.#load(new URL(page.location), nextVisit(page, init))
    }
    return page
  }

  /** Fetches a CSRF token. */
  async csrf(base = "/auth"): Promise<string> {
    const answer: unknown = await (await this.get(`${base}/csrf`)).json()
    const token: unknown = Object(answer).csrfToken
    if (typeof token !== "string") throw new Error(`no CSRF token under ${base}: ${JSON.stringify(answer)}`)
    return token
  }

  /** The forms of the last page, with absolute actions. */
  forms(html: string): Form[] {
    return parseForms(html).map((form) => ({ ...form, action: new URL(form.action, this.url).href }))
  }

  /** The first form of the last page, or the first whose action, or that of one of its buttons, contains a text. */
  form(html: string, action = ""): Form {
    const forms = this.forms(html)
    for (const form of forms) {
      if (form.action.includes(action)) return form
      const button = form.buttons.find(({ attributes }) => attributes["formaction"]?.includes(action))
      if (button) return { ...form, action: new URL(button.attributes["formaction"] ?? "", this.url).href }
    }
    throw new Error(`no form for "${action}" among [${forms.map((one) => one.action).join(", ")}] in:\n${html}`)
  }

  /** Submits a form with the given fields. */
  submit(form: Form, fields: Record<string, string> = {}, init: Visit = {}): Promise<Page> {
    const all = { ...form.fields, ...fields }
    if (form.method === "POST") return this.post(form.action, all, init)
    const url = new URL(form.action)
    url.search = new URLSearchParams(all).toString()
    return this.get(url.href, init)
  }

  /** The cookies that are sent to a URL. */
  cookies(url = "/"): StoredCookie[] {
    return this.jar.matching(this.#resolve(url))
  }

  /** The value of a cookie that is sent to a URL. */
  cookie(name: string, url = "/"): string | undefined {
    return this.cookies(url).find((cookie) => cookie.name === name)?.value
  }

  /** The `Cookie` header that is sent to a URL. */
  cookieHeader(url = "/"): string {
    return toHeader(this.cookies(url))
  }

  /** Sets a cookie, like a script of the site, a sibling domain or an attacker. */
  setCookie(name: string, value: string, attributes: Partial<StoredCookie> = {}): void {
    const { host } = this.#resolve("/")
    this.jar.put({ path: "/", secure: false, httpOnly: false, sameSite: "lax", host, ...attributes, name, value })
  }

  /** Another browser with the same cookies: the same user later, or a thief. */
  clone(): Browser {
    const twin = new Browser(this.#options)
    for (const cookie of this.jar.all()) twin.jar.put(cookie)
    twin.url = this.url
    return twin
  }

  #resolve(url: string): URL {
    return new URL(url, this.#options.origin ?? (this.url || undefined))
  }

  async #load(url: URL, init: Visit): Promise<Page> {
    const request = new Request(url, this.#init(url, init))
    const response = await this.#senderFor(url)(request)
    this.jar.store(url, response.headers.getSetCookie())
    this.url = url.href
    return toPage(await asRedirect(response, url, init), url)
  }

  #senderFor({ origin }: URL): Send {
    const { send, origin: own } = this.#options
    return send && (own === undefined || own === origin) ? send : (request) => overNetwork(request)
  }

  #init(url: URL, { method = "GET", body, signal, from, headers }: Visit): RequestInit {
    const navigation = method === "GET" || method === "HEAD"
    const crossSite = from !== undefined && from !== url.origin
    const cookie = toHeader(this.jar.matching(url, { crossSite, navigation }))
    const all = new Headers({
      ...(cookie && { cookie }),
      ...(!navigation && { origin: from ?? url.origin }),
      ...{ accept: "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      "sec-fetch-site": crossSite ? "cross-site" : navigation && from === undefined ? "none" : "same-origin",
      ...this.#options.headers,
      ...headers,
    })
    for (const [name, value] of [...all]) if (value === "") all.delete(name)
    return { method, headers: all, redirect: "manual", ...(body !== undefined && { body }), ...(signal && { signal }) }
  }
}

const toHeader = (cookies: readonly StoredCookie[]) => cookies.map(({ name, value }) => `${name}=${value}`).join("; ")

const REFRESH = /<meta http-equiv="refresh" content="0;url=([^"]*)">/

/** Converts a page that continues immediately to a redirect, which it is for a user. */
async function asRedirect(response: Response, url: URL, { seesAnswer }: Visit): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("text/html")) return response
  const text = await response.clone().text()
  const [, target] = REFRESH.exec(text) ?? []
  if (target === undefined) return response
  seesAnswer?.(text)
  const headers = new Headers(response.headers)
  headers.delete("content-type")
  headers.set("location", new URL(decodeEntities(target), url).href)
  return new Response(null, { status: 302, headers })
}

function toPage(response: Response, url: URL): Page {
  const location = response.headers.get("location")
  return Object.defineProperties(response, {
    url: { value: url.href },
    location: { value: location === null ? "" : new URL(location, url).href },
    // The type of `defineProperties` lacks the added properties.
  }) as Page
}

/** The next request after a redirect: a POST becomes a GET unless the status is 307 or 308. */
function nextVisit(page: Page, { method, body, headers, from, signal }: Visit): Visit {
  const here = new URL(page.url).origin
  const left = new URL(page.location).origin === here ? from : here
  const kept = page.status === 307 || page.status === 308
  return {
    ...(kept && method && { method }),
    ...(kept && body !== undefined && { body }),
    ...(headers && { headers: kept ? headers : withoutBodyType(headers) }),
    ...(left !== undefined && { from: left }),
    ...(signal && { signal }),
  }
}

const withoutBodyType = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-type"))
