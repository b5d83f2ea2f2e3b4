/**
 * Sets up and checks the second factor of users: an authenticator app with recovery codes. Passkeys are in
 * `methods/webauthn`.
 *
 * @module
 */
import type { SessionAuthentication, User } from "../base/types.js"
import type { ReadySecondFactor } from "../config/resolved-config.js"
import { AdapterError } from "../errors/errors.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { Keyring } from "../security/keys.js"
import { sha256Base64url } from "../security/tokens.js"
import type { Device, SessionCookies } from "../sessions/session.js"
import type { Store } from "../store/store.js"
import { type FactorData, FactorRecords } from "./factor-records.js"
import { createRecoveryCodes, removeUsedCode } from "./recovery-codes.js"
import { createQrCode, createSecret, findTimeStep, parseTotp, type QrCode } from "./totp.js"
import { TrustedDevices } from "./trusted-devices.js"

/**
 * The name of the second factor among the requirements of a sign-in, and the path of its page. The configuration check
 * rejects a requirement of the application that has this name.
 */
export const SECOND_FACTOR = "second-factor"

const SETUP_PURPOSE = "latchkey.second-factor-setup"
/** The time that a user has to scan the QR code and to enter the first code. */
const SETUP_MAX_AGE_SECONDS = 900

/** The maximum number of tries in one window. After more tries, the user has to pause until the window ends. */
const MAX_TRIES = 5
const FIRST_WINDOW_SECONDS = 600
/** How long the pauses of a user are counted, from the first try. A correct code resets the tries and the pauses. */
const PAUSE_COUNT_SECONDS = 30 * 86_400
/** Each pause doubles the window, up to 600 s × 2^7: 21 hours. */
const MAX_DOUBLINGS = 7
/** The maximum number of attempts to change a record while concurrent requests change it. */
const MAX_ATTEMPTS = 100

/** A code of the authenticator app, or a recovery code, as the user submits it. */
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
  /** The sealed secret, for a field of the form. */
  readonly sealed: string
}

/** A new second factor that is not stored yet, and its recovery codes in plain text for the user. */
export interface NewFactor {
  readonly data: FactorData
  readonly codes: readonly string[]
}

/** A sign-in, or a session, for which the second factor may be required. */
export interface FactorSubject {
  /** See `SessionAuthentication.owner`. */
  readonly owner: string
  readonly user: User
  /** True if the user is not stored yet, so there can't be a second factor. */
  readonly isNew: boolean
  readonly authentication: Omit<SessionAuthentication, "id" | "owner">
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

  /**
   * True if the second factor is needed and missing. It is needed if the user has set up an app and does not trust this
   * browser, or if the user has no app but the application requires one.
   */
  async isMissing({ owner, user, isNew, authentication, browser }: FactorSubject): Promise<boolean> {
    if (authentication.amr.includes("mfa")) return false
    if (isNew || !(await this.isEnrolled(owner))) return this.isRequired(user, authentication)
    return !(await this.devices.isTrusted(owner, browser))
  }

  /** Calls the application's function `required`. Returns true unless the function returns false. */
  async isRequired(user: User, authentication: FactorSubject["authentication"]): Promise<boolean> {
    return (await this.options.required(user, authentication)) !== false
  }

