import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { arePinned } from "./cores.mjs"

const REPOSITORYS = ["express", "@auth/express", "@auth/core"]

const read = (path) => {
  try {
    return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"))
  } catch {
    return {}
  }
}

const versionsIn = (folder, names) =>
  names.flatMap((name) => {
    const { version } = read(`${folder}/${name}/package.json`)
    return version ? [`${name} ${version}`] : []
  })

/** The date, the machine and the versions of a measurement. */
export function conditions() {
  const peers = Object.keys(read("../package.json").dependencies)
  const versions = [...versionsIn("../../node_modules", REPOSITORYS), ...versionsIn("../node_modules", peers)]
  const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}`
  const placed = arePinned ? "server and load on separate cores" : "server and load on any core"
  const date = new Date().toISOString().slice(0, 10)
  return `${date}, Node ${process.versions.node}, ${machine}, ${placed}.\n${versions.join(", ")}.`
}
