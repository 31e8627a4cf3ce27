import { compareConfigKeys } from '../../shared/programs/config-key.ts'
import { type ConfigValue, openValue, withProjectDefaults } from '../../shared/programs/config.ts'
import { hasSecure } from '../../shared/programs/config-tree.ts'
import type { Handler } from '../attach.ts'
import { configJson } from '../config-view.ts'
import { openStackFile, stackManager } from '../stack-secrets.ts'
import { tableOf } from '../table.ts'

/** `config`, `config ls`: all values, those of the project included; secrets only on request. */
export const configLs: Handler = async (session, flags) => {
  const project = session.project()
  const stack = await session.existingStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const { values } = withProjectDefaults(project, file.values())
  const showSecrets = flags.is('showSecrets')
  const manager =
    showSecrets && [...values.values()].some(hasSecure)
      ? await stackManager(session, stack, file)
      : undefined
  const open = (text: string): string => manager?.crypter.decrypt(text) ?? '[secret]'
  const shown = [...values]
    .toSorted(([left], [right]) => compareConfigKeys(left, right))
    .map(([key, value]): readonly [string, ConfigValue] => [key, openValue(value, open)])
  if (flags.is('json')) {
    const json = shown.map(([key, value]) => [key, configJson(value, showSecrets)])
    session.print(JSON.stringify(Object.fromEntries(json), null, 2))
    return 0
  }
  const own = `${project.name}:`
  const rows = shown.map(([key, value]) => [
    key.startsWith(own) ? key.slice(own.length) : key,
    value.text,
  ])
  for (const line of tableOf(['KEY', 'VALUE'], rows)) session.print(line)
  return 0
}
