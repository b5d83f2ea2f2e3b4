/**
 * Actions of a user, of another site and of an attacker at a sample.
 *
 * @module
 */
import { Browser } from "../../support/browser.js"

export interface Expected {
  /** The base path. @default "/auth" */
  readonly base?: string
  /** The reason why signing in is impossible at the test's address. */
  readonly noSignIn?: string
  /** A guarded page. @default "/me" */
  readonly guarded?: string
  /** The sample's own POST routes, with valid fields and the expected status. */
  readonly posts?: Readonly<Record<string, { fields: Record<string, string>; status: number }>>
}

const ADDRESS = "ada@example.com"

/** Signs in with the first provider, and returns the path of its form. */
async function signIn(browser: Browser, base: string): Promise<string> {
  const providers: Record<string, { id: string; type: string }> = await (await browser.get(`${base}/providers`)).json()
  const [{ id, type } = { id: "", type: "" }] = Object.values(providers)
  const csrfToken = await browser.csrf(base)
  if (type === "credentials")
    await browser.post(`${base}/callback/${id}`, { csrfToken, username: "ada", password: "right" })
  else if (type === "email") {
    await browser.post(`${base}/signin/${id}`, { csrfToken, email: ADDRESS })
    await browser.get(await (await browser.get(`/test/link?to=${ADDRESS}`)).text())
  } else await browser.post(`${base}/signin/${id}`, { csrfToken }, { follow: true })
  return type === "credentials" ? `${base}/callback/${id}` : `${base}/signin/${id}`
}

/** Malformed bodies with a valid CSRF token. */
function malformedBodies(csrfToken: string): string[] {
  const values: readonly unknown[] = [
    [],
    {},
    null,
    7,
    true,
    ["a", "b"],
    { toString: 1, trim: 1 },
    { length: 1e9 },
    "\0\ud800",
  ]
  const fields = ["email", "username", "password", "callbackUrl", "tenant", "data"]
  return [
    ...[...values, "x".repeat(60_000 / fields.length)].map((value) =>
      JSON.stringify({ ...Object.fromEntries(fields.map((name) => [name, value])), csrfToken }),
    ),
    `{"csrfToken":"${csrfToken}","__proto__":{"email":"a@example.com"},"constructor":{"prototype":1}}`,
    "[]",
    "null",
  ]
}

const MALFORMED_QUERY =
  "callbackUrl[]=/a&callbackUrl=/b&error[a]=1&error=__proto__&__proto__[x]=1&callbackUrl=//[&user=constructor"

/** Headers of requests from another site, and from a sibling subdomain, which include the cookies. */
const FOREIGN = [{ origin: "https://evil.example", "sec-fetch-site": "" }, { "sec-fetch-site": "same-site" }]

/** A signed-in user of a sample. */
class Visitor {
  readonly browser: Browser
  readonly base: string
  readonly posts: NonNullable<Expected["posts"]>
  readonly #guarded: string
  readonly #pages: readonly string[]

  constructor(origin: string, { base = "/auth", guarded = "/me", posts = {} }: Expected, pages: readonly string[]) {
    this.browser = new Browser({ origin, headers: { accept: "application/json", "sec-fetch-mode": "cors" } })
    this.base = base
    this.posts = posts
    this.#guarded = guarded
    this.#pages = ["/", ...pages]
  }

  async status(): Promise<number> {
    return (await this.browser.get(this.#guarded)).status
  }

  /** Opens the sample's own pages. */
  async openPages(statuses: readonly number[]): Promise<void> {
    for (const path of this.#pages) {
      const { status } = await this.browser.get(path)
      expect({ path, status, isExpected: statuses.includes(status) }).toEqual({ path, status, isExpected: true })
    }
  }

  async surviveStoreOutage(form: string): Promise<void> {
    const { browser, posts, base } = this
    const csrfToken = await browser.csrf(base).catch(() => "")
    await browser.get("/test/store?away=true")
    expect([200, 500, 503]).toContain(await this.status())
    await this.openPages([200, 302, 403, 404, 500, 503])
    for (const [path, { fields }] of Object.entries(posts))
      expect([500, 503]).toContain((await browser.post(path, fields)).status)
    await browser.clone().post(form, { csrfToken, email: ADDRESS, username: "ada", password: "right" })
    await browser.get("/test/store?away=false")
    expect({ storeIsBack: await this.status() }).toEqual({ storeIsBack: 200 })
    await this.openPages([200, 302, 403, 404])
  }

  async rejectForeignRequests(): Promise<void> {
    const { browser, posts, base } = this
    for (const headers of FOREIGN)
      for (const [path, { fields }] of Object.entries(posts))
        expect({ path, status: (await browser.post(path, fields, { headers })).status }).toEqual({ path, status: 403 })
    for (const path of [`${base}/signout`, `${base}/session`])
      await browser.post(path, { csrfToken: await browser.csrf(base) }, { headers: FOREIGN[0] ?? {} })
    expect({ afterForeignPosts: await this.status() }).toEqual({ afterForeignPosts: 200 })
  }

  async sendMalformedValues(form: string): Promise<void> {
    const { browser, posts, base } = this
    const headers = { "content-type": "application/json" }
    for (const path of [`${base}/session`, ...Object.keys(posts), form])
      for (const body of malformedBodies(await browser.csrf(base))) {
        const { status, location } = await browser.request(path, { method: "POST", headers, body })
        const isServed = status < 500 && !location.includes("error=Configuration")
        expect({ path, body, status, isServed }).toMatchObject({ isServed: true })
      }
    for (const path of [`${base}/signin`, "/login", this.#guarded]) {
      const { status } = await browser.get(`${path}?${MALFORMED_QUERY}`)
      expect({ path, isServed: status < 500 }).toEqual({ path, isServed: true })
    }
  }

  async submitForms(): Promise<void> {
    if (Object.keys(this.posts).length > 0) await signIn(this.browser, this.base)
    for (const [path, { fields, status }] of Object.entries(this.posts))
      expect({ path, status: (await this.browser.post(path, fields)).status }).toEqual({ path, status })
  }
}

/** Signs in, lets the store fail, and sends foreign and malformed requests. */
export async function checkServed(origin: string, expected: Expected, pages: readonly string[]): Promise<void> {
  const visitor = new Visitor(origin, expected, pages)
  if (expected.noSignIn) return expect(await visitor.status()).toBe(401)
  const form = await signIn(visitor.browser, visitor.base)
  expect({ signedIn: await visitor.status() }).toEqual({ signedIn: 200 })
  await visitor.surviveStoreOutage(form)
  await visitor.rejectForeignRequests()
  await visitor.sendMalformedValues(form)
  await visitor.submitForms()
}
