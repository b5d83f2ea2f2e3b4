import { readFileSync } from "node:fs"
import type { DoctorContext } from "../../../../lib/cli/doctor/check.js"
import { checkPackages, PEERS, peerFinding, satisfies } from "../../../../lib/cli/doctor/packages.js"
import { resolveConfig } from "../../../../lib/config/resolve.js"
import type { AuthConfig } from "../../../../lib/types.js"

describe("satisfies and peerFinding", () => {
  it.each([
    ["8.0.3", "^8.0.0 || ^10.0.0", true],
    ["9.1.0", "^8.0.0 || ^10.0.0", false],
    ["10.6.0", "^8.0.0 || ^10.0.0", true],
    ["4.17.3", "^4.18.0 || ^5.0.0", false],
    ["0.28.18", "^0.28.0", true],
    ["0.29.0", "^0.28.0", false],
    ["12.11.1", ">=11.0.0", true],
    ["10.9.9", ">=11.0.0", false],
    ["20.18.1", ">=20.19", false],
    ["22.0.0", ">=20.19", true],
    ["5.0.0-beta.1", "^5.0.0", true],
  ])("satisfies(%j, %j) is %s", (version, range, expected) => expect(satisfies(version, range)).toBe(expected))

  it("peerFinding reports an outdated or missing package with the command that installs it", () => {
    const peer = { feature: "passkeys" }
    expect(peerFinding("a", "^2.0.0", peer, "1.0.0")).toMatchObject([
      {
        level: "error",
        code: "package-outdated",
        seen: "1.0.0; ^2.0.0 is required by passkeys",
        fix: 'npm install "a@^2.0.0"',
      },
    ])
    expect(peerFinding("a", "^2.0.0", peer, undefined)).toMatchObject([{ code: "package-missing" }])
    expect(peerFinding("a", "^2.0.0", { ...peer, isAlternative: true }, undefined)).toEqual([])
  })
})

describe("checkPackages", () => {
  const checkedWith = (config: Partial<AuthConfig>) => {
    const resolved = resolveConfig({ providers: [], ...config }, {})
    return checkPackages({ resolved } as DoctorContext).map(({ subject }) => subject)
  }

  it("knows every peer dependency of package.json", () => {
    const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(Object.keys(PEERS).sort()).toEqual(Object.keys(peerDependencies).sort())
  })

  it("checks the packages of the second factor only if it is configured", () => {
    expect(checkedWith({ secondFactor: {} })).toEqual(expect.arrayContaining(["otplib", "uqr"]))
    expect(checkedWith({})).toEqual(["Node.js", "express"])
  })
})
