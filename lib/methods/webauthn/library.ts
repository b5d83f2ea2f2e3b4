import { createRequire } from "node:module"

/** The part of `@simplewebauthn/server` that is used here. */
export type WebAuthnLibrary = Pick<
  typeof import("@simplewebauthn/server"),
  | "generateAuthenticationOptions"
  | "generateRegistrationOptions"
  | "verifyAuthenticationResponse"
  | "verifyRegistrationResponse"
>

/** The part of its helpers that is used here. */
export type WebAuthnHelpers = Pick<
  typeof import("@simplewebauthn/server/helpers"),
  "decodeAttestationObject" | "isoBase64URL"
>

const NAME = "@simplewebauthn/server"

/** Is the library there? It is an optional peer. */
export function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(NAME)
    return true
  } catch {
    return false
  }
}

/** Loaded with the first ceremony: who has no passkeys needs none of it. */
export const loadLibrary = (): WebAuthnLibrary => createRequire(import.meta.url)(NAME)

/** The library's own decoders: what they read here is what the library reads later. */
export const loadHelpers = (): WebAuthnHelpers => createRequire(import.meta.url)(`${NAME}/helpers`)
