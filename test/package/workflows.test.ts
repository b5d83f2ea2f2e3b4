import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const FOLDER = ".github/workflows"
const FILES = readdirSync(FOLDER)

const textOf = (file: string) => readFileSync(join(FOLDER, file), "utf8").replace(/^\s*#.*\n/gm, "")

/** The block of a YAML key, determined by indentation. */
function blockOf(text: string, key: string, indent = ""): string {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => line === `${indent}${key}:` || line.startsWith(`${indent}${key}: `))
  if (start < 0) return ""
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.trim() !== "" && !line.startsWith(`${indent} `))
  return [lines[start], ...(end < 0 ? rest : rest.slice(0, end))].join("\n")
}

/** The jobs by name. */
function jobsOf(text: string): Map<string, string> {
  const jobs = blockOf(text, "jobs")
  const names = [...jobs.matchAll(/^ {2}([\w-]+):$/gm)].map(({ 1: name = "" }) => name)
  return new Map(names.map((name) => [name, blockOf(jobs, name, "  ")]))
}

/** The sorted permissions of a job. */
const permissionsOf = (job: string): string[] =>
  [...blockOf(job, "permissions", "    ").matchAll(/^ {6}([\w-]+: \w+)$/gm)].map(({ 1: line = "" }) => line).sort()

/** The permissions of every job. Other jobs are not allowed. */
const PERMISSIONS: Readonly<Record<string, string[]>> = {
  "ci.yml everything": ["contents: read"],
  "nightly.yml long": ["contents: read"],
  "nightly.yml links": ["contents: read"],
  "build.yml build": ["attestations: write", "contents: read", "id-token: write"],
  "release.yml ci": ["contents: read"],
  "release.yml build": ["attestations: write", "contents: read", "id-token: write"],
  "release.yml npm": ["id-token: write"],
  "release.yml github": ["contents: write"],
}

it("the workflows are these four", () => {
  expect(FILES.sort()).toEqual(["build.yml", "ci.yml", "nightly.yml", "release.yml"])
})

it("every job has exactly its required permissions", () => {
  const found = FILES.flatMap((file) =>
    [...jobsOf(textOf(file))].map(([name, job]) => [`${file} ${name}`, permissionsOf(job)] as const),
  )
  expect(Object.fromEntries(found)).toEqual(PERMISSIONS)
})

describe.each(FILES)("%s", (file) => {
  const text = textOf(file)

  it("grants no permissions by default", () => {
    expect(text).toMatch(/^permissions: \{\}$/m)
    expect(text).not.toMatch(/(?:write|read)-all/)
  })

  it("pins each action to a commit and names its version", () => {
    const uses = [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(({ 1: action = "" }) => action)
    const isPinned = (action: string) =>
      /^[\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action) ||
      /^\.\/\.github\/workflows\/[\w-]+\.yml$/.test(action)
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !isPinned(action))).toEqual([])
  })

  it("uses no secrets, and keeps no token in a checkout", () => {
    expect(text).not.toMatch(/secrets\.|NPM_TOKEN|_authToken/)
    const checkouts = text.match(/uses: actions\/checkout@/g) ?? []
    expect(text.match(/persist-credentials: false/g) ?? []).toHaveLength(checkouts.length)
  })

  it("has no trigger that runs untrusted code with the repository's permissions", () => {
    expect(text).not.toMatch(/pull_request_target|workflow_run|issue_comment/)
  })

  it("uses no expression inside a command", () => {
    // ${{ … }} is expanded before the shell parses the line, so a branch name could inject a command.
    const commands = [...text.matchAll(/^ {6}(?:- | {2})run: (.*(?:\n {10,}.*)*)/gm)].map(
      ({ 1: command = "" }) => command,
    )
    expect(commands.length).toBe(text.match(/\brun: /g)?.length ?? 0)
    expect(commands.filter((command) => command.includes("${{"))).toEqual([])
  })

  it("sets a timeout for each job", () => {
    const own = [...jobsOf(text).values()].filter((job) => !/^ {4}uses: /m.test(job))
    expect(own.filter((job) => !/^ {4}timeout-minutes: \d+$/m.test(job))).toEqual([])
  })
})

describe("the release workflow", () => {
  const jobs = jobsOf(textOf("release.yml"))

  it("publishes the attested package after all checks", () => {
    expect(jobs.get("npm")).toContain("needs: [ci, build]")
    expect(jobs.get("npm")).toMatch(/run: npm publish \.\/release\/\*\.tgz --provenance .*--ignore-scripts/)
    expect(jobs.get("npm")).toContain("environment: npm")
    expect(jobs.get("github")).toContain("needs: npm")
  })

  it("runs no repository code in the publishing job", () => {
    expect(jobs.get("npm")).not.toMatch(/actions\/checkout|npm (?:ci|install|run)/)
  })

  it("builds without a cache and without install scripts", () => {
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

it("a release sets the repository in its package.json", () => {
  // A repository with one small package.
  const folder = mkdtempSync(join(tmpdir(), "latchkey-release-"))
  const within = (path: string) => join(folder, path)
  for (const part of ["scripts", "node_modules"]) mkdirSync(within(part))
  copyFileSync("scripts/reproducible.mjs", within("scripts/reproducible.mjs"))
  const scripts = { "check:reproducible": "node scripts/reproducible.mjs" }
  writeFileSync(within("package.json"), JSON.stringify({ name: "small", version: "1.0.0", scripts }))
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: folder })
  git("init", "-q")
  git("add", "package.json", "scripts")
  git("commit", "-qm", "one")
  const env = { ...process.env, GITHUB_REPOSITORY: "someone/latchkey", GITHUB_SERVER_URL: "https://git.example" }
  // The command of build.yml.
  execFileSync("npm", ["run", "check:reproducible", "--", "--out", "release"], { cwd: folder, env, stdio: "ignore" })
  const archive = within("release/small-1.0.0.tgz")
  const packed = execFileSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" })
  rmSync(folder, { recursive: true })
  expect(JSON.parse(packed).repository).toEqual({ type: "git", url: "git+https://git.example/someone/latchkey.git" })
}, 60_000)

it("build.yml reads only existing fields of package.json", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"))
  const fields = [...textOf("build.yml").matchAll(/require\("\.\/package\.json"\)\.(\w+)/g)].map(
    ({ 1: field = "" }) => field,
  )
  expect(fields.length).toBeGreaterThan(0)
  expect(fields.filter((field) => !(field in manifest))).toEqual([])
})

it("the ci workflow runs .ci/run", () => {
  expect(textOf("ci.yml")).toMatch(/^ {6}- run: \.ci\/run$/m)
})
