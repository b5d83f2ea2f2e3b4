const oauth = (...names) => names.map((name) => `lib/methods/oauth/${name}.ts`)

/** What decides who gets in: here nearly every change must be noticed. */
export const CRITICAL = {
  decide: { mutate: ["lib/accounts/decide.ts"], tests: ["unit/accounts/decide"] },
  tokens: { mutate: ["lib/security/tokens.ts"], tests: ["unit/security/csrf", "unit/security/tokens"] },
  csrf: { mutate: ["lib/security/csrf.ts"], tests: ["unit/security/csrf"] },
  redirects: { mutate: ["lib/security/redirects.ts"], tests: ["unit/security/redirects*"] },
  cookies: { mutate: ["lib/http/cookies.ts"], tests: ["unit/http/cookies*"] },
  address: { mutate: ["lib/methods/email/address.ts"], tests: ["unit/methods/email/address*"] },
  jwe: { mutate: ["lib/security/jwe.ts"], tests: ["unit/security/jwe-refusals"] },
  // State, PKCE and nonce, from the way to the provider to the answer.
  flow: { mutate: [...oauth("flow"), "lib/security/sealed-attempts.ts"], tests: ["unit/methods/oauth/flow"] },
  start: { mutate: oauth("start"), tests: ["unit/methods/oauth/start"] },
  "form-post": { mutate: oauth("form-post"), tests: ["unit/methods/oauth/form-post"] },
  proxy: { mutate: oauth("proxy"), tests: ["unit/methods/oauth/proxy"] },
}

/** What stands around it. Their tests sign people in, and a run takes hours. */
const WIDER = {
  config: { mutate: ["lib/config/*.ts"], tests: ["unit/config/*"] },
  sessions: { mutate: ["lib/sessions/*.ts"], tests: ["unit/sessions/*", "flows/session*"] },
  accounts: { mutate: ["lib/accounts/*.ts"], tests: ["unit/accounts/*", "flows/cases-accounts*"] },
  actions: { mutate: ["lib/actions/*.ts"], tests: ["flows/cases-[a-e]", "flows/error-reference", "flows/session"] },
}

/** All that can be asked for. */
export const MODULES = { ...CRITICAL, ...WIDER }
