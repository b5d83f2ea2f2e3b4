import type { ProviderType } from "../base/types.js"
import { credentialsMethod } from "./credentials/index.js"
import { emailMethod } from "./email/index.js"
import type { SignInMethod } from "./method.js"
import { oauthMethod } from "./oauth/index.js"
import { webauthnMethod } from "./webauthn/index.js"

/** The sign-in methods by provider type. */
export const METHODS: Readonly<Partial<Record<ProviderType, SignInMethod>>> = {
  // The casts are safe, because each provider is passed only to the method of its type.
  oauth: oauthMethod as unknown as SignInMethod,
  oidc: oauthMethod as unknown as SignInMethod,
  email: emailMethod as unknown as SignInMethod,
  credentials: credentialsMethod as unknown as SignInMethod,
  webauthn: webauthnMethod as unknown as SignInMethod,
}
