import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { RedriveResult } from '../session/engine-port.ts'

/** `redrive`: tries again what the queue has given up of an open deployment. */
export const redriveStack: Handler = async (session, _flags, [name]) => {
  const id = await session.requireStack(name)
  const outcome = await (await session.openEngine()).redrive(id)
  session.warn(outcomeText(outcome, stackPartsOf(id).stack))
  return outcome.kind === 'dead' || outcome.kind === 'stopped' ? 1 : 0
}

function outcomeText(outcome: RedriveResult, stack: string): string {
  switch (outcome.kind) {
    case 'none':
      return `No deployment of '${stack}' is under way.`
    case 'dead':
      return `The process of the deployment of '${stack}' is gone: \`antichain resume\` goes on with it.`
    case 'stopped':
      return `The deployment of '${stack}' was told to stop: it starts nothing more, and the next one does the rest.`
    case 'nothing':
      return `Nothing of the deployment of '${stack}' was given up.`
    case 'sent':
      return `${outcome.operations} given up in the deployment of '${stack}': tried again.`
  }
}
