import { SECRET } from "./constants.mjs"

/** Only letters, so that the form encoding of RFC 6749 §2.3.1 does not change it. */
export const CLIENT_SECRET = "the-secret-of-a-client-of-more-than-32-characters"

/** The configuration of both variants: one OpenID provider, sessions in a cookie. */
export const config = {
  secret: SECRET,
  trustHost: true,
  session: { strategy: "jwt" },
  providers: [
    {
      id: "bench",
      name: "Bench",
      type: "oidc",
      issuer: process.env.BENCH_ISSUER,
      clientId: process.env.BENCH_CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      checks: ["pkce", "state", "nonce"],
    },
  ],
}
