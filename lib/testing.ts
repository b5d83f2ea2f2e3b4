/**
 * Helpers for the tests and the development of an application. Helpers that bypass sign-in throw an error with
 * NODE_ENV=production.
 *
 * @module
 */

export type { TrustedUser } from "./accounts/trusted-user.js"
export type { AgentOptions } from "./testing/agent-target.js"
export type { Agent } from "./testing/agents/agent.js"
export { type FetchAgent, type FetchAgentOptions, fetchAgent } from "./testing/agents/fetch.js"
export type { ContextCookie, PlaywrightContext } from "./testing/agents/playwright.js"
export type { SuperagentAgent } from "./testing/agents/superagent.js"
export type { DevMode } from "./testing/dev-provider/mode.js"
export type { DevAnswer } from "./testing/dev-provider/state.js"
export type { DevUser } from "./testing/dev-provider/users.js"
export { type DevProvider, type DevProviderOptions, devProvider } from "./testing/dev-provider.js"
export { type FrozenClock, frozenClock, type Span } from "./testing/frozen-clock.js"
export type { CapturedMail } from "./testing/mailbox/store.js"
export { type Mailbox, mailbox } from "./testing/mailbox.js"
export {
  csrf,
  type SessionTraits,
  type SignedInAs,
  type SignInAsOptions,
  sessionOf,
  signInAs,
  signOut,
} from "./testing/sign-in-as.js"
