import { createError } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseDeploymentOption } from '../arguments/parse-number-argument.ts'
import type { CancelResult } from '../../local/cancel-deployment.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { confirm } from '../session/session.ts'

/**
 * `cancel`: stops the deployment of a stack, or closes a deployment whose process died. With
 * --force it abandons running operations, and releases the stack even if the records of the
 * deployment are damaged.
 */
export const cancelDeployment: Handler = async (session, flags, [name]) => {
  if (name !== undefined && flags.text('stack') !== undefined)
    throw createError('CLI_USAGE', 'name the stack only once: with --stack or as an argument')
  const id = await session.requireStack(name)
  const { stack } = stackPartsOf(id)
  const isForced = flags.isSet('force')
  const text = isForced
    ? `This cancels the deployment of '${stack}' and abandons its running operations; their results stay unknown.`
    : `This cancels the deployment of '${stack}'.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: stack })))
    throw createError('CONFIRMATION_DECLINED', 'the deployment was not cancelled')
  const engine = await session.openEngine()
  const number = parseDeploymentOption(flags.text('deployment'))
  const result = await engine.cancel(id, {
    force: isForced,
    ...(number === undefined ? {} : { number }),
  })
  session.printToStderr(describeResult(result, stack, isForced))
  return 0
}

function describeState(version: number): string {
  return version === 0 ? 'empty, as before the deployment' : `the published version ${version}`
}

function describeResult(result: CancelResult, stack: string, isForced: boolean): string {
  if (result.kind === 'none') return `No deployment of '${stack}' is running.`
  if (result.kind === 'unlocked')
    return `Removed ${formatWithNoun(result.brokenLocks, 'lock')} of '${stack}'.`
  const subject = `Deployment ${result.number} of '${stack}'`
  if (result.kind === 'abandoned')
    return [
      `${subject} cannot be closed: ${result.cause.message}.`,
      `The stack was released: the records of the deployment are unchanged, and the state is ${describeState(result.version)}.`,
      'Resources that the deployment created are not in the state. Before the next `antichain up`, check which of them exist,',
      'and add them to the state with `antichain stack import`.',
    ].join('\n')
  if (result.kind === 'closed')
    return `${subject} was cancelled. Its process was gone; the deployment is now closed, and its results are in the state.`
  const action = result.kind === 'asked' ? 'is stopping' : 'is already stopping'
  if (isForced)
    return `${subject} ${action} and abandons its running operations. They become pending operations.`
  const effect = 'it starts no more operations, and ends after the running ones'
  return `${subject} ${action}: ${effect}. (\`antichain cancel --force\` abandons them.)`
}
