import type { CDPSession, Page } from "playwright-core"

/** A passkey as an authenticator holds it. */
export interface HeldPasskey {
  readonly credentialId: string
  readonly privateKey: string
  readonly rpId?: string
  readonly userHandle?: string
  readonly isResidentCredential: boolean
  readonly signCount: number
}

/** An authenticator in a page's browser: it does at once whatever a person is asked for, until told otherwise. */
export interface VirtualAuthenticator {
  passkeys(): Promise<HeldPasskey[]>
  /** Puts a passkey in, of another authenticator for instance. */
  put(passkey: HeldPasskey): Promise<void>
  /** Takes them all out. */
  clear(): Promise<void>
  /** Does the person put a finger on it? */
  setTouched(isTouched: boolean): Promise<void>
  /** Is the finger, or the PIN, the right one? */
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

/** Gives a page's browser authenticators of ours; there are no others for it from then on. */
export async function plugIn(page: Page): Promise<() => Promise<VirtualAuthenticator>> {
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
