import { compareConfigKeys } from '../../shared/programs/config/config-key.ts'
import {
  type ConfigValue,
  openConfigValue,
  withConfigKey,
  withProjectDefaults,
} from '../../shared/programs/config/open-config.ts'
import { hasSecure } from '../../shared/programs/config/config-tree.ts'
import type { Handler } from '../arguments/handler.ts'
import { toConfigJson } from '../config/config-json.ts'
import { openStackFile, openStackManager } from '../stack/stack-secrets.ts'
import { formatTable } from '../display/table.ts'

/**
 * `config`, `config ls`: list all values, including the defaults of the project. Secrets are shown
 * only with --show-secrets.
 */
export const listConfig: Handler = async (session, flags) => {
  const project = session.requireProject()
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const { values } = withProjectDefaults(project, file.getValues())
  const showSecrets = flags.isSet('showSecrets')
  const manager =
    showSecrets && [...values.values()].some(hasSecure)
      ? await openStackManager(session, stack, file)
      : undefined
  const decrypt = (text: string): string => manager?.crypter.decrypt(text) ?? '[secret]'
  const openedValues = [...values]
    .toSorted(([left], [right]) => compareConfigKeys(left, right))
    .map(([key, value]): readonly [string, ConfigValue] => [
      key,
      openConfigValue(value, withConfigKey(decrypt, key)),
    ])
  if (flags.isSet('json')) {
    const json = openedValues.map(([key, value]) => [key, toConfigJson(value, showSecrets)])
    session.print(JSON.stringify(Object.fromEntries(json), null, 2))
    return 0
  }
  const projectPrefix = `${project.name}:`
  const rows = openedValues.map(([key, value]) => [
    key.startsWith(projectPrefix) ? key.slice(projectPrefix.length) : key,
    value.text,
  ])
  for (const line of formatTable(['KEY', 'VALUE'], rows)) session.print(line)
  return 0
}
