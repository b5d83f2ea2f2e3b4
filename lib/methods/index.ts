import type { ProviderType } from "../providers/provider.js"
import { credentialsMethod } from "./credentials/index.js"
import { emailMethod } from "./email/index.js"
import type { SignInMethod } from "./method.js"
import { oauthMethod } from "./oauth/index.js"
import { webauthnMethod } from "./webauthn/index.js"

/** The ways to sign in, by the type of provider that uses them. */
export const METHODS: Readonly<Partial<Record<ProviderType, SignInMethod>>> = {
  // Each method meets providers of its own type only: the table is what pairs them.
  oauth: oauthMethod as unknown as SignInMethod,
  oidc: oauthMethod as unknown as SignInMethod,
  email: emailMethod as unknown as SignInMethod,
  credentials: credentialsMethod as unknown as SignInMethod,
  webauthn: webauthnMethod as unknown as SignInMethod,
}
