/**
 * The second factor of users: an authenticator app with recovery codes. Passkeys are in `methods/webauthn`.
 *
 * @module
 */
import type { SessionOrigin, User } from "../base/types.js"
import type { ReadySecondFactor } from "../config/resolved-config.js"
import { AdapterError } from "../errors/errors.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { Keyring } from "../security/keys.js"
import { sha256Base64url } from "../security/tokens.js"
import type { Device, SessionCookies } from "../sessions/session.js"
import type { Store } from "../store/store.js"
import { type FactorData, FactorRecords } from "./factor-records.js"
import { createRecoveryCodes, useRecoveryCode } from "./recovery-codes.js"
import { createQrCode, createSecret, findTimeStep, parseTotp, type QrCode } from "./totp.js"
import { TrustedDevices } from "./trusted-devices.js"

/** Its name among the requirements of a sign-in, and its path. No requirement of a configuration can have it. */
export const SECOND_FACTOR = "second-factor"

const SETUP_PURPOSE = "latchkey.second-factor-setup"
/** How long a user has to scan the QR code and to enter the first code. */
const SETUP_MAX_AGE_SECONDS = 900

const TRIES = 5
const WINDOW_SECONDS = 600
/** How long it is remembered how often the limit was exceeded, from the first try. A correct code ends it. */
const PAUSE_MEMORY_SECONDS = 30 * 86_400
/** The longest window is 600 s × 2^7: 21 hours. */
const MAX_DOUBLINGS = 7
/** Concurrent changes of one user's record are repeated. */
const MAX_CONFLICTS = 100

/** What a user submits as second factor. */
export type SubmittedCode = { readonly code: string } | { readonly recoveryCode: string }

/** The result of a submitted code. */
export type CodeCheck =
  | { readonly is: "valid"; readonly method: "totp" | "recovery"; readonly codesLeft: number }
  | { readonly is: "wrong" }
  | { readonly is: "paused"; readonly retryAfterMs: number }

/** An authenticator app that a user is setting up. */
export interface FactorSetup {
  readonly secret: string
  readonly qrCode: QrCode
  /** The sealed secret, a form field. */
  readonly sealed: string
}

/** A new second factor, and its recovery codes as they are shown to the user. */
export interface NewFactor {
  readonly data: FactorData
  readonly codes: readonly string[]
}

/** A sign-in, or a session, for which the second factor may be required. */
export interface FactorSubject {
  readonly owner: string
  readonly user: User
  /** True if the user is not stored yet, so there can't be a second factor. */
  readonly isNew: boolean
  readonly origin: Omit<SessionOrigin, "id" | "owner">
  readonly browser: SessionCookies
}

export interface FactorContext {
  readonly options: ReadySecondFactor
  readonly store: Store
  readonly keys: Keyring
  readonly now: () => number
  readonly isProduction: boolean
  readonly describe: (browser: SessionCookies) => Device
}

export class SecondFactor {
  readonly options: ReadySecondFactor
  readonly devices: TrustedDevices
  readonly #context: FactorContext
  readonly #records: FactorRecords

  constructor(context: FactorContext) {
    this.options = context.options
    this.#context = context
    this.#records = new FactorRecords(context)
    this.devices = new TrustedDevices({ ...context, days: context.options.rememberDeviceDays })
  }

  /** True if the second factor is missing: the user has one, or must have one, and this browser is not trusted. */
  async isMissing({ owner, user, isNew, origin, browser }: FactorSubject): Promise<boolean> {
    if (origin.amr.includes("mfa")) return false
    if (isNew || !(await this.isEnrolled(owner))) return this.isRequired(user, origin)
    return !(await this.devices.isTrusted(owner, browser))
  }

  /** Asks the application. Any result other than false means yes. */
  async isRequired(user: User, origin: FactorSubject["origin"]): Promise<boolean> {
    return (await this.options.required(user, origin)) !== false
  }

