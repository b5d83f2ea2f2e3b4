import { createRequire } from "node:module"
import { memoize } from "../base/memoize.js"

/** The optional peer dependencies of the second factor. */
const PACKAGES = ["otplib", "uqr"] as const

const load = (name: (typeof PACKAGES)[number]): unknown => createRequire(import.meta.url)(name)

/** Returns the names of the packages that are not installed. */
export const missingPackages = (): string[] =>
  PACKAGES.filter((name) => {
    try {
      createRequire(import.meta.url).resolve(name)
      return false
    } catch {
      return true
    }
  })

type OtpLibrary = Pick<typeof import("otplib"), "generateSecret" | "generateURI" | "verifySync">

/** Loads the library for one-time passwords at its first use. Applications without a second factor do not need it. */
export const loadOtp = memoize(() => load("otplib") as OtpLibrary)

/** Loads the library for QR codes at its first use. */
export const loadQr = memoize(() => load("uqr") as Pick<typeof import("uqr"), "encode">)
