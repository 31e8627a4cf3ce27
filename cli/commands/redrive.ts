import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import type { RedriveOutcome } from '../local-port.ts'

/** `redrive`: tries again what the queue has given up of an open deployment. */
export const redrive: Handler = async (session, _flags, [name]) => {
  const id = await session.existingStack(name)
  const outcome = await (await session.local()).redrive(id)
  session.warn(sentenceOf(outcome, stackPartsOf(id).stack))
  return outcome.kind === 'dead' || outcome.kind === 'stopped' ? 1 : 0
}

function sentenceOf(outcome: RedriveOutcome, stack: string): string {
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
