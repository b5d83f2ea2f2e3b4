/**
 * Browsers that do not ask their user for the second factor. Each has a record in the store, and a sealed cookie with
 * the key of the record.
 *
 * @module
 */
import type { CookieChange } from "../base/types.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { Keyring } from "../security/keys.js"
import { randomText, sha256Base64url } from "../security/tokens.js"
import type { Device, SessionCookies } from "../sessions/session.js"
import type { Store } from "../store/store.js"

const KIND = "trusted-device"
const PURPOSE = "latchkey.trusted-device"
const DAY_SECONDS = 86_400
/** The users of one browser that are remembered. */
const MAX_USERS = 5

/** A browser that does not ask for the second factor. */
export interface TrustedDevice extends Device {
  /** The id of its record. It is no secret. */
  readonly id: string
  /** When the user has trusted it, in milliseconds since 1970. */
  readonly createdAt: number
}

/** The content of the cookie: for each user the key of the record. */
interface Entry {
  readonly owner: string
  readonly key: string
}

interface DevicesContext {
  readonly store: Store
  readonly keys: Keyring
  readonly now: () => number
  readonly days: number
  /** Describes a browser by its headers. */
  readonly describe: (browser: SessionCookies) => Device
}

const hashOwner = (owner: string): string => sha256Base64url(owner)

export class TrustedDevices {
  readonly #context: DevicesContext

  constructor(context: DevicesContext) {
    this.#context = context
  }

  /** How many days a browser is trusted; 0 if users can't choose that. */
  get days(): number {
    return this.#context.days
  }

  /** True if the user has trusted this browser. A copy of its cookie in another kind of browser does not count. */
  async isTrusted(owner: string, browser: SessionCookies): Promise<boolean> {
    const { store, days, describe } = this.#context
    const hash = hashOwner(owner)
    const entry = this.#read(browser).find((one) => one.owner === hash)
    const record = days > 0 && entry ? await store.get(KIND, sha256Base64url(entry.key)) : null
    if (record?.owner !== hash) return false
    const { browser: name, platform }: Device = JSON.parse(record.value)
    const device = describe(browser)
    return device.browser === name && device.platform === platform
  }

  /** Trusts a browser. Returns the change of its cookie. */
  async trust(owner: string, browser: SessionCookies): Promise<CookieChange> {
    const { store, keys, now, days, describe } = this.#context
    const entry = { owner: hashOwner(owner), key: randomText() }
    const value = JSON.stringify({ ...describe(browser), createdAt: now() })
    const expires = new Date(now() + days * DAY_SECONDS * 1000)
    await store.set(KIND, sha256Base64url(entry.key), { value, owner: entry.owner, expires })
    const others = this.#read(browser).filter((other) => other.owner !== entry.owner)
    const entries = [entry, ...others].slice(0, MAX_USERS)
    const maxAgeSeconds = days * DAY_SECONDS
    const sealed = seal({ entries }, keys.for(PURPOSE), maxAgeSeconds, now())
    return { put: "trustedDevice", value: sealed, expires, maxAgeSeconds }
  }

  async list(owner: string): Promise<TrustedDevice[]> {
    const records = await this.#context.store.list(KIND, hashOwner(owner))
    return records.map(({ key, value }) => ({ id: key, ...JSON.parse(value) }))
  }

  /** Removes the trust in one browser of the user. */
  async remove(owner: string, id: string): Promise<void> {
    const device = (await this.list(owner)).find((one) => one.id === id)
    if (device) await this.#context.store.delete(KIND, device.id)
  }

  /** Removes the trust in all browsers of the user. */
  async removeAll(owner: string): Promise<void> {
    for (const { id } of await this.list(owner)) await this.#context.store.delete(KIND, id)
  }

  #read({ cookies, cookieSet }: SessionCookies): readonly Entry[] {
    const { keys, now } = this.#context
    const { entries } = openOrEmpty(cookies[cookieSet.trustedDevice.name], keys.for(PURPOSE), now())
    // Only this module encrypts for this purpose, so the shape is known.
    return Array.isArray(entries) ? (entries as Entry[]) : []
  }
}
