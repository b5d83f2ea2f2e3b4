/**
 * Time-based one-time passwords (RFC 6238) in the form that all authenticator apps support: SHA-1, 6 digits, 30
 * seconds.
 *
 * @module
 */
import { loadOtp, loadQr } from "./library.js"

const PERIOD_SECONDS = 30
const WELL_FORMED = /^\d{6}$/

/** Returns a random secret of 160 bits as Base32. */
export const createSecret = (): string => loadOtp().generateSecret({ length: 20 })

/** The key of an authenticator app, as its QR code contains it. */
export interface TotpKey {
  /** The site, as the app shows it. */
  readonly issuer: string
  /** The user, as the app shows it. */
  readonly label: string
  readonly secret: string
}

/** A QR code as the parts of an `<svg>` element: its width and height, and the path of its dark modules. */
export interface QrCode {
  readonly size: number
  readonly path: string
}

/** The light border that scanners need, in modules (ISO/IEC 18004 §9.1). */
const QUIET_ZONE = 4

/** Returns the QR code that an authenticator app scans. */
export function createQrCode(key: TotpKey): QrCode {
  const uri = loadOtp().generateURI({ ...key, digits: 6, period: PERIOD_SECONDS })
  const { size, data } = loadQr().encode(uri, { border: QUIET_ZONE })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: path.join("") }
}

/**
 * Normalizes a submitted code: removes spaces, hyphens and invisible characters, and converts full-width digits.
 * Undefined if the result is not 6 digits.
 */
export function parseTotp(submitted: string): string | undefined {
  const code = submitted.length <= 20 ? submitted.normalize("NFKC").replace(/[\s\p{Pd}\p{Cf}]/gu, "") : ""
  return WELL_FORMED.test(code) ? code : undefined
}

/**
 * Returns the time step of a valid code (RFC 6238 §4.2); undefined for a wrong one. The code of the previous and of the
 * next step is valid too, because clocks differ (§5.2).
 */
export function findTimeStep(secret: string, code: string, nowMs: number): number | undefined {
  const epoch = Math.floor(nowMs / 1000)
  const result = loadOtp().verifySync({ secret, token: code, epoch, epochTolerance: PERIOD_SECONDS })
  return result.valid ? Math.floor(epoch / PERIOD_SECONDS) + result.delta : undefined
}
