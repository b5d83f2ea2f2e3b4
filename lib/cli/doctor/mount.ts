import { type Check, fail, ok, skip } from "./finding.js"

/** Checks whether the loaded application serves the sign-in at the address of its links. */
export const checkMount: Check = {
  group: "Address",
  code: "mount-mismatch",
  run({ mounted, env, resolved }) {
    if (!mounted) return []
    if ("base" in mounted)
      return [ok("mount-mismatch", new URL(mounted.base).pathname, "the sign-in answers at this path")]
    if (resolved.basePath === undefined)
      return [
        skip("mount-mismatch", "basePath", "the path of the sign-in is unknown: pass it with --url, or set basePath"),
      ]
    const [tried] = mounted.tried
    if (!tried || tried.status >= 500)
      return [
        skip("mount-mismatch", "authMiddleware", `the application answered with status ${tried?.status ?? "none"}`),
      ]
    return [
      fail(
        "mount-mismatch",
        env["AUTH_URL"] ? "AUTH_URL" : "basePath",
        "the sign-in does not answer where its links lead",
        {
          seen: `${new URL(tried.url).pathname} answered with status ${tried.status}`,
          fix: "mount it without a path: app.use(authMiddleware(config)), or set AUTH_URL with the path at which it is mounted",
        },
      ),
    ]
  },
}
