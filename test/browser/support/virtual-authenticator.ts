import type { CDPSession, Page } from "playwright-core"

/** A passkey as an authenticator stores it. */
export interface HeldPasskey {
  readonly credentialId: string
  readonly privateKey: string
  readonly rpId?: string
  readonly userHandle?: string
  readonly isResidentCredential: boolean
  readonly signCount: number
}

/** A virtual authenticator of a page's browser. By default it confirms each request at once. */
export interface VirtualAuthenticator {
  passkeys(): Promise<HeldPasskey[]>
  /** Adds a passkey, for example from another authenticator. */
  put(passkey: HeldPasskey): Promise<void>
  /** Removes all passkeys. */
  clear(): Promise<void>
  /** Whether the user touches it. */
  setTouched(isTouched: boolean): Promise<void>
  /** Whether the fingerprint or PIN is correct. */
  setVerified(isVerified: boolean): Promise<void>
  /** Unplugs it. */
  remove(): Promise<void>
}

function authenticatorOf(session: CDPSession, authenticatorId: string): VirtualAuthenticator {
  return {
    async passkeys() {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId })
      return credentials
    },
    put: async (credential) => {
      await session.send("WebAuthn.addCredential", { authenticatorId, credential })
    },
    clear: async () => {
      await session.send("WebAuthn.clearCredentials", { authenticatorId })
    },
    setTouched: async (enabled) => {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })
    },
    setVerified: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })
    },
    remove: async () => {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId })
    },
  }
}

/** Returns a function that adds virtual authenticators to a page's browser; real ones are disabled. */
export async function useVirtualAuthenticators(page: Page): Promise<() => Promise<VirtualAuthenticator>> {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  return async () => {
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return authenticatorOf(session, authenticatorId)
  }
}
