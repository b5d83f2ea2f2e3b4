type Numbers = readonly [major: number, minor: number, patch: number]

function parse(version: string): Numbers {
  const [, major = "0", minor = "0", patch = "0"] = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? []
  return [Number(major), Number(minor), Number(patch)]
}

function compare(a: Numbers, b: Numbers): number {
  const [major, minor, patch] = a.map((part, i) => part - (b[i] ?? 0))
  return major || minor || patch || 0
}

/** The first version that `^` no longer allows: the leftmost non-zero number may not change. */
function upperBound([major, minor, patch]: Numbers): Numbers {
  if (major > 0) return [major + 1, 0, 0]
  return minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1]
}

/** True if a version satisfies a range in the syntax of our package.json: `^1.2.0 || >=3`. */
export function satisfies(version: string, range: string): boolean {
  const seen = parse(version)
  return range.split("||").some((part) => {
    const least = parse(part)
    if (compare(seen, least) < 0) return false
    return part.trim().startsWith(">=") || compare(seen, upperBound(least)) < 0
  })
}
