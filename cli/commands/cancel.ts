import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { confirmed } from '../session.ts'

/** `cancel`: stops the deployment of a stack; one whose process died is closed here. */
export const cancel: Handler = async (session, flags, [name]) => {
  if (name !== undefined && flags.text('stack') !== undefined)
    throw error('CLI_USAGE', 'name the stack once: with --stack or as an argument')
  const id = await session.existingStack(name)
  const { stack } = stackPartsOf(id)
  const text = `This cancels the deployment of '${stack}'.`
  if (!(await confirmed(session, flags.is('yes'), { text, answer: stack })))
    throw error('CONFIRMATION_DECLINED', 'the deployment was not cancelled')
  const local = await session.local()
  const { cancelled } = await local.cancel(id)
  session.warn(
    cancelled
      ? `The deployment of '${stack}' was cancelled.`
      : `No deployment of '${stack}' is under way.`,
  )
  return 0
}
