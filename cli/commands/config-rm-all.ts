import { writeStackConfig } from '../../shared/programs/stack-config.ts'
import type { Handler } from '../attach.ts'
import { readKey, removeConfigValue } from '../config-edit.ts'
import { openStackFile } from '../stack-secrets.ts'

/** `config rm-all`: removes values of the stack; what is not there is nothing to do. */
export const configRmAll: Handler = async (session, flags, names) => {
  const project = session.project()
  const keys = names.map(name => readKey(name, project.name, flags.is('path')))
  const stack = await session.existingStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const removed = keys.map(key => removeConfigValue(file, key))
  if (removed.includes(true)) writeStackConfig(file)
  return 0
}
