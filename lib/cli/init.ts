import { readBaseUrl, readCatalogue } from "./catalogue.js"
import { type Call, defineCommand, type Result, UsageError } from "./command.js"
import { basePathFor, type Choices, hasSignInMethod, INIT_OPTIONS, type InitValues, toChoices } from "./init/choices.js"
import { installCommands } from "./init/packages.js"
import { createPlan, writeFiles } from "./init/plan.js"
import { type Project, readProject } from "./init/project.js"
import { toResult } from "./init/summary.js"
import { createSecret, listWarnings } from "./secret.js"

type InitCall = Call<typeof INIT_OPTIONS>

/**
 * Returns the values of the options. If they contain no sign-in method, asks the user for the missing values.
 *
 * @throws UsageError if a question is needed, but the command may not ask
 */
async function resolveValues({ values, terminal }: InitCall, project: Project): Promise<InitValues> {
  if (values.yes || hasSignInMethod(values)) return values
  if (!terminal.canAsk)
    throw new UsageError(
      "no sign-in method is given. Use --provider ID,ID, --email, --passkeys, --credentials or --dev; --yes selects --dev",
    )
  const { ask } = await import("./init/ask.js")
  return ask(values, project, readCatalogue())
}

function init(choices: Choices, project: Project, { values, terminal }: InitCall): Result {
  const isDryRun = values["dry-run"]
  const baseUrl = readBaseUrl(terminal, basePathFor(choices.framework))
  const secret = isDryRun ? "generated-when-written" : createSecret()
  const plan = createPlan(choices, project, { baseUrl, secret })
  if (!isDryRun) writeFiles(plan.files)
  const warnings = isDryRun ? [] : listWarnings(".env")
  return toResult({ choices, plan, baseUrl, install: installCommands(choices, project), isDryRun, warnings })
}

/** `npx latchkey init` */
export const initCommand = defineCommand({
  summary: "writes a configuration, an application and .env, and lists the next steps",
  about:
    "Writes auth.js and .env, and an application if the project has none. Lists the next steps: packages to install, redirect URIs to register, and the command to start.",
  more: "If the options contain no sign-in method, the command asks for the missing choices. No file is overwritten. Missing lines are added to .env and .gitignore.",
  options: INIT_OPTIONS,
  async run(call) {
    const project = readProject()
    const values = await resolveValues(call, project)
    return init(toChoices(values, project, readCatalogue()), project, call)
  },
})
