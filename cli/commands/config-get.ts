import { error } from '../../shared/errors/error.ts'
import { openValue, withProjectDefaults } from '../../shared/programs/config.ts'
import { hasSecure } from '../../shared/programs/config-tree.ts'
import type { Handler } from '../attach.ts'
import { readKey, valueAt } from '../config-edit.ts'
import { configJson } from '../config-view.ts'
import { openStackFile, stackManager } from '../stack-secrets.ts'

/**
 * `config get`: one value, opened when it is secret; the project's default where the stack has
 * none.
 */
export const configGet: Handler = async (session, flags, [name = '']) => {
  const project = session.project()
  const key = readKey(name, project.name, flags.is('path'))
  const stack = await session.existingStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const { values } = withProjectDefaults(project, file.values())
  const value = valueAt(values, key)
  if (value === undefined)
    throw error('CONFIG_MISSING', `there is no configuration value '${name}'`)
  const manager = hasSecure(value) ? await stackManager(session, stack, file) : undefined
  const open = openValue(value, text => manager?.crypter.decrypt(text) ?? text)
  session.print(flags.is('json') ? JSON.stringify(configJson(open, true), null, 2) : open.text)
  return 0
}
