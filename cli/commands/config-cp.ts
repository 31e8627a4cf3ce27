import { createError } from '../../shared/errors/error.ts'
import { getTreeAt, withTreeAt } from '../../shared/programs/config/config-path.ts'
import { type ConfigTree, toStoredConfigValue } from '../../shared/programs/config/config-tree.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Handler } from '../arguments/handler.ts'
import { type ConfigEditKey, parseConfigEditKey } from '../config/edit-config.ts'
import { openResealer } from '../config/reseal-config.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/**
 * `config cp [key] --dest <stack>`: copies one value or all values to the file of another stack.
 * Secrets are encrypted again with the key of that stack. After an error no file is changed.
 */
export const copyConfig: Handler = async (session, flags, [name]) => {
  const destName = flags.text('dest')
  if (destName === undefined)
    throw createError('CLI_USAGE', '--dest is required', { hint: 'Pass the stack to copy to.' })
  const project = session.requireProject()
  const source = await session.requireStack()
  const dest = await session.requireStack(destName)
  if (source === dest) throw createError('CLI_USAGE', 'source and destination are the same stack')
  const sourceFile = openStackFile(session, project, {
    stack: source,
    file: flags.text('configFile'),
  })
  const destFile = openStackFile(session, project, { stack: dest })
  const key =
    name === undefined ? undefined : parseConfigEditKey(name, project.name, flags.isSet('path'))
  const values = selectValues(sourceFile, key)
  if (key !== undefined && values.length === 0)
    throw createError('CONFIG_MISSING', `the configuration value '${name}' does not exist`)
  const from = { id: source, file: sourceFile }
  const reseal = await openResealer(session, values, { from, to: { id: dest, file: destFile } })
  for (const [fullKey, tree] of values) {
    const copy = reseal(tree)
    if (key === undefined || key.path.length === 1) destFile.set(fullKey, toStoredConfigValue(copy))
    else destFile.set(fullKey, withTreeAt(destFile.getValues().get(fullKey), key.path, copy))
  }
  writeStackConfig(destFile)
  return 0
}

/**
 * Returns the values to copy, each with its key. With a path, the value is the one at that path.
 */
function selectValues(
  file: StackConfig,
  key: ConfigEditKey | undefined,
): readonly (readonly [string, ConfigTree])[] {
  if (key === undefined) return [...file.getValues()]
  const tree = getTreeAt(file.getValues().get(key.fullKey), key.path.slice(1))
  return tree === undefined ? [] : [[key.fullKey, tree]]
}
