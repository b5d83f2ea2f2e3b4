import { createRequire } from "node:module"

/** The part of `@simplewebauthn/server` that is used here. */
export type WebAuthnLibrary = Pick<
  typeof import("@simplewebauthn/server"),
  | "generateAuthenticationOptions"
  | "generateRegistrationOptions"
  | "verifyAuthenticationResponse"
  | "verifyRegistrationResponse"
>

/** The part of `@simplewebauthn/server/helpers` that is used here. */
export type WebAuthnHelpers = Pick<
  typeof import("@simplewebauthn/server/helpers"),
  "decodeAttestationObject" | "isoBase64URL"
>

const NAME = "@simplewebauthn/server"

/** True if the library, an optional peer dependency, is installed. */
export function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(NAME)
    return true
  } catch {
    return false
  }
}

/** Loads the library at the first ceremony, so that applications without passkeys do not need it. */
export const loadLibrary = (): WebAuthnLibrary => createRequire(import.meta.url)(NAME)

/** Loads the library's decoders, so that our check of an attestation parses the data as the library does. */
export const loadHelpers = (): WebAuthnHelpers => createRequire(import.meta.url)(`${NAME}/helpers`)
