const oauth = (...names) => names.map((name) => `lib/methods/oauth/${name}.ts`)

/** The modules that decide who can sign in. Tests must detect nearly every change in them. */
export const CRITICAL = {
  decide: { mutate: ["lib/accounts/decide.ts"], tests: ["unit/accounts/decide"] },
  tokens: { mutate: ["lib/security/tokens.ts"], tests: ["unit/security/csrf"] },
  csrf: { mutate: ["lib/security/csrf.ts"], tests: ["unit/security/csrf"] },
  redirects: { mutate: ["lib/security/redirects.ts"], tests: ["unit/security/redirects*"] },
  cookies: { mutate: ["lib/http/cookies.ts", "lib/http/cookie-chunks.ts"], tests: ["unit/http/cookie*"] },
  address: { mutate: ["lib/methods/email/address.ts"], tests: ["unit/methods/email/address*"] },
  jwe: { mutate: ["lib/security/jwe.ts", "lib/security/keys.ts"], tests: ["unit/security/jwe-refusals"] },
  // State, PKCE and nonce, from the authorization request to the response.
  flow: {
    mutate: [...oauth("flow"), "lib/security/sealed-flows.ts"],
    tests: ["unit/methods/oauth/flow*", "unit/security/sealed-flows"],
  },
  start: { mutate: oauth("start"), tests: ["unit/methods/oauth/start*"] },
  finish: { mutate: oauth("finish"), tests: ["unit/methods/oauth/finish*"] },
  "token-request": {
    mutate: oauth("token-request"),
    tests: ["unit/methods/oauth/token-request*", "unit/methods/oauth/finish-flow*"],
  },
  prepare: { mutate: oauth("prepare"), tests: ["unit/methods/oauth/prepare*"] },
  "id-token": { mutate: oauth("id-token", "signature"), tests: ["unit/methods/oauth/id-token*"] },
  "issuer-keys": { mutate: oauth("issuer-keys"), tests: ["unit/methods/oauth/issuer-keys"] },
  "form-post": { mutate: oauth("form-post"), tests: ["unit/methods/oauth/form-post"] },
  proxy: { mutate: oauth("proxy"), tests: ["unit/methods/oauth/proxy"] },
  outbound: { mutate: ["lib/security/outbound.ts"], tests: ["unit/security/outbound"] },
  "rate-limit": { mutate: ["lib/security/rate-limit.ts"], tests: ["unit/security/rate-limit"] },
  action: { mutate: ["lib/http/action.ts"], tests: ["unit/http/action"] },
}

/** Further modules. Their tests run whole sign-ins, so a run takes hours. */
const WIDER = {
  config: { mutate: ["lib/config/*.ts"], tests: ["unit/config/*"] },
  sessions: { mutate: ["lib/sessions/*.ts"], tests: ["unit/sessions/*", "flows/sessions/*"] },
  accounts: { mutate: ["lib/accounts/*.ts"], tests: ["unit/accounts/*", "flows/accounts/*"] },
  "adapter-contract": {
    mutate: ["lib/adapters/testing.ts", "lib/adapters/testing/*.ts"],
    tests: ["contracts/adapter-contract*"],
  },
  actions: {
    mutate: ["lib/actions/*.ts"],
    tests: [
      "flows/http/*",
      "flows/csrf/*",
      "flows/errors/reference",
      ...["flows/sessions/jwt", "flows/sessions/session-renewal", "flows/sessions/sign-out"],
    ],
  },
}

/** All modules that can be selected. */
export const MODULES = { ...CRITICAL, ...WIDER }
