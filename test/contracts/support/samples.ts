/**
 * One documented sample profile per vendor.
 *
 * @module
 */

export const github = {
  login: "octocat",
  id: 1,
  node_id: "MDQ6VXNlcjE=",
  avatar_url: "https://github.com/images/error/octocat_happy.gif",
  gravatar_id: "",
  url: "https://api.github.com/users/octocat",
  html_url: "https://github.com/octocat",
  type: "User",
  site_admin: false,
  name: "monalisa octocat",
  company: "GitHub",
  blog: "https://github.com/blog",
  location: "San Francisco",
  email: "octocat@github.com",
  hireable: false,
  bio: "There once was...",
  twitter_username: "monatheoctocat",
  public_repos: 2,
  public_gists: 1,
  followers: 20,
  following: 0,
  created_at: "2008-01-14T04:33:35Z",
  updated_at: "2008-01-14T04:33:35Z",
  two_factor_authentication: true,
}

export const githubEmails = [
  { email: "second@example.com", verified: true, primary: false, visibility: null },
  { email: "octocat@github.com", verified: true, primary: true, visibility: "private" },
]

export const gitlab = {
  id: 1,
  username: "john_smith",
  email: "john@example.com",
  name: "John Smith",
  state: "active",
  avatar_url: "http://localhost:3000/uploads/user/avatar/1/index.jpg",
  web_url: "http://localhost:3000/john_smith",
  created_at: "2012-05-23T08:00:58Z",
  bio: "",
  location: null,
  public_email: "john@example.com",
  website_url: "",
  organization: "",
  job_title: "",
  pronouns: "he/him",
  bot: false,
  confirmed_at: "2012-05-23T09:05:22Z",
  identities: [{ provider: "github", extern_uid: "2435223452345" }],
  two_factor_enabled: true,
  external: false,
  private_profile: false,
  commit_email: "john-codes@example.com",
}

export const discord = {
  id: "80351110224678912",
  username: "Nelly",
  discriminator: "1337",
  global_name: null,
  avatar: "8342729096ea3675442027381ff50dfe",
  verified: true,
  email: "nelly@discord.com",
  flags: 64,
  banner: "06c16474723fe537c283b8efa61a30c8",
  accent_color: 16711680,
  premium_type: 1,
  public_flags: 64,
  mfa_enabled: false,
  locale: "en-US",
}

export const apple = {
  iss: "https://appleid.apple.com",
  aud: "com.example.web",
  exp: 1_900_000_000,
  iat: 1_899_999_400,
  sub: "001234.5f9c3a0bd1f54e0aa2d2d4d0a1b2c3d4.1234",
  nonce: "n-0S6_WzA2Mj",
  email: "xk2j8f7d9q@privaterelay.appleid.com",
  email_verified: true,
  is_private_email: true,
  auth_time: 1_899_999_390,
  nonce_supported: true,
}

export const entra = {
  ver: "2.0" as const,
  iss: "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
  sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
  aud: "6cb04018-a3f5-46a7-b995-940c78f5aef3",
  exp: 1_900_000_000,
  iat: 1_899_996_000,
  nbf: 1_899_996_000,
  name: "Abe Lincoln",
  preferred_username: "AbeLi@microsoft.com",
  email: "abeli@microsoft.com",
  oid: "00000000-0000-0000-66f3-3332eca7ea81",
  tid: "72f988bf-86f1-41af-91ab-2d7cd011db47",
}
