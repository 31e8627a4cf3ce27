import { createError } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { confirm } from '../session/session.ts'
import { removeStack } from '../stack/remove-stack.ts'

/**
 * `stack rm`: removes a stack with its history and versions. It also removes the configuration file
 * unless --preserve-config is set.
 */
export const removeNamedStack: Handler = async (session, flags, [name]) => {
  const id = await session.requireStack(name)
  const { stack } = stackPartsOf(id)
  const text = `This permanently removes the stack '${stack}'.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: stack })))
    throw createError('CONFIRMATION_DECLINED', 'the stack was not removed')
  await removeStack(session, id, {
    force: flags.isSet('force'),
    preserveConfig: flags.isSet('preserveConfig'),
  })
  session.printToStderr(`Removed stack '${stack}'.`)
  return 0
}
