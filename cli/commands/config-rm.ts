import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseConfigEditKey, removeConfigValue } from '../config/edit-config.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/** `config rm`: removes a value of the stack. A missing value is ignored. */
export const removeConfig: Handler = async (session, flags, [name = '']) => {
  const project = session.requireProject()
  const key = parseConfigEditKey(name, project.name, flags.isSet('path'))
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  if (removeConfigValue(file, key)) writeStackConfig(file)
  return 0
}
