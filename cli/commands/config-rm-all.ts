import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseConfigEditKey, removeConfigValue } from '../config/edit-config.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/** `config rm-all`: removes values of the stack. Missing values are ignored. */
export const removeAllConfig: Handler = async (session, flags, names) => {
  const project = session.requireProject()
  const keys = names.map(name => parseConfigEditKey(name, project.name, flags.isSet('path')))
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const removals = keys.map(key => removeConfigValue(file, key))
  if (removals.includes(true)) writeStackConfig(file)
  return 0
}
