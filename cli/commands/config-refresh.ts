import { existsSync } from 'node:fs'
import { readHistory } from '../../shared/engine/deployment/retention/history-and-versions.ts'
import { error } from '../../shared/errors/error.ts'
import { hasSecure, isContainer, toConfigTree } from '../../shared/programs/config/config-tree.ts'
import { openValue, withProjectDefaults } from '../../shared/programs/config/open-config.ts'
import { withEnvironmentConfig } from '../../shared/programs/environments/environment-config.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { deploymentPartsOf, type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { backUpFile } from '../config/back-up-file.ts'
import { maskedConfigText, readDeployedConfig } from '../config/deployed-config.ts'
import type { CliSession } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/** Maximum number of deployments that the search for a configuration reads. */
const deploymentsMax = 50

/**
 * `config refresh`: restores the configuration of the most recent deployment in the stack file. The
 * records have no secret values: those of the file stay, and a warning names missing ones. The
 * previous file is kept as `<file>.bak`, except with --force.
 */
export const refreshConfig: Handler = async (session, flags) => {
  const project = session.requireProject()
  const id = await session.requireStack()
  const deployed = await findDeployedConfig(session, id)
  if (deployed === undefined)
    throw error('CONFIG_MISSING', 'no deployment with a recorded configuration exists', {
      hint: 'Deploy the stack first. Records are kept for 30 days, unless ANTICHAIN_KEEP_RECORDS_DAYS is set.',
    })
  const file = openStackFile(session, project, { stack: id, file: flags.text('configFile') })
  const missing = applyDeployedConfig(project, file, deployed)
  for (const key of missing)
    session.printToStderr(
      `warning: '${key}' is a secret, so set it again: antichain config set --secret ${key}`,
    )
  if (existsSync(file.file) && !flags.isSet('force')) {
    const backup = backUpFile(file.file)
    session.printToStderr(`Kept the previous file as ${backup}`)
  }
  writeStackConfig(file)
  session.print(`Refreshed configuration for stack '${stackPartsOf(id).stack}'`)
  return 0
}

/** Returns the configuration of the newest deployment that has recorded one. */
async function findDeployedConfig(
  session: CliSession,
  id: StackId,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { platform } = await session.openEngine()
  let count = 0
  for await (const { deployment } of readHistory(platform.catalog, id)) {
    const config = await readDeployedConfig(session, id, deploymentPartsOf(deployment).number)
    if (config !== undefined) return config
    count += 1
    if (count >= deploymentsMax) return undefined
  }
  return undefined
}

/**
 * Gives a file the values of the deployed configuration, and removes its other keys. Defaults of
 * the project and values of the environment stay where they are. Secrets have no deployed value, so
 * the file keeps its own. Returns the keys of secrets that the file does not have as secrets.
 */
function applyDeployedConfig(
  project: Project,
  file: StackConfig,
  deployed: Readonly<Record<string, string>>,
): readonly string[] {
  const missing: string[] = []
  const environment = file.readEnvironment(project.root)
  // Only the presence of secrets matters here, so nothing is encrypted.
  const options = { project: project.name, encrypt: (text: string) => text }
  const values = withProjectDefaults(
    project,
    withEnvironmentConfig(file.getValues(), environment, options),
  ).values
  for (const [key, text] of Object.entries(deployed)) {
    const value = values.get(key)
    const isSecret = value !== undefined && hasSecure(value)
    if (text === maskedConfigText) {
      if (!isSecret) missing.push(key)
    } else if (isSecret || value === undefined || textOf(value) !== text) file.set(key, parse(text))
  }
  for (const key of file.getValues().keys()) if (!Object.hasOwn(deployed, key)) file.remove(key)
  return missing
}

function textOf(value: Parameters<typeof openValue>[0]): string {
  return openValue(value, text => text).text
}

/** Returns a map or list for its JSON text, and otherwise the text. */
function parse(text: string): Parameters<StackConfig['set']>[1] {
  if (!/^[[{]/.test(text)) return text
  try {
    const tree = toConfigTree(JSON.parse(text))
    return isContainer(tree) ? tree : text
  } catch {
    // A text may begin like JSON.
    return text
  }
}
