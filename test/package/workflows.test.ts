import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = ".github/workflows"
const FILES = readdirSync(FOLDER)

const textOf = (file: string) => readFileSync(join(FOLDER, file), "utf8").replace(/^\s*#.*\n/gm, "")

/** What stands under a key, by indentation, up to the next line that stands as far out. */
function blockOf(text: string, key: string, indent = ""): string {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => line === `${indent}${key}:` || line.startsWith(`${indent}${key}: `))
  if (start < 0) return ""
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.trim() !== "" && !line.startsWith(`${indent} `))
  return [lines[start], ...(end < 0 ? rest : rest.slice(0, end))].join("\n")
}

/** Jobs by name. */
function jobsOf(text: string): Map<string, string> {
  const jobs = blockOf(text, "jobs")
  const names = [...jobs.matchAll(/^ {2}([\w-]+):$/gm)].map(({ 1: name = "" }) => name)
  return new Map(names.map((name) => [name, blockOf(jobs, name, "  ")]))
}

/** What each job may do, sorted. */
const permissionsOf = (job: string): string[] =>
  [...blockOf(job, "permissions", "    ").matchAll(/^ {6}([\w-]+: \w+)$/gm)].map(({ 1: line = "" }) => line).sort()

/** Each job with what it may do; a job that is not named here may exist in no workflow. */
const MAY: Readonly<Record<string, string[]>> = {
  "ci.yml everything": ["contents: read"],
  "nightly.yml long": ["contents: read"],
  "nightly.yml links": ["contents: read"],
  "build.yml build": ["attestations: write", "contents: read", "id-token: write"],
  "release.yml ci": ["contents: read"],
  "release.yml build": ["attestations: write", "contents: read", "id-token: write"],
  "release.yml npm": ["id-token: write"],
  "release.yml github": ["contents: write"],
}

it("there are workflows to look at", () => {
  expect(FILES.sort()).toEqual(["build.yml", "ci.yml", "nightly.yml", "release.yml"])
})

it("every job may do what it needs, and no more", () => {
  const found = FILES.flatMap((file) =>
    [...jobsOf(textOf(file))].map(([name, job]) => [`${file} ${name}`, permissionsOf(job)] as const),
  )
  expect(Object.fromEntries(found)).toEqual(MAY)
})

describe.each(FILES)("%s", (file) => {
  const text = textOf(file)

  it("gives nothing by default", () => {
    expect(text).toMatch(/^permissions: \{\}$/m)
    expect(text).not.toMatch(/(?:write|read)-all/)
  })

  it("names each action by its commit, and says which version that is", () => {
    const uses = [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(({ 1: action = "" }) => action)
    const isPinned = (action: string) =>
      /^[\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action) ||
      /^\.\/\.github\/workflows\/[\w-]+\.yml$/.test(action)
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !isPinned(action))).toEqual([])
  })

  it("knows no secret, and leaves no token behind in a checkout", () => {
    expect(text).not.toMatch(/secrets\.|NPM_TOKEN|_authToken/)
    const checkouts = text.match(/uses: actions\/checkout@/g) ?? []
    expect(text.match(/persist-credentials: false/g) ?? []).toHaveLength(checkouts.length)
  })

  it("does not run with the repository's rights what a stranger sent", () => {
    expect(text).not.toMatch(/pull_request_target|workflow_run|issue_comment/)
  })

  it("puts no text of an event into a command", () => {
    // ${{ … }} is put in before the shell reads the line: a branch's name could be a command.
    const commands = [...text.matchAll(/^ {6}(?:- | {2})run: (.*(?:\n {10,}.*)*)/gm)].map(
      ({ 1: command = "" }) => command,
    )
    expect(commands.length).toBe(text.match(/\brun: /g)?.length ?? 0)
    expect(commands.filter((command) => command.includes("${{"))).toEqual([])
  })

  it("ends by itself", () => {
    const own = [...jobsOf(text).values()].filter((job) => !/^ {4}uses: /m.test(job))
    expect(own.filter((job) => !/^ {4}timeout-minutes: \d+$/m.test(job))).toEqual([])
  })
})

describe("a release", () => {
  const jobs = jobsOf(textOf("release.yml"))

  it("goes out when everything has passed, from the package that was built and attested", () => {
    expect(jobs.get("npm")).toContain("needs: [ci, build]")
    expect(jobs.get("npm")).toMatch(/run: npm publish \.\/release\/\*\.tgz --provenance .*--ignore-scripts/)
    expect(jobs.get("npm")).toContain("environment: npm")
    expect(jobs.get("github")).toContain("needs: npm")
  })

  it("runs nothing of the repository where it may publish", () => {
    expect(jobs.get("npm")).not.toMatch(/actions\/checkout|npm (?:ci|install|run)/)
  })

  it("is built without a cache, and without running what dependencies bring", () => {
    const build = textOf("build.yml")
    expect(build).toContain("npm install --ignore-scripts")
    expect(build).not.toMatch(/\bcache:/)
    for (const step of [
      "npm run check:reproducible -- --out release",
      "npm run sbom -- release/",
      "npm audit signatures",
    ])
      expect(build).toContain(step)
  })
})

it("continuous integration is the one that everybody has", () => {
  expect(textOf("ci.yml")).toMatch(/^ {6}- run: \.ci\/run$/m)
})
