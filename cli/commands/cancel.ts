import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { CancelOutcome } from '../../local/cancel.ts'
import { confirm } from '../session/session.ts'

/**
 * `cancel`: stops the deployment of a stack; one whose process died is closed here. With --force
 * what runs is abandoned, and a deployment whose records are damaged is given up.
 */
export const cancelDeployment: Handler = async (session, flags, [name]) => {
  if (name !== undefined && flags.text('stack') !== undefined)
    throw error('CLI_USAGE', 'name the stack once: with --stack or as an argument')
  const id = await session.requireStack(name)
  const { stack } = stackPartsOf(id)
  const force = flags.is('force')
  const text = force
    ? `This cancels the deployment of '${stack}' and abandons what runs: how that ends will not be known.`
    : `This cancels the deployment of '${stack}'.`
  if (!(await confirm(session, flags.is('yes'), { text, answer: stack })))
    throw error('CONFIRMATION_DECLINED', 'the deployment was not cancelled')
  const local = await session.openEngine()
  session.warn(outcomeText(await local.cancel(id, force), stack, force))
  return 0
}

function stateLeftText(version: number): string {
  return version === 0 ? 'as empty as before it' : `as its version ${version} was published`
}

function outcomeText(outcome: CancelOutcome, stack: string, force: boolean): string {
  if (outcome.kind === 'none') return `No deployment of '${stack}' is under way.`
  const which = `Deployment ${outcome.number} of '${stack}'`
  if (outcome.kind === 'given up')
    return [
      `${which} cannot be closed: ${outcome.why.message}.`,
      `It was given up: its records stay as they are, and the stack is ${stateLeftText(outcome.version)}.`,
      'What it made since is not in the state: see what exists before the next `antichain up`,',
      'and take it into the state with `antichain stack import`.',
    ].join('\n')
  if (outcome.kind === 'closed')
    return `${which}, whose process is gone, was cancelled: it is closed, and what it did is in the state.`
  const stopped = outcome.kind === 'asked' ? 'was told to stop' : 'had been told to stop before'
  if (force)
    return `${which} ${stopped}: it abandons what runs; what that came to is named as pending afterwards.`
  const rest = 'it starts nothing more, and ends when what runs has ended'
  return `${which} ${stopped}: ${rest}. (\`antichain cancel --force\` abandons what runs.)`
}
