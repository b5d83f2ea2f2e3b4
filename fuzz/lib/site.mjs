/**
 * An application with the built package, called without a network.
 *
 * @module
 */
import { Auth } from "../../dist/index.js"
import { Finding, ORIGIN, requireSoundAnswer } from "./oracle.mjs"

export const SECRET = "a secret for fuzzing alone, of forty-eight words"

/** The expected errors for responses of a provider. */
const FORESEEN = new Set(["OAuthCallbackError", "OAuthProfileParseError", "OAuthSignInError"])

/** Other errors are unexpected, except for a session cookie that can't be decrypted. */
const isForeseen = ({ type, cause }) =>
  FORESEEN.has(type) || (type === "JWTSessionError" && cause?.err?.name === "SealError")

const cookiesOf = (response) => response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "")

/** Whether the response signs a user in. */
export const signsIn = (response) =>
  cookiesOf(response).some((cookie) => /authjs\.session-token(?:\.\d+)?=./.test(cookie))

/** Text without characters that a header can't contain. */
export const toHeader = (bytes) =>
  Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/[\0\r\n]/g, "")

class Site {
  #unforeseen = []
  #config
  #mayLeadTo
  csrfToken = ""
  cookie = ""

  constructor({ mayLeadTo = [], ...config }) {
    const logger = {
      error: (error) => void (isForeseen(error) || this.#unforeseen.push(error)),
      warn() {},
      debug() {},
    }
    const usual = { secret: SECRET, trustHost: true, basePath: "/auth", rateLimit: false }
    this.#config = { ...usual, logger, ...config }
    this.#mayLeadTo = mayLeadTo
  }

  /** Sends a request, and checks the response and the logged errors. */
  async send(path, init) {
    const request = new Request(ORIGIN + path, init)
    const response = await Auth(request, this.#config)
    requireSoundAnswer(response, { path: new URL(request.url).pathname, mayLeadTo: this.#mayLeadTo })
    const [error] = this.#unforeseen.splice(0)
    if (error) throw new Finding(`unexpected error: ${error.message}`, { cause: error.cause?.err ?? error })
    return response
  }

  get(path, cookie = this.cookie) {
    return this.send(path, { headers: { cookie, accept: "text/html" } })
  }

  /** Posts the fields of a form, or a body with its content type. */
  post(path, body, { cookie = "", type = "application/x-www-form-urlencoded" } = {}) {
    const headers = { cookie: [this.cookie, cookie].filter(Boolean).join("; "), "content-type": type }
    const content = body instanceof Uint8Array ? body : new URLSearchParams({ csrfToken: this.csrfToken, ...body })
    return this.send(path, { method: "POST", headers, body: String(content) === "" ? null : content })
  }

  async open() {
    const response = await this.get("/auth/csrf", "")
    this.csrfToken = (await response.json()).csrfToken
    this.cookie = cookiesOf(response).join("; ")
    return this
  }

  /** Starts a sign-in. Returns the provider's address, and the cookies for the callback. */
  async begin(provider = "oidc") {
    const response = await this.post(`/auth/signin/${provider}`, {})
    const location = new URL(response.headers.get("location") ?? ORIGIN)
    return { location, cookie: [this.cookie, ...cookiesOf(response)].join("; ") }
  }

  /** The options of a passkey ceremony, and the cookies for its response. */
  async ceremony(query) {
    const response = await this.get(`/auth/webauthn-options/passkey?${new URLSearchParams(query)}`)
    const { options } = await response.json()
    return { options, cookie: cookiesOf(response).join("; ") }
  }
}

/** Opens a site, with the CSRF token of one browser. */
export const openSite = (config) => new Site(config).open()

/** The number of inputs per site, so that memory use stays bounded. */
const INPUTS_OF_A_SITE = 2_000

/** A site that is replaced after that many inputs. */
export function renewedSite(open) {
  let site
  let served = 0
  return async () => {
    if (site === undefined || ++served % INPUTS_OF_A_SITE === 0) site = open()
    return site
  }
}
