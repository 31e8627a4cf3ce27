import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createRecords, type RecordPorts } from '../../shared/platform/aws/records.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { BlobsPort } from '../../shared/ports/records.ts'
import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { HeadEvent } from '../../shared/records/transitions.ts'
import { createWorldClock } from './clock.ts'
import type { SeededDraw } from './draw.ts'
import type { DynamoCommand, WatchedDynamo } from './watched-dynamo.ts'
import { type SimHeadRequest, headRequestOf } from './heads.ts'
import { createRandom } from './node.ts'
import { type ManualWrites, tableNames } from './current-records.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * The port call that a DynamoDB request belongs to. The name of the effect and the head request are
 * derived from this call.
 */
export interface PortCall {
  readonly port: string
  readonly method: string
  readonly args: readonly unknown[]
}

/** The ports whose records are in DynamoDB. */
export type AwsRecords = Pick<
  Platform,
  'decisionLog' | 'operations' | 'control' | 'leases' | 'events' | 'catalog' | 'retention'
>

const ports = [
  'decisionLog',
  'operations',
  'control',
  'leases',
  'events',
  'catalog',
  'retention',
] as const satisfies readonly (keyof AwsRecords)[]

const headEvents: ReadonlySet<string> = new Set<HeadEvent>([
  'arrive',
  'begin',
  'giveBack',
  'lapse',
  'select',
])
const readCommand = /^(?:GetItem|Query|BatchGetItem)Command$/

/**
 * Creates the writes that the test makes itself, outside of all simulated processes. No simulated
 * fault strikes them.
 */
export function createManualWrites(
  dynamo: WatchedDynamo,
  { scheduler, draw }: { readonly scheduler: Scheduler; readonly draw: SeededDraw },
): ManualWrites {
  const send = (command: DynamoCommand, portCall: PortCall): Promise<unknown> =>
    dynamo.send(command, parseHeadRequest(command, portCall))
  const clock = createWorldClock(scheduler)
  const random = createRandom(draw.fork('by hand'))
  const { catalog, control, operations } = createPortRecords(send, {
    clock,
    random,
    blobs: noBlobs,
  })
  return { createStack: catalog.createStack, stop: control.stop, arrive: operations.arrive }
}

const noBlobs: BlobsPort = {
  put: () => Promise.reject(new TypeError('blobs are not supported here')),
  get: () => Promise.reject(new TypeError('blobs are not supported here')),
}

/** Creates the record ports. `send` receives each DynamoDB request with its port call. */
export function createPortRecords(
  send: (command: DynamoCommand, portCall: PortCall) => Promise<unknown>,
  deps: { readonly clock: ClockPort; readonly random: RandomPort; readonly blobs: BlobsPort },
): AwsRecords {
  const currentCall = new AsyncLocalStorage<PortCall>()
  const client = {
    send(command: DynamoCommand): Promise<unknown> {
      const portCall = currentCall.getStore()
      if (portCall === undefined) throw new TypeError('a request that belongs to no call')
      return send(command, portCall)
    },
  } as unknown as Pick<DynamoDBClient, 'send'>
  const { clock, random, blobs } = deps
  const records: RecordPorts = createRecords(
    { client, clock, random, region: 'simulated', tables: tableNames },
    blobs,
  )
  const wrapMethods = (port: (typeof ports)[number]): object =>
    Object.fromEntries(
      Object.entries(records[port]).map(
        ([method, run]: [string, (...args: unknown[]) => unknown]) => [
          method,
          (...args: unknown[]) => currentCall.run({ port, method, args }, () => run(...args)),
        ],
      ),
    )
  return Object.fromEntries(ports.map(port => [port, wrapMethods(port)])) as unknown as AwsRecords
}

/** Returns the head request that a command makes, if it changes a head. */
export function parseHeadRequest(
  command: DynamoCommand,
  { port, method, args }: PortCall,
): SimHeadRequest | undefined {
  const isChange = command.constructor.name === 'UpdateItemCommand'
  if (port !== 'operations' || !isChange || !headEvents.has(method)) return undefined
  return headRequestOf(method as HeadEvent, args)
}

/** Returns the name of an effect, which selects the faults that strike it. */
export function effectNameOf(command: DynamoCommand, { port, method }: PortCall): string {
  if (readCommand.test(command.constructor.name)) return `${port}.read`
  // The effects of head requests are not named here. Before one, a head method may record the block
  // of its operation (operation-blocks.ts): this separate request is the effect `note`.
  return headEvents.has(method) ? `${port}.note` : `${port}.${method}`
}