  async isEnrolled(owner: string): Promise<boolean> {
    return (await this.#records.read(owner)) !== undefined
  }

  /** Returns the number of unused recovery codes; undefined if the user has no second factor. */
  async countRecoveryCodes(owner: string): Promise<number | undefined> {
    return (await this.#records.read(owner))?.data.recoveryCodes.hashes.length
  }

  /** Starts the setup of an authenticator app. With a valid `sealed` of an earlier setup, uses the same secret. */
  startSetup(names: { readonly issuer: string; readonly label: string }, sealed?: string): FactorSetup {
    const { keys, now } = this.#context
    const secret = this.#openSetup(sealed) ?? createSecret()
    return {
      secret,
      qrCode: createQrCode({ ...names, secret }),
      sealed: seal({ secret }, keys.for(SETUP_PURPOSE), SETUP_MAX_AGE_SECONDS, now()),
    }
  }

  /**
   * Checks the first code of the app and creates the second factor, which `enrol` stores. Undefined if the code is
   * wrong, or the setup has expired.
   */
  async finishSetup(sealed: string, submitted: string): Promise<NewFactor | undefined> {
    const now = this.#context.now()
    const secret = this.#openSetup(sealed)
    const code = parseTotp(submitted)
    const lastStep = secret !== undefined && code !== undefined ? findTimeStep(secret, code, now) : undefined
    if (secret === undefined || lastStep === undefined) return undefined
    const { codes, stored } = await this.#createCodes()
    return { data: { secret, lastStep, recoveryCodes: stored, createdAt: now }, codes }
  }

  /** Stores the first second factor of a user. Changes nothing and returns false if the user has one. */
  async enrol(owner: string, data: FactorData): Promise<boolean> {
    return (await this.#write(owner, data, null)) !== null
  }

  /**
   * Stores a second factor instead of the user's current one, if there is one. Returns a function that restores the
   * current one. Changes nothing and returns undefined if another request changed the record at the same time, or if
   * the stored secret is the same: a form that is posted twice must not replace the recovery codes.
   */
  async replace(owner: string, data: FactorData): Promise<(() => Promise<void>) | undefined> {
    const previous = await this.#records.read(owner)
    if (previous?.data.secret === data.secret) return undefined
    const version = await this.#write(owner, data, previous?.version ?? null)
    if (version === null) return undefined
    return async () => {
      if (previous) await this.#records.write(owner, previous.data, version)
      else await this.#records.delete(owner, version)
    }
  }

  /** Writes a new second factor, and ends the trust in all browsers of the user. See `FactorRecords.write`. */
  async #write(owner: string, data: FactorData, ifVersion: string | null): Promise<string | null> {
    const version = await this.#records.write(owner, data, ifVersion)
    if (version !== null) await this.devices.removeAll(owner)
    return version
  }

  /**
   * Checks a code. Each code is valid once, in all processes together. A try is counted before the comparison, so that
   * concurrent requests can't exceed the limit.
   */
  async check(owner: string, submitted: SubmittedCode): Promise<CodeCheck> {
    const retryAfterMs = await this.#countTry(owner)
    if (retryAfterMs !== undefined) return { is: "paused", retryAfterMs }
    const used = await this.#consume(owner, submitted)
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

  /** Removes the second factor, and ends the trust in all browsers of the user. Returns false if the user had none. */
  async remove(owner: string): Promise<boolean> {
    const isRemoved = await this.#records.delete(owner)
    await this.devices.removeAll(owner)
    await this.#resetTries(owner)
    return isRemoved
  }

  /** Creates recovery codes, or an empty list if the configuration excludes recovery codes. */
  #createCodes(): ReturnType<typeof createRecoveryCodes> {
    return this.options.methods.includes("recovery")
      ? createRecoveryCodes()
      : Promise.resolve({ codes: [], stored: { salt: "", hashes: [] } })
  }

  /** Returns the secret of an earlier setup; undefined if it is missing, invalid or expired. */
  #openSetup(sealed: string | undefined): string | undefined {
    const { keys, now } = this.#context
    const { secret } = openOrEmpty(sealed, keys.for(SETUP_PURPOSE), now())
    return typeof secret === "string" ? secret : undefined
  }

  /** Marks a code as used. Returns the changed data; undefined if the code is wrong, or was used before. */
  #consume(owner: string, submitted: SubmittedCode): Promise<FactorData | undefined> {
    if ("recoveryCode" in submitted)
      return this.#change(owner, async (data) => {
        const recoveryCodes = await removeUsedCode(submitted.recoveryCode, data.recoveryCodes)
        return recoveryCodes && { ...data, recoveryCodes }
      })
    const code = parseTotp(submitted.code)
    return this.#change(owner, (data) => {
      const step = code === undefined ? undefined : findTimeStep(data.secret, code, this.#context.now())
      return step !== undefined && step > data.lastStep ? { ...data, lastStep: step } : undefined
    })
  }

  /**
   * Changes a record by compare-and-set, and returns the changed data. Undefined if there is no record, or if `change`
   * returns undefined.
   */
  async #change(
    owner: string,
    change: (data: FactorData) => FactorData | undefined | Promise<FactorData | undefined>,
  ): Promise<FactorData | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await this.#records.read(owner)
      const changed = found && (await change(found.data))
      if (!found || !changed) return undefined
      if (await this.#records.write(owner, changed, found.version)) return changed
    }
    throw new AdapterError(
      `the second factor was not changed, because other requests changed it during all ${MAX_ATTEMPTS} attempts`,
      { method: "store.set" },
    )
  }

  /**
   * Counts a try. Resolves to undefined if the try is allowed, otherwise to the milliseconds until the window ends. If
   * the user exceeds the limit in a window, the next window is twice as long.
   */
  async #countTry(owner: string): Promise<number | undefined> {
    const { store, now } = this.#context
    const [tries, pauses] = counterKeys(owner)
    const pauseWindow = { seconds: PAUSE_COUNT_SECONDS }
    const { count: pauseCount } = await store.increment("limit", pauses, { ...pauseWindow, by: 0 })
    const seconds = FIRST_WINDOW_SECONDS * 2 ** Math.min(pauseCount, MAX_DOUBLINGS)
    const { count, resetsAt } = await store.increment("limit", tries, { seconds })
    if (count <= MAX_TRIES) return undefined
    if (count === MAX_TRIES + 1) await store.increment("limit", pauses, pauseWindow)
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
