/** The addresses of the vendors' APIs, to which `req.authorizedFetch()` sends tokens. */
import GitHub from "../../lib/providers/github.js"
import GitLab from "../../lib/providers/gitlab.js"
import { loadFactory, PROVIDER_FILES } from "./support/factories.js"

const readOrigins = (provider: object): readonly string[] => Reflect.get(provider, "apiOrigins") ?? []

/** The most used providers whose vendor documents an API, with an address of this API. */
const APIS: readonly (readonly [string, string])[] = [
  ["atlassian", "https://api.atlassian.com/oauth/token/accessible-resources"],
  ["bitbucket", "https://api.bitbucket.org/2.0/user"],
  ["box", "https://api.box.com/2.0/folders/0"],
  ["box", "https://upload.box.com/api/2.0/files/content"],
  ["click-up", "https://api.clickup.com/api/v2/team"],
  ["coinbase", "https://api.coinbase.com/v2/accounts"],
  ["digitalocean", "https://api.digitalocean.com/v2/droplets"],
  ["discord", "https://discord.com/api/v10/users/@me/guilds"],
  ["dropbox", "https://api.dropboxapi.com/2/files/list_folder"],
  ["dropbox", "https://content.dropboxapi.com/2/files/download"],
  ["eventbrite", "https://www.eventbriteapi.com/v3/users/me/"],
  ["facebook", "https://graph.facebook.com/v25.0/me"],
  ["figma", "https://api.figma.com/v1/me"],
  ["github", "https://api.github.com/user/repos"],
  ["gitlab", "https://gitlab.com/api/v4/projects"],
  ["google", "https://www.googleapis.com/calendar/v3/calendars/primary/events"],
  ["google", "https://gmail.googleapis.com/gmail/v1/users/me/messages"],
  ["google", "https://people.googleapis.com/v1/people/me"],
  ["google", "https://sheets.googleapis.com/v4/spreadsheets/1"],
  ["hubspot", "https://api.hubapi.com/crm/v3/objects/contacts"],
  ["huggingface", "https://huggingface.co/api/whoami-v2"],
  ["instagram", "https://graph.instagram.com/me"],
  ["kakao", "https://kapi.kakao.com/v2/user/me"],
  ["line", "https://api.line.me/v2/profile"],
  ["linear", "https://api.linear.app/graphql"],
  ["linkedin", "https://api.linkedin.com/v2/userinfo"],
  ["microsoft-entra-id", "https://graph.microsoft.com/v1.0/me/messages"],
  ["naver", "https://openapi.naver.com/v1/nid/me"],
  ["notion", "https://api.notion.com/v1/search"],
  ["patreon", "https://www.patreon.com/api/oauth2/v2/campaigns"],
  ["pinterest", "https://api.pinterest.com/v5/boards"],
  ["reddit", "https://oauth.reddit.com/api/v1/me"],
  ["slack", "https://slack.com/api/users.profile.get"],
  ["spotify", "https://api.spotify.com/v1/me/playlists"],
  ["strava", "https://www.strava.com/api/v3/athlete/activities"],
  ["threads", "https://graph.threads.net/v1.0/me/threads"],
  ["tiktok", "https://open.tiktokapis.com/v2/video/list/"],
  ["todoist", "https://api.todoist.com/api/v1/tasks"],
  ["trakt", "https://api.trakt.tv/sync/history"],
  ["twitch", "https://api.twitch.tv/helix/users"],
  ["twitter", "https://api.x.com/2/tweets"],
  ["zoom", "https://api.zoom.us/v2/users/me/meetings"],
]

describe("apiOrigins", () => {
  it.each(APIS)("of %s include the origin of %s", async (file, url) => {
    const factory = await loadFactory(file)
    expect(readOrigins(factory({}))).toContain(new URL(url).origin)
  })

  it.each(PROVIDER_FILES)("of %s are https origins without a path", async (file) => {
    const factory = await loadFactory(file)
    const origins = readOrigins(factory({ issuer: "https://issuer.example.com", server: "smtp://127.0.0.1" }))
    expect(origins).toEqual(origins.map((url) => `https://${new URL(url).host}`))
  })

  it("contain only the self-hosted server if one is configured", () => {
    expect(GitHub({ enterprise: { baseUrl: "https://github.example.com" } }).apiOrigins).toEqual([
      "https://github.example.com",
    ])
    expect(GitHub({ enterprise: { baseUrl: "https://acme.ghe.com" } }).apiOrigins).toEqual(["https://api.acme.ghe.com"])
    expect(GitLab({ baseUrl: "https://example.com/gitlab/" }).apiOrigins).toEqual(["https://example.com"])
  })
})
