import type { Platform } from '../../shared/ports/platform.ts'
import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import { withoutGaps } from '../../shared/platform/records/gapless-log.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import type { Fault } from './faults.ts'
import type { Ask } from './ask.ts'
import { awsPortsOver } from './aws-ports.ts'
import { headRequestsOver } from './head-requests.ts'
import type { SimNode } from './node.ts'
import type { World } from './world.ts'

/** Blobs are kept for ever here. */
function notHere(): never {
  throw new TypeError('no blob is removed here')
}

/** Every port of a process; each call is one effect of its own. */
export function portsOver(
  world: World,
  about: {
    readonly ask: Ask
    readonly node: SimNode
    readonly struck: (name: string) => Fault | undefined
    readonly wayMs: () => number
  },
): Platform {
  const { store, queue, scheduler } = world
  const { ask, node } = about
  const over = <Port extends object>(name: string, port: object): Port =>
    Object.fromEntries(
      Object.entries(port).map(([method, run]: [string, (...args: unknown[]) => unknown]) => [
        method,
        (...args: unknown[]) => ask(`${name}.${method}`, call => run(...args, call)),
      ]),
    ) as Port
  const operations: Platform['operations'] = {
    ...over<Platform['operations']>('operations', store.operations),
    ...headRequestsOver(world, ask),
  }
  /** Only single records are linearizable: two halves are read at two moments. */
  const inHalves = <T>(
    read: (ids: readonly OperationId[]) => Promise<ReadonlyMap<OperationId, T>>,
    ids: readonly OperationId[],
  ): Promise<ReadonlyMap<OperationId, T>> => {
    if (ids.length < 2) return read(ids)
    const middle = ids.length >> 1
    return Promise.all([read(ids.slice(middle)), read(ids.slice(0, middle))]).then(
      ([late, early]) => new Map([...late, ...early]),
    )
  }
  const chains: ChainQueuePort = {
    send: messages => {
      for (const message of messages) world.observer.kept(JSON.stringify(message))
      return ask('chains.send', (_call, kind) => {
        // Messages lie: also about what is ready.
        const early = messages.map(({ deployment, operations }) => ({
          deployment,
          operations: operations.map(id => (id + 1) as OperationId),
        }))
        return queue.send(kind === 'message before its time' ? [...early, ...messages] : messages)
      })
    },
    receive: (max, waitMs, which) => ask('chains.receive', () => queue.receive(max, waitMs, which)),
    remove: receipt => ask('chains.remove', () => queue.remove(receipt)),
    extend: (receipt, ms) => ask('chains.extend', () => queue.extend(receipt, ms)),
    listDeadLetters: deployment => ask('chains.list', () => queue.listDeadLetters(deployment)),
    redrive: deployment => ask('chains.redrive', () => queue.redrive(deployment)),
  }
  const control: Platform['control'] = over('control', store.control)
  return {
    decisionLog: withoutGaps(over('log', store.log), control),
    operations: {
      ...operations,
      getHeads: (deployment, ids) => inHalves(half => operations.getHeads(deployment, half), ids),
      getEnds: (deployment, ids) => inHalves(half => operations.getEnds(deployment, half), ids),
    },
    control,
    leases: over('leases', store.leases),
    events: over('events', store.events),
    catalog: over('catalog', store.catalog),
    blobs: over('blobs', store.blobs),
    chains,
    retention: over('retention', store.retention),
    blobSweep: {
      list: notHere,
      setAside: notHere,
      putBack: notHere,
      remove: notHere,
      removeUnfinished: notHere,
    },
    requests: {
      put: notHere,
      listWaiting: notHere,
      find: notHere,
      end: notHere,
      forget: notHere,
      putProgram: notHere,
      getProgram: notHere,
    },
    nudges: {
      nudge: (stack, delayMs) => ask('nudges.nudge', () => world.nudges.nudge(stack, delayMs)),
      receive: (waitMs, which) => ask('nudges.receive', () => world.nudges.receive(waitMs, which)),
    },
    hints: {
      hint(deployment, operation) {
        if (node.isDead()) return
        const kind = about.struck('hints.hint')?.kind
        if (kind === 'hint lost') return
        const lateMs = kind === 'hint late and twice' ? 40_000 : 0
        scheduler.after(about.wayMs(), () => world.hints.tell(deployment, operation))
        if (lateMs > 0) scheduler.after(lateMs, () => world.hints.tell(deployment, operation))
      },
      listen: (deployment, heard) =>
        world.hints.listen(
          deployment,
          operation => void scheduler.after(0, () => heard(operation), node),
        ),
    },
    clock: node.clock,
    random: node.random,
    logger: silentLogger,
    ...(world.aws === undefined ? {} : awsPortsOver(world, world.aws, { ask, node })),
  }
}
