import { existsSync } from 'node:fs'
import { readHistory } from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import { createError } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import {
  type ConfigTree,
  formatLargeIntegers,
  hasSecure,
  isContainer,
  replaceSecure,
  parseConfigTree,
  type StoredConfigValue,
  toStoredConfigValue,
} from '../../shared/programs/config/config-tree.ts'
import { openConfigValue, withProjectDefaults } from '../../shared/programs/config/open-config.ts'
import { withEnvironmentConfig } from '../../shared/programs/environments/environment-config.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { deploymentPartsOf, type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { backUpFile } from '../config/back-up-file.ts'
import {
  describeRecordedConfig,
  maskedConfigText,
  readDeployedConfig,
} from '../config/deployed-config.ts'
import { openRecordedSecrets, type RecordedSecrets } from '../config/recorded-secrets.ts'
import type { CliSession } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/** Maximum number of deployments that the search for a configuration reads. */
const deploymentsMax = 50

/**
 * `config refresh`: restores the stack file with the configuration of the most recent deployment. A
 * secret is restored if the history has it and its secrets provider is the current one. Otherwise
 * the secret of the file stays. If the file does not have the secret either, a warning names its
 * key. The previous file is kept as `<file>.bak`, except with --force.
 */
export const refreshConfig: Handler = async (session, flags) => {
  const project = session.requireProject()
  const id = await session.requireStack()
  const deployed = await findDeployedConfig(session, id)
  if (deployed === undefined)
    throw createError('CONFIG_MISSING', 'no deployment with a recorded configuration exists', {
      hint: 'Deploy the stack first. Records are kept for 30 days, unless ANTICHAIN_KEEP_RECORDS_DAYS is set.',
    })
  const file = openStackFile(session, project, { stack: id, file: flags.text('configFile') })
  if (existsSync(file.path) && !flags.isSet('force')) {
    const backup = backUpFile(file.path)
    session.printToStderr(`Kept the previous file as ${backup}`)
  }
  const secrets = await openRecordedSecrets(session, id, { file, config: deployed.recorded })
  const missingKeys = applyDeployedConfig(project, file, { texts: deployed.texts, secrets })
  for (const key of missingKeys)
    session.printToStderr(
      `warning: '${key}' is a secret that could not be restored. Set it again: antichain config set --secret ${key}`,
    )
  writeStackConfig(file)
  session.print(`Refreshed configuration for stack '${stackPartsOf(id).stack}'`)
  return 0
}

/** The configuration of a deployment. */
interface DeploymentConfig {
  /** The texts of the values, with masked secrets. */
  readonly texts: Readonly<Record<string, string>>
  /** The configuration in the history, with encrypted secrets. Absent for some deployments. */
  readonly recorded?: NonNullable<HistoryRecord['config']>
}

/** Returns the configuration of the newest deployment that has recorded one. */
async function findDeployedConfig(
  session: CliSession,
  id: StackId,
): Promise<DeploymentConfig | undefined> {
  const { platform } = await session.openEngine()
  let count = 0
  for await (const { deployment, config: recorded } of readHistory(platform.catalog, id)) {
    // An entry of a backend has an empty configuration if its client did not record one.
    if (recorded !== undefined && Object.keys(recorded).length > 0)
      return { recorded, texts: describeRecordedConfig(recorded) }
    const texts = await readDeployedConfig(session, id, deploymentPartsOf(deployment).number)
    if (texts !== undefined) return { texts }
    count += 1
    if (count >= deploymentsMax) return undefined
  }
  return undefined
}

/**
 * Gives a file the values of the deployed configuration, and removes its other keys. Defaults of
 * the project and values of the environment stay where they are, and so does a secret that equals
 * the deployed one. Returns the keys of secrets that neither the file nor the history has.
 */
function applyDeployedConfig(
  project: Project,
  file: StackConfig,
  {
    texts,
    secrets,
  }: Pick<DeploymentConfig, 'texts'> & { readonly secrets: RecordedSecrets | undefined },
): readonly string[] {
  const missingKeys: string[] = []
  const environment = file.readEnvironment(project.root)
  // Without recorded secrets, only the presence of a secret matters, so nothing is encrypted.
  const { encrypt, decrypt } = secrets?.crypter ?? { encrypt: keepText, decrypt: keepText }
  const options = { project: project.name, encrypt }
  const values = withProjectDefaults(
    project,
    withEnvironmentConfig(file.getValues(), environment, options),
  ).values
  for (const [key, text] of Object.entries(texts)) {
    const value = values.get(key)
    const isSecret = value !== undefined && hasSecure(value)
    const secret = secrets?.values.get(key)
    if (secret !== undefined) {
      const isEqual = isSecret && recordedTextOf(value, decrypt) === textOf(secret)
      if (!isEqual) file.set(key, toStoredConfigValue(encryptTree(secret, encrypt)))
    } else if (text === maskedConfigText) {
      if (!isSecret) missingKeys.push(key)
    } else if (isSecret || value === undefined || !isRecordedAs(value, text))
      file.set(key, parseValue(text))
  }
  for (const key of file.getValues().keys()) if (!Object.hasOwn(texts, key)) file.remove(key)
  return missingKeys
}

function encryptTree(tree: ConfigTree, encrypt: (text: string) => string): ConfigTree {
  return replaceSecure(tree, text => ({ kind: 'secure', ciphertext: encrypt(text) }))
}

function keepText(text: string): string {
  return text
}

function textOf(value: ConfigTree): string {
  return openConfigValue(toStoredConfigValue(value), keepText).text
}

/** Reports whether a value without secrets is recorded as `text`, in the events or the history. */
function isRecordedAs(value: StoredConfigValue, text: string): boolean {
  return [textOf(value), recordedTextOf(value, keepText)].includes(text)
}

/** Returns the text of a value as the history records it. */
function recordedTextOf(value: StoredConfigValue, decrypt: (text: string) => string): string {
  return openConfigValue(toStoredConfigValue(formatLargeIntegers(value)), decrypt).text
}

/** Returns the map or list of a JSON text. Returns any other text unchanged. */
function parseValue(text: string): Parameters<StackConfig['set']>[1] {
  if (!/^[[{]/.test(text)) return text
  const tree = parseConfigTree(text)
  return isContainer(tree) ? tree : text
}
