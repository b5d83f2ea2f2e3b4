import { type Check, fail, ok, warn } from "./finding.js"

/** The problems and warnings that the application itself reports at start-up. */
export const checkConfiguration: Check = {
  group: "Configuration",
  code: "configuration-invalid",
  run({ problems, warnings }) {
    const found = [
      ...problems.map(({ code, path, seen, fix }) => fail(code, path, seen, { fix })),
      ...warnings.map(({ code, path, seen, fix }) => warn(code, path, seen, { fix })),
    ]
    return found.length > 0 ? found : [ok("configuration-invalid", "options", "all options are valid")]
  },
}
