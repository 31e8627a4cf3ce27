import { error } from '../../shared/errors/error.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { freshHead, type Head } from '../../shared/records/head.ts'
import type { DeploymentId, OperationId } from '../../shared/records/ids.ts'
import type { Ask } from './ask.ts'
import type { World } from './world.ts'

/** Most copies of one request that come late. */
const copiesMax = 8

/**
 * The requests that change heads. Their names tell what they meet, so that a fault can wait for
 * what is rare; and what such a fault does is done here: late copies, an arrival that comes again,
 * a stop at the worst moment.
 */
export function headRequestsOver(
  world: World,
  ask: Ask,
): Pick<OperationsPort, 'arrive' | 'begin' | 'giveBack' | 'lapse' | 'select'> {
  const { operations, control } = world.store
  const headOf = (deployment: DeploymentId, id: OperationId): Head =>
    operations.heads(deployment, [id]).get(id) ?? freshHead
  const request = <T>(
    name: string,
    { deployment, id }: { readonly deployment: DeploymentId; readonly id: OperationId },
    run: () => T,
  ): Promise<T> =>
    ask(`operations.${name}`, (_call, kind) => {
      if (kind === 'nobody can begin an operation') {
        world.poisoned.add(`${deployment} ${id}`)
        throw damaged()
      }
      const done = run()
      if (kind?.startsWith('copies of a') === true) copyLater(deployment, id, run)
      if (kind?.startsWith('stopped as') === true) control.stop(deployment, 'graceful')
      const [first] = headOf(deployment, id).arrived
      if (kind === 'an arrival comes again after a lapse' && first !== undefined)
        world.scheduler.after(1, () => operations.arrive(deployment, id, first))
      return done
    })
  /** Sends a copy at once, and after each of the next changes of a head. */
  const copyLater = (deployment: DeploymentId, id: OperationId, run: () => unknown): void => {
    let copies = 0
    const changed = (): void => {
      copies += 1
      if (copies > copiesMax) world.changed.delete(`${deployment} ${id}`)
      else world.scheduler.after(0, run)
    }
    world.changed.set(`${deployment} ${id}`, changed)
    world.scheduler.after(0, run)
  }
  return {
    arrive: (deployment, id, from) =>
      request('arrive', { deployment, id }, () => operations.arrive(deployment, id, from)),
    begin(deployment, id, claim) {
      if (world.poisoned.has(`${deployment} ${id}`))
        return ask('operations.begin of poison', () => {
          throw damaged()
        })
      const { owner, attempt, givenBack } = headOf(deployment, id)
      const name = owner === '' && attempt > givenBack ? 'begin again' : 'begin'
      return request(name, { deployment, id }, () => operations.begin(deployment, id, claim))
    },
    giveBack(deployment, id, owner, attempt) {
      const head = headOf(deployment, id)
      const name = head.attempt - 1 > head.givenBack ? 'giveBack of a second' : 'giveBack'
      return request(name, { deployment, id }, () =>
        operations.giveBack(deployment, id, owner, attempt),
      )
    },
    lapse(deployment, id, owner, attempt) {
      const name = headOf(deployment, id).arrived.length > 0 ? 'lapse of a waiter' : 'lapse'
      return request(name, { deployment, id }, () =>
        operations.lapse(deployment, id, owner, attempt),
      )
    },
    select(deployment, id, end) {
      if (end.owner === '' && world.poisoned.has(`${deployment} ${id}`))
        world.covered('rule', 'poisoned work is ended')
      return request('select', { deployment, id }, () => operations.select(deployment, id, end))
    },
  }
}

function damaged(): Error {
  return error('RECORD_DAMAGED', 'the head cannot be read well enough to begin')
}
