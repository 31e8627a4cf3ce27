import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { confirmed } from '../session.ts'
import { removeStack } from '../stack-removal.ts'

/** `stack rm`: removes a stack with its history, its versions and its configuration file. */
export const stackRm: Handler = async (session, flags, [name]) => {
  const id = await session.existingStack(name)
  const { stack } = stackPartsOf(id)
  const text = `This removes the stack '${stack}' for good.`
  if (!(await confirmed(session, flags.is('yes'), { text, answer: stack })))
    throw error('CONFIRMATION_DECLINED', 'the stack was not removed')
  await removeStack(session, id, {
    force: flags.is('force'),
    preserveConfig: flags.is('preserveConfig'),
  })
  session.warn(`The stack '${stack}' was removed.`)
  return 0
}
