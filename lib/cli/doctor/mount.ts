import { type Check, fail, ok, skip } from "./finding.js"

/** The application as it was loaded was asked where its sign-in is: is that where the links lead to? */
export const checkMount: Check = {
  group: "Address",
  code: "mount-mismatch",
  run({ mounted, env, resolved }) {
    if (!mounted) return []
    if ("base" in mounted) return [ok("mount-mismatch", new URL(mounted.base).pathname, "the sign-in answers there")]
    if (resolved.basePath === undefined)
      return [
        skip(
          "mount-mismatch",
          "basePath",
          "the sign-in is at a path of the application's: name it by --url, or in basePath",
        ),
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
        "the sign-in does not answer where its links lead to",
        {
          seen: `${new URL(tried.url).pathname} answered with status ${tried.status}`,
          write:
            "app.use(authMiddleware(config)), without a path before it; or AUTH_URL with the path that it is mounted at",
        },
      ),
    ]
  },
}
