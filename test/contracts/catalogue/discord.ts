import type { ProviderCase } from "../support/catalogue.js"
import { discord } from "../support/samples.js"

/** @see https://discord.com/developers/docs/topics/oauth2 */
export default {
  start: { url: "https://discord.com/api/oauth2/authorize", params: { scope: "identify email" } },
  checks: ["pkce", "state"],
  token: {
    url: "https://discord.com/api/oauth2/token",
    answer: {
      access_token: "6qrZcUqja7812RVdnEKjpzOL4CvHBFG",
      token_type: "Bearer",
      expires_in: 604800,
      refresh_token: "D43f5y0ahjqew82jZ4NViEr2YafMKhue",
      scope: "identify email",
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: 'Invalid "code" in request.' } },
  },
  api: { "GET https://discord.com/api/users/@me": { body: discord } },
  id: "id",
  emailVerified: true,
  user: {
    id: "80351110224678912",
    name: "Nelly",
    email: "nelly@discord.com",
    image: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png",
  },
} satisfies ProviderCase
