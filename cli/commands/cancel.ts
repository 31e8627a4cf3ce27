import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { CancelOutcome } from '../../local/cancel.ts'
import { confirm } from '../session/session.ts'

/**
 * `cancel`: stops the deployment of a stack, or closes one whose process died. With --force it
 * abandons running operations. It then also releases the stack from a deployment whose records are
 * damaged.
 */
export const cancelDeployment: Handler = async (session, flags, [name]) => {
  if (name !== undefined && flags.text('stack') !== undefined)
    throw error('CLI_USAGE', 'name the stack only once: with --stack or as an argument')
  const id = await session.requireStack(name)
  const { stack } = stackPartsOf(id)
  const force = flags.is('force')
  const text = force
    ? `This cancels the deployment of '${stack}' and abandons its running operations; their results stay unknown.`
    : `This cancels the deployment of '${stack}'.`
  if (!(await confirm(session, flags.is('yes'), { text, answer: stack })))
    throw error('CONFIRMATION_DECLINED', 'the deployment was not cancelled')
  const local = await session.openEngine()
  session.warn(outcomeText(await local.cancel(id, force), stack, force))
  return 0
}

function stateLeftText(version: number): string {
  return version === 0 ? 'empty, as before it' : `its published version ${version}`
}

function outcomeText(outcome: CancelOutcome, stack: string, force: boolean): string {
  if (outcome.kind === 'none') return `No deployment of '${stack}' is running.`
  const which = `Deployment ${outcome.number} of '${stack}'`
  if (outcome.kind === 'given up')
    return [
      `${which} cannot be closed: ${outcome.why.message}.`,
      `The stack was released: the records of the deployment are unchanged, and the state is ${stateLeftText(outcome.version)}.`,
      'Resources that the deployment created since then are not in the state. Before the next `antichain up`, check which exist,',
      'and add them to the state with `antichain stack import`.',
    ].join('\n')
  if (outcome.kind === 'closed')
    return `${which} was cancelled. Its process was gone; the deployment is now closed, and its results are in the state.`
  const stopped = outcome.kind === 'asked' ? 'is stopping' : 'is already stopping'
  if (force)
    return `${which} ${stopped} and abandons its running operations. They become pending operations.`
  const rest = 'it starts no more operations, and ends after the running ones'
  return `${which} ${stopped}: ${rest}. (\`antichain cancel --force\` abandons them.)`
}
