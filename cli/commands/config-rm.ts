import { writeStackConfig } from '../../shared/programs/stack-config.ts'
import type { Handler } from '../attach.ts'
import { readKey, removeConfigValue } from '../config-edit.ts'
import { openStackFile } from '../stack-secrets.ts'

/** `config rm`: removes a value of the stack; without one there is nothing to do. */
export const configRm: Handler = async (session, flags, [name = '']) => {
  const project = session.project()
  const key = readKey(name, project.name, flags.is('path'))
  const stack = await session.existingStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  if (removeConfigValue(file, key)) writeStackConfig(file)
  return 0
}
