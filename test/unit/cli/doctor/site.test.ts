import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { DoctorContext } from "../../../../lib/cli/doctor/check.js"
import { probeSite } from "../../../../lib/cli/doctor/site.js"
import { checkSite } from "../../../../lib/cli/doctor/site-checks.js"

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))))

/** Starts a server without a sign-in. `redirects` maps paths to the targets of redirects. */
async function startServer(redirects: Readonly<Record<string, string>>): Promise<string> {
  const listener: RequestListener = (req, res) => {
    const target = redirects[req.url ?? ""]
    res.writeHead(target === undefined ? 404 : 302, target === undefined ? {} : { location: target }).end()
  }
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe("a site without a sign-in", () => {
  it.each([
    ["mount-mismatch if nothing redirects", {}, "mount-mismatch"],
    ["site-redirects if the first base URL redirects", { "/auth/providers": "/login" }, "site-redirects"],
    ["site-redirects if only a later base URL redirects", { "/api/auth/providers": "/login" }, "site-redirects"],
    ["redirect-loop if the redirects do not end", { "/auth/providers": "/auth/providers" }, "redirect-loop"],
    ["redirect-loop for a later base URL too", { "/api/auth/providers": "/api/auth/providers" }, "redirect-loop"],
  ])("is reported as %s", async (_name, redirects, code) => {
    const url = await startServer(redirects)
    const site = await probeSite(url, undefined)
    const context = { site, options: { url }, resolved: {} } as unknown as DoctorContext
    expect(checkSite(context).map((finding) => finding.code)).toEqual([code])
  })
})
