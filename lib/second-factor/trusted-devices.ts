/**
 * Trusted browsers, in which a user signs in without the second factor. The store has a record for each user of a
 * browser. A sealed cookie in the browser contains the keys of these records.
 *
 * @module
 */
import type { CookieChange } from "../base/types.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { Keyring } from "../security/keys.js"
import { randomText, sha256Base64url } from "../security/tokens.js"
import type { Device, SessionCookies } from "../sessions/session.js"
import { listAll } from "../store/list-all.js"
import type { Store } from "../store/store.js"

const KIND = "trusted-device"
const PURPOSE = "latchkey.trusted-device"
const DAY_SECONDS = 86_400
/** The maximum number of users for whom one browser is trusted. */
const MAX_USERS = 5

/** A browser in which a user signs in without the second factor. */
export interface TrustedDevice extends Device {
  /** The id of the browser's record. It is not secret. */
  readonly id: string
  /** When the user chose to trust the browser, in milliseconds since 1970. */
  readonly createdAt: number
}

/** One of the cookie's entries, for one user. */
interface CookieEntry {
  /** The hash of the user's `SessionAuthentication.owner`. */
  readonly owner: string
  /** A random secret. Its hash is the key of the user's record in the store. */
  readonly secret: string
}

interface DevicesContext {
  readonly store: Store
  readonly keys: Keyring
  readonly now: () => number
  readonly days: number
  /** Reads the names of the browser and its platform from the `User-Agent` header. */
  readonly describe: (browser: SessionCookies) => Device
}

const hashOwner = (owner: string): string => sha256Base64url(owner)

export class TrustedDevices {
  readonly #context: DevicesContext

  constructor(context: DevicesContext) {
    this.#context = context
  }

  /** The number of days for which a browser is trusted; 0 if users can't choose to trust it. */
  get days(): number {
    return this.#context.days
  }

  /** True if the user trusts this browser. False if its cookie was copied from another kind of browser or platform. */
  async isTrusted(owner: string, browser: SessionCookies): Promise<boolean> {
    const { store, days, describe } = this.#context
    const hash = hashOwner(owner)
    const entry = this.#readEntries(browser).find(({ owner: entryOwner }) => entryOwner === hash)
    const record = days > 0 && entry ? await store.get(KIND, sha256Base64url(entry.secret)) : null
    if (record?.owner !== hash) return false
    const trusted: Device = JSON.parse(record.value)
    const device = describe(browser)
    return device.browser === trusted.browser && device.platform === trusted.platform
  }

  /** Makes this browser trusted for the user. Returns the browser's new cookie. */
  async trust(owner: string, browser: SessionCookies): Promise<CookieChange> {
    const { store, keys, now, days, describe } = this.#context
    const entry = { owner: hashOwner(owner), secret: randomText() }
    const value = JSON.stringify({ ...describe(browser), createdAt: now() })
    const expires = new Date(now() + days * DAY_SECONDS * 1000)
    await store.set(KIND, sha256Base64url(entry.secret), { value, owner: entry.owner, expires })
    const existing = this.#readEntries(browser)
    const others = existing.filter((other) => other.owner !== entry.owner)
    // The new record replaces the record that this browser has had for the user.
    for (const { secret } of existing.filter((other) => other.owner === entry.owner))
      await store.delete(KIND, sha256Base64url(secret))
    const entries = [entry, ...others].slice(0, MAX_USERS)
    const maxAgeSeconds = days * DAY_SECONDS
    const sealed = seal({ entries }, keys.for(PURPOSE), maxAgeSeconds, now())
    return { put: "trustedDevice", value: sealed, expires, maxAgeSeconds }
  }

  async list(owner: string): Promise<TrustedDevice[]> {
    const devices: TrustedDevice[] = []
    for await (const { key, value } of listAll(this.#context.store, KIND, hashOwner(owner)))
      devices.push({ id: key, ...JSON.parse(value) })
    return devices
  }

  /** Ends the trust in one browser of the user. Ignores the id of another user's record. */
  async remove(owner: string, id: string): Promise<void> {
    const device = (await this.list(owner)).find((trusted) => trusted.id === id)
    if (device) await this.#context.store.delete(KIND, device.id)
  }

  /** Ends the trust in all browsers of the user. */
  async removeAll(owner: string): Promise<void> {
    for (const { id } of await this.list(owner)) await this.#context.store.delete(KIND, id)
  }

  /** Reads the entries in a browser's cookie; empty if the cookie is missing or invalid. */
  #readEntries({ cookies, cookieSet }: SessionCookies): readonly CookieEntry[] {
    const { keys, now } = this.#context
    const { entries } = openOrEmpty(cookies[cookieSet.trustedDevice.name], keys.for(PURPOSE), now())
    // The cast is safe, because only this module encrypts for this purpose.
    return Array.isArray(entries) ? (entries as CookieEntry[]) : []
  }
}
