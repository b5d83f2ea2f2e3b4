/**
 * The public types. This module has no run-time code.
 *
 * `Session`, `User` and `JWT` are interfaces, so that an application can add members by module augmentation:
 *
 * @example
 * declare module "latchkey" {
 *   interface User { role?: string }
 * }
 *
 * @module
 */
export type { PublicProvider } from "./actions/providers.js"
export type {
  Adapter,
  AdapterAccount,
  AdapterAccountType,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  BuiltInAdapter,
  VerificationToken,
} from "./adapters/adapter.js"
export type { Awaitable } from "./base/awaitable.js"
export type {
  Account,
  CookieOption,
  CookieSerializeOptions,
  CookiesOptions,
  DefaultJWT,
  DefaultSession,
  DefaultUser,
  JWT,
  JWTDecodeParams,
  JWTEncodeParams,
  JWTOptions,
  Optional,
  PendingSignIn,
  Profile,
  ProviderType,
  Requirement,
  RequirementParams,
  Session,
  SessionAuthentication,
  Theme,
  TokenSet,
  User,
} from "./base/types.js"
export type {
  AuthConfig,
  CallbacksOptions,
  EventsOptions,
  PagesOptions,
  SecondFactorChange,
  SecondFactorMethod,
  SecondFactorOptions,
  SessionOptions,
} from "./config/auth-config.js"
export type { AuthAction } from "./http/action.js"
export type { ResponseInternal } from "./http/response.js"
export type { LoggerInstance } from "./logging/logger.js"
export type { ErrorPageParam, SignInPageErrorParam } from "./pages/messages.js"
export type {
  ClientSecret,
  CommonProviderOptions,
  CredentialInput,
  CredentialShapes,
  CredentialsConfig,
  EmailConfig,
  EmailVerificationRule,
  EndpointHandler,
  OAuth2Config,
  OAuthConfig,
  OAuthProviderButtonStyles,
  OAuthUserConfig,
  OIDCConfig,
  OIDCUserConfig,
  Provider,
  ProviderContext,
  ProviderObject,
  RefreshContext,
  SignInMail,
  TokenRequestContext,
  WebAuthnConfig,
} from "./provider-kit/provider.js"
export type { MailConfig, MailParams, MailUserConfig, RequiredMailOption } from "./provider-kit/send-mail.js"
export type { SmtpOptions } from "./provider-kit/smtp.js"
export type { RateLimitOptions } from "./security/rate-limit.js"
export type { Store, StoreCounter, StorePage, StoreRecord, StoreWrite } from "./store/store.js"