  async isEnrolled(owner: string): Promise<boolean> {
    return (await this.#records.read(owner)) !== undefined
  }

  /** Returns how many recovery codes are left; undefined without a second factor. */
  async countRecoveryCodes(owner: string): Promise<number | undefined> {
    return (await this.#records.read(owner))?.data.recoveryCodes.hashes.length
  }

  /** Begins to set up an authenticator app. With `sealed`, the app that was begun before is shown again. */
  startSetup(user: { readonly issuer: string; readonly label: string }, sealed?: string): FactorSetup {
    const { keys, now } = this.#context
    const secret = this.#openSetup(sealed) ?? createSecret()
    return {
      secret,
      qrCode: createQrCode({ ...user, secret }),
      sealed: seal({ secret }, keys.for(SETUP_PURPOSE), SETUP_MAX_AGE_SECONDS, now()),
    }
  }

  /** Finishes the setup with the first code of the app. Undefined if it is wrong, or the setup too old. */
  async finishSetup(sealed: string, submitted: string): Promise<NewFactor | undefined> {
    const now = this.#context.now()
    const secret = this.#openSetup(sealed)
    const code = parseTotp(submitted)
    const lastStep = secret !== undefined && code !== undefined ? findTimeStep(secret, code, now) : undefined
    if (secret === undefined || lastStep === undefined) return undefined
    const { codes, stored } = await this.#createCodes()
    return { data: { secret, lastStep, recoveryCodes: stored, createdAt: now }, codes }
  }

  /**
   * Stores a second factor. Returns false if the user already has one and `replaces` is not set. With `replaces`, returns
   * false if the stored secret is the same, because a repeated form must not replace the recovery codes. Also returns
   * false if another request changed the record. Browsers that were trusted before are no longer trusted.
   */
  async enrol(owner: string, data: FactorData, { replaces = false } = {}): Promise<boolean> {
    const previous = await this.#records.read(owner)
    if (previous && (!replaces || previous.data.secret === data.secret)) return false
    const isWritten = await this.#records.write(owner, data, previous?.version ?? null)
    if (isWritten) await this.devices.removeAll(owner)
    return isWritten
  }

  /**
   * Checks a code, which works once in all processes. Tries are counted before the comparison, so that concurrent
   * requests have no further ones.
   */
  async check(owner: string, submitted: SubmittedCode): Promise<CodeCheck> {
    const retryAfterMs = await this.#countTry(owner)
    if (retryAfterMs !== undefined) return { is: "paused", retryAfterMs }
    const used = await this.#use(owner, submitted)
    if (!used) return { is: "wrong" }
    await this.#resetTries(owner)
    const method = "code" in submitted ? "totp" : "recovery"
    return { is: "valid", method, codesLeft: used.recoveryCodes.hashes.length }
  }

  /** Replaces the recovery codes. Undefined if the user has no second factor. */
  async renewRecoveryCodes(owner: string): Promise<readonly string[] | undefined> {
    const { codes, stored } = await this.#createCodes()
    const changed = await this.#change(owner, (data) => ({ ...data, recoveryCodes: stored }))
    return changed && codes
  }

  /** Removes the second factor and the trust in browsers. Returns false if there was none. */
  async remove(owner: string): Promise<boolean> {
    const isRemoved = await this.#records.delete(owner)
    await this.devices.removeAll(owner)
    await this.#resetTries(owner)
    return isRemoved
  }

  /** Creates recovery codes; none if the configuration does not have them. */
  #createCodes(): ReturnType<typeof createRecoveryCodes> {
    return this.options.methods.includes("recovery")
      ? createRecoveryCodes()
      : Promise.resolve({ codes: [], stored: { salt: "", hashes: [] } })
  }

  #openSetup(sealed: string | undefined): string | undefined {
    const { keys, now } = this.#context
    const { secret } = openOrEmpty(sealed, keys.for(SETUP_PURPOSE), now())
    return typeof secret === "string" ? secret : undefined
  }

  /** Uses a code up. Returns the changed record; undefined if the code is wrong or was used before. */
  #use(owner: string, submitted: SubmittedCode): Promise<FactorData | undefined> {
    if ("recoveryCode" in submitted)
      return this.#change(owner, async (data) => {
        const recoveryCodes = await useRecoveryCode(submitted.recoveryCode, data.recoveryCodes)
        return recoveryCodes && { ...data, recoveryCodes }
      })
    const code = parseTotp(submitted.code)
    return this.#change(owner, (data) => {
      const step = code === undefined ? undefined : findTimeStep(data.secret, code, this.#context.now())
      return step !== undefined && step > data.lastStep ? { ...data, lastStep: step } : undefined
    })
  }

  /** Changes a record by compare-and-set. Undefined if there is none, or if `change` returns undefined. */
  async #change(
    owner: string,
    change: (data: FactorData) => FactorData | undefined | Promise<FactorData | undefined>,
  ): Promise<FactorData | undefined> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const found = await this.#records.read(owner)
      const changed = found && (await change(found.data))
      if (!found || !changed) return undefined
      if (await this.#records.write(owner, changed, found.version)) return changed
    }
    throw new AdapterError("the second factor was changed by other requests each time", { method: "store.set" })
  }

  /**
   * Counts a try. Resolves to undefined if it is allowed, otherwise to the milliseconds until the window ends. Each time
   * the limit is exceeded, the next window is twice as long.
   */
  async #countTry(owner: string): Promise<number | undefined> {
    const { store, now } = this.#context
    const [tries, pauses] = counterKeys(owner)
    const memory = { seconds: PAUSE_MEMORY_SECONDS }
    const { count: doublings } = await store.increment("limit", pauses, { ...memory, by: 0 })
    const seconds = WINDOW_SECONDS * 2 ** Math.min(doublings, MAX_DOUBLINGS)
    const { count, resetsAt } = await store.increment("limit", tries, { seconds })
    if (count <= TRIES) return undefined
    if (count === TRIES + 1) await store.increment("limit", pauses, memory)
    return Math.max(1, resetsAt.getTime() - now())
  }

  async #resetTries(owner: string): Promise<void> {
    for (const key of counterKeys(owner)) await this.#context.store.delete("limit", key)
  }
}

const counterKeys = (owner: string): readonly [tries: string, pauses: string] => {
  const hash = sha256Base64url(owner)
  return [`secondFactorTries:${hash}`, `secondFactorPauses:${hash}`]
}
