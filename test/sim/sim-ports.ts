import type { Platform } from '../../shared/ports/platform.ts'
import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import { withGapCheck } from '../../shared/platform/records/gap-check.ts'
import { noTelemetry } from '../../shared/ports/telemetry.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import type { Fault } from './faults.ts'
import type { SendEffect } from './send-effect.ts'
import { createAwsPorts } from './aws-ports.ts'
import { createHeadWrites } from './head-requests.ts'
import type { SimNode } from './node.ts'
import type { World } from './world.ts'

/** Throws an error. It takes the place of methods that the simulation does not call. */
function failUnsupported(): never {
  throw new TypeError('the simulation does not support this call')
}

/** Creates every port of a process. Each call is one effect. */
export function createSimPorts(
  world: World,
  options: {
    readonly sendEffect: SendEffect
    readonly node: SimNode
    readonly takeFault: (name: string) => Fault | undefined
    readonly drawTransitMs: () => number
  },
): Platform {
  const { store, queue, scheduler } = world
  const { sendEffect, node } = options
  const wrapPort = <Port extends object>(name: string, port: object): Port =>
    Object.fromEntries(
      Object.entries(port).map(([method, run]: [string, (...args: unknown[]) => unknown]) => [
        method,
        (...args: unknown[]) => sendEffect(`${name}.${method}`, call => run(...args, call)),
      ]),
    ) as Port
  const operations: Platform['operations'] = {
    ...wrapPort<Platform['operations']>('operations', store.operations),
    ...createHeadWrites(world, sendEffect),
  }
  /** Reads two halves at different times, because only single records are linearizable. */
  const readInHalves = <T>(
    read: (ids: readonly OperationId[]) => Promise<ReadonlyMap<OperationId, T>>,
    ids: readonly OperationId[],
  ): Promise<ReadonlyMap<OperationId, T>> => {
    if (ids.length < 2) return read(ids)
    const middle = ids.length >> 1
    return Promise.all([read(ids.slice(middle)), read(ids.slice(0, middle))]).then(
      ([secondHalf, firstHalf]) => new Map([...secondHalf, ...firstHalf]),
    )
  }
  const chains: ChainQueuePort = {
    send: messages => {
      for (const message of messages) world.observer.onTextStored(JSON.stringify(message))
      return sendEffect('chains.send', (_call, kind) => {
        // Messages may also name operations that are not ready.
        const earlyMessages = messages.map(({ deployment, operations }) => ({
          deployment,
          operations: operations.map(id => (id + 1) as OperationId),
        }))
        return queue.send(
          kind === 'message before its time' ? [...earlyMessages, ...messages] : messages,
        )
      })
    },
    receive: (max, waitMs, receiveOptions) =>
      sendEffect('chains.receive', () => queue.receive(max, waitMs, receiveOptions)),
    remove: receipt => sendEffect('chains.remove', () => queue.remove(receipt)),
    extend: (receipt, ms) => sendEffect('chains.extend', () => queue.extend(receipt, ms)),
    listDeadLetters: deployment =>
      sendEffect('chains.list', () => queue.listDeadLetters(deployment)),
    redrive: deployment => sendEffect('chains.redrive', () => queue.redrive(deployment)),
  }
  const control: Platform['control'] = wrapPort('control', store.control)
  return {
    decisionLog: withGapCheck(wrapPort('decisionLog', store.log), control),
    operations: {
      ...operations,
      getHeads: (deployment, ids) =>
        readInHalves(half => operations.getHeads(deployment, half), ids),
      getEnds: (deployment, ids) => readInHalves(half => operations.getEnds(deployment, half), ids),
    },
    control,
    leases: wrapPort('leases', store.leases),
    events: wrapPort('events', store.events),
    catalog: wrapPort('catalog', store.catalog),
    blobs: wrapPort('blobs', store.blobs),
    archives: {
      put: failUnsupported,
      get: failUnsupported,
      readContentHash: failUnsupported,
    },
    chains,
    retention: wrapPort('retention', store.retention),
    blobSweep: {
      list: failUnsupported,
      setAside: failUnsupported,
      putBack: failUnsupported,
      remove: failUnsupported,
      removeUnfinished: failUnsupported,
    },
    renames: { rename: failUnsupported },
    // No scenario limits the calls of a provider, so no limit has a record.
    callLimits: {
      get: async () => undefined,
      put: failUnsupported,
      putExpiring: failUnsupported,
      remove: failUnsupported,
      list: failUnsupported,
    },
    requests: {
      put: failUnsupported,
      putAuthorized: failUnsupported,
      isApproved: failUnsupported,
      listWaiting: failUnsupported,
      find: failUnsupported,
      end: failUnsupported,
      removeEnded: failUnsupported,
      putProgram: failUnsupported,
      getProgram: failUnsupported,
    },
    nudges: {
      nudge: (stack, delayMs) =>
        sendEffect('nudges.nudge', () => world.nudges.nudge(stack, delayMs)),
      receive: (waitMs, receiveOptions) =>
        sendEffect('nudges.receive', () => world.nudges.receive(waitMs, receiveOptions)),
    },
    hints: {
      hint(deployment, operation) {
        if (node.isDead()) return
        const kind = options.takeFault('hints.hint')?.kind
        if (kind === 'hint lost') return
        const lateMs = kind === 'hint late and twice' ? 40_000 : 0
        scheduler.after(options.drawTransitMs(), () => world.hints.notify(deployment, operation))
        if (lateMs > 0) scheduler.after(lateMs, () => world.hints.notify(deployment, operation))
      },
      listen: (deployment, listener) =>
        world.hints.listen(
          deployment,
          operation => void scheduler.after(0, () => listener(operation), node),
        ),
    },
    clock: node.clock,
    random: node.random,
    logger: silentLogger,
    telemetry: noTelemetry,
    ...(world.aws === undefined ? {} : createAwsPorts(world, world.aws, { sendEffect, node })),
  }
}
