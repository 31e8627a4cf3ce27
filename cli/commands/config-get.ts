import { createError } from '../../shared/errors/error.ts'
import {
  openConfigValue,
  withConfigKey,
  withProjectDefaults,
} from '../../shared/programs/config/open-config.ts'
import { hasSecure } from '../../shared/programs/config/config-tree.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseConfigEditKey, findConfigValue } from '../config/edit-config.ts'
import { toConfigJson } from '../config/config-json.ts'
import { openStackFile, openStackManager } from '../stack/stack-secrets.ts'

/**
 * `config get`: prints one value, decrypted if it is secret. Without a value in the stack it prints
 * the default of the project.
 */
export const getConfig: Handler = async (session, flags, [name = '']) => {
  const project = session.requireProject()
  const key = parseConfigEditKey(name, project.name, flags.isSet('path'))
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const { values } = withProjectDefaults(project, file.getValues())
  const value = findConfigValue(values, key)
  if (value === undefined)
    throw createError('CONFIG_MISSING', `the configuration value '${name}' does not exist`)
  const manager = hasSecure(value) ? await openStackManager(session, stack, file) : undefined
  const decrypt = (text: string): string => manager?.crypter.decrypt(text) ?? text
  const openedValue = openConfigValue(value, withConfigKey(decrypt, name))
  session.print(
    flags.isSet('json')
      ? JSON.stringify(toConfigJson(openedValue, true), null, 2)
      : openedValue.text,
  )
  return 0
}
