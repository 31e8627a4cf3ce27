import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import type { RedriveResult } from '../../local/engine-port.ts'

/** `redrive`: sends the dead letters of a running deployment again. */
export const redriveStack: Handler = async (session, _flags, [name]) => {
  const id = await session.requireStack(name)
  const result = await (await session.openEngine()).redrive(id)
  session.printToStderr(describeResult(result, stackPartsOf(id).stack))
  return result.kind === 'dead' || result.kind === 'stopped' ? 1 : 0
}

function describeResult(result: RedriveResult, stack: string): string {
  switch (result.kind) {
    case 'none':
      return `No deployment of '${stack}' is running.`
    case 'dead':
      return `The process of the deployment of '${stack}' is gone: run \`antichain resume\` to continue it.`
    case 'stopped':
      return `The deployment of '${stack}' was stopped: it starts no more operations. The next deployment runs the remaining ones.`
    case 'nothing':
      return `The deployment of '${stack}' has no operations to retry.`
    case 'sent':
      return `Retrying ${result.operations} operations of the deployment of '${stack}'.`
  }
}
