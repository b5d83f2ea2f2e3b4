const oauth = (...names) => names.map((name) => `lib/methods/oauth/${name}.ts`)

/** What decides who gets in: here nearly every change must be noticed. */
export const CRITICAL = {
  decide: { mutate: ["lib/accounts/decide.ts"], tests: ["unit/accounts/decide"] },
  tokens: { mutate: ["lib/security/tokens.ts"], tests: ["unit/security/csrf", "unit/security/tokens"] },
  csrf: { mutate: ["lib/security/csrf.ts"], tests: ["unit/security/csrf"] },
  redirects: { mutate: ["lib/security/redirects.ts"], tests: ["unit/security/redirects*"] },
  cookies: { mutate: ["lib/http/cookies.ts", "lib/http/cookie-parts.ts"], tests: ["unit/http/cookies*"] },
  address: { mutate: ["lib/methods/email/address.ts"], tests: ["unit/methods/email/address*"] },
  jwe: { mutate: ["lib/security/jwe.ts", "lib/security/keys.ts"], tests: ["unit/security/jwe-refusals"] },
  // State, PKCE and nonce, from the way to the provider to the answer.
  flow: {
    mutate: [...oauth("flow"), "lib/security/sealed-attempts.ts"],
    tests: ["unit/methods/oauth/flow*", "unit/security/sealed-attempts"],
  },
  start: { mutate: oauth("start"), tests: ["unit/methods/oauth/start*"] },
  finish: { mutate: oauth("finish"), tests: ["unit/methods/oauth/finish*"] },
  "token-request": { mutate: oauth("token-request"), tests: ["unit/methods/oauth/token-request*"] },
  prepare: { mutate: oauth("prepare"), tests: ["unit/methods/oauth/prepare*"] },
  "id-token": { mutate: oauth("id-token", "signature"), tests: ["unit/methods/oauth/id-token"] },
  "issuer-keys": { mutate: oauth("issuer-keys"), tests: ["unit/methods/oauth/issuer-keys"] },
  "form-post": { mutate: oauth("form-post"), tests: ["unit/methods/oauth/form-post"] },
  proxy: { mutate: oauth("proxy"), tests: ["unit/methods/oauth/proxy"] },
  outbound: { mutate: ["lib/security/outbound.ts"], tests: ["unit/security/outbound"] },
  "rate-limit": { mutate: ["lib/security/rate-limit.ts"], tests: ["unit/security/rate-limit"] },
  action: { mutate: ["lib/http/action.ts"], tests: ["unit/http/action"] },
}

/** What stands around it. Their tests sign people in, and a run takes hours. */
const WIDER = {
  config: { mutate: ["lib/config/*.ts"], tests: ["unit/config/*"] },
  sessions: { mutate: ["lib/sessions/*.ts"], tests: ["unit/sessions/*", "flows/session*"] },
  accounts: { mutate: ["lib/accounts/*.ts"], tests: ["unit/accounts/*", "flows/cases-accounts*"] },
  "adapter-contract": {
    mutate: ["lib/adapters/testing.ts", "lib/adapters/testing/*.ts"],
    tests: ["contracts/adapter-contract*"],
  },
  actions: {
    mutate: ["lib/actions/*.ts"],
    tests: ["flows/cases-[a-e]", "flows/cases-c-csrf", "flows/error-reference", "flows/session", "flows/session-reads"],
  },
}

/** All that can be asked for. */
export const MODULES = { ...CRITICAL, ...WIDER }
