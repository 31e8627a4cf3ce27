import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readUpdatePlan } from '../../shared/engine/update-plan/update-plan-file-format.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { draftImportFile } from '../import/draft-import-file.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Returns the text of the `--plan` file. Returns undefined if the option is absent. Throws
 * PLAN_INVALID.
 */
export function readUpdatePlanFile(
  session: Pick<CliSession, 'cwd'>,
  flags: Flags,
): string | undefined {
  const file = flags.text('plan')
  if (file === undefined) return undefined
  try {
    return readFileSync(resolve(session.cwd, file), 'utf8')
  } catch (cause) {
    throw createError('PLAN_INVALID', `cannot read the plan: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Returns the request, constrained by the update plan if there is one. Throws PLAN_INVALID for an
 * invalid update plan, before the deployment begins.
 */
export function withUpdatePlan(request: DeployInput, updatePlan: string | undefined): DeployInput {
  if (updatePlan === undefined) return request
  const { decrypt } = request.secrets.crypter
  readUpdatePlan(updatePlan, { ...stackPartsOf(request.stack), decrypt })
  return { ...request, updatePlan }
}

/** Writes the update plan of a preview to the file of `--save-plan`, if any. Throws CLI_USAGE. */
export function saveUpdatePlan(
  session: CliSession,
  flags: Flags,
  updatePlan: string | undefined,
): void {
  const file = flags.text('savePlan')
  if (file === undefined || updatePlan === undefined) return
  writeOutputFile(session, file, { name: 'plan', contents: updatePlan })
  if (isJsonOutput(flags)) return
  session.io.stdout.write(
    `Update plan written to '${file}'\n` +
      `Run \`antichain up --plan='${file}'\` to constrain the update to the operations planned by this preview\n`,
  )
}

/** Writes the creates of a preview to the file of `--import-file`, if any. Throws CLI_USAGE. */
export function saveImportFile(
  session: CliSession,
  flags: Flags,
  preview: Parameters<typeof draftImportFile>[0],
): void {
  const path = flags.text('importFile')
  if (path === undefined) return
  const { file, omittedProperties } = draftImportFile(preview)
  writeOutputFile(session, path, {
    name: 'import file',
    contents: `${JSON.stringify(file, null, 2)}\n`,
  })
  for (const { urn, properties } of omittedProperties)
    session.printToStderr(
      `The configuration of the provider ${urn} has secret or unknown values: add ${properties.join(', ')} to '${path}' before you import it.`,
    )
}

/** Writes a file that the user requested, relative to the working folder. Throws CLI_USAGE. */
function writeOutputFile(
  session: Pick<CliSession, 'cwd'>,
  path: string,
  { name, contents }: { readonly name: string; readonly contents: string },
): void {
  try {
    writeFileSync(resolve(session.cwd, path), contents)
  } catch (cause) {
    throw createError('CLI_USAGE', `cannot write the ${name}: ${messageOf(cause)}`, { cause })
  }
}
