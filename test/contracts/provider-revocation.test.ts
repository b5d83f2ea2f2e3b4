/** The documented revocation endpoints of vendors whose metadata does not contain them. */
import GitLab from "../../lib/providers/gitlab.js"
import Mastodon from "../../lib/providers/mastodon.js"
import { loadFactory } from "./support/factories.js"

describe("revocation", () => {
  it.each([
    ["box", "https://api.box.com/oauth2/revoke"],
    ["discord", "https://discord.com/api/oauth2/token/revoke"],
    ["epic-games", "https://api.epicgames.dev/epic/oauth/v2/revoke"],
    ["eveonline", "https://login.eveonline.com/v2/oauth/revoke"],
    ["gitlab", "https://gitlab.com/oauth/revoke"],
    ["pipedrive", "https://oauth.pipedrive.com/oauth/revoke"],
    ["reddit", "https://www.reddit.com/api/v1/revoke_token"],
    ["twitch", "https://id.twitch.tv/oauth2/revoke"],
    ["twitter", "https://api.x.com/2/oauth2/revoke"],
    ["zoom", "https://zoom.us/oauth/revoke"],
  ])("of %s is %s", async (file, url) => {
    expect((await loadFactory(file))({})).toMatchObject({ revocation: url })
  })

  it("is at the self-hosted server if one is configured", () => {
    expect(GitLab({ baseUrl: "https://example.com/gitlab/" }).revocation).toBe(
      "https://example.com/gitlab/oauth/revoke",
    )
    expect(Mastodon({ issuer: "https://social.example.com" }).revocation).toBe(
      "https://social.example.com/oauth/revoke",
    )
  })
})
