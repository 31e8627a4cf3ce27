import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import type { CancelOutcome } from '../local-port.ts'
import { confirmed } from '../session.ts'

const sentences = {
  none: stack => `No deployment of '${stack}' is under way.`,
  closed: stack => `The deployment of '${stack}', whose process is gone, was cancelled.`,
  asked: stack =>
    `The deployment of '${stack}' was told to stop: it starts nothing more, and ends when what runs has ended.`,
  abandoned: stack =>
    `The deployment of '${stack}' was made to stop: what providers were asked is abandoned and becomes pending operations.`,
} as const satisfies Record<CancelOutcome, (stack: string) => string>

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
  const outcome = await local.cancel(id, flags.is('force') ? 'forced' : 'graceful')
  session.warn(sentences[outcome](stack))
  return 0
}
