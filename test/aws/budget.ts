import type { S3Client } from '@aws-sdk/client-s3'
import { limits } from '../../shared/config/limits.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { createRecords } from '../../shared/platform/aws/records.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { createCloud } from '../lifecycle/cloud.ts'
import { openEngine, type Program } from '../lifecycle/engine.ts'
import { project, stackName } from '../lifecycle/scripted-hosts.ts'
import { registerThing } from '../lifecycle/register-thing.ts'
import type { Billed } from '../sim/model-capacity.ts'
import { createModelBucket } from '../sim/model-bucket.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { purposeOf } from './purpose.ts'
import { createTables, createTableNames } from './records.ts'

/** The totals of the requests with one purpose. */
interface Sum {
  requests: number
  items: number
  readUnits: number
  writeUnits: number
}

/** The requests of one command, by purpose. */
export interface SpentRequests {
  readonly command: string
  readonly resources: number
  readonly by: ReadonlyMap<string, Sum>
}

/** Returns a program of `count` independent resources. */
const createProgram =
  (count: number, version: string): Program =>
  async monitor => {
    const names = Array.from({ length: count }, (_, at) => `r${at}`)
    await Promise.all(names.map(name => registerThing(monitor, name, { text: version + name })))
  }

/** Creates the counted ports: records and blobs over models of DynamoDB and S3. */
async function createCountedPorts(add: (purpose: string, billed: Billed) => void) {
  let purpose = ''
  const model = createModelDynamo(billed => add(purpose, billed))
  const clock = createSystemClock()
  const billRequest = (operation: string): void => {
    const isRead = /^(Get|Head)/.test(operation)
    const units = { readUnits: isRead ? 1 : 0, writeUnits: isRead ? 0 : 1 }
    add(`S3 ${operation}`, { operation, table: '', items: 1, ...units })
  }
  const s3 = createModelBucket(clock.now, billRequest).client
  const { send } = model.client
  const sendNamed = (async (...args: Parameters<typeof send>): Promise<unknown> => {
    const [{ constructor, input }] = args
    purpose = purposeOf(constructor.name.replace('Command', ''), JSON.stringify(input))
    return send(...args)
  }) as ModelDynamo['client']['send']
  const tables = createTableNames()
  await createTables(model.client, tables)
  const blobs = createBlobs({ s3: s3 as S3Client, bucket: 'b', prefix: 'blobs/', clock })
  const deps = { client: { send: sendNamed }, clock, random: createSystemRandom(), tables }
  return { ...createRecords({ ...deps, region: 'eu-test-1' }, blobs), blobs, clock }
}

/** Creates, updates and deletes `count` resources, and returns the requests of each command. */
export async function measureSpending(
  count: number,
  onSpent: (one: SpentRequests) => void = () => undefined,
): Promise<readonly SpentRequests[]> {
  let sums = new Map<string, Sum>()
  const counted = await createCountedPorts((purpose, billed) => addBilled(sums, purpose, billed))
  const stack = stackIdOf(project, stackName)
  await counted.catalog.createStack(stack, counted.clock.now())
  const engine = await openEngine(createCloud().script)
  const disturb = (platform: Platform): Partial<Platform> => {
    const { blobs, clock: __, catalog, ...ports } = counted
    // Requests by the clock depend on the time and not on the steps: a generator reads the awaited
    // heads every two seconds. Here hints replace these reads, and only lease renewals run by the
    // clock.
    const repeat: Platform['clock']['repeat'] = (ms, call) =>
      ms === limits.leaseRenewMs ? platform.clock.repeat(ms, call) : () => undefined
    const clock = { ...platform.clock, repeat }
    const send: Platform['chains']['send'] = async messages => {
      const items = messages.length
      if (items > 0)
        addBilled(sums, 'messages', {
          operation: '',
          table: '',
          items,
          readUnits: 0,
          writeUnits: 0,
        })
      await platform.chains.send(messages)
    }
    return {
      ...ports,
      clock,
      chains: { ...platform.chains, send },
      blobs: {
        get: blobs.get,
        put: async bytes => {
          await platform.blobs.put(bytes)
          return blobs.put(bytes)
        },
      },
      catalog: mirrorCatalog(catalog, platform.catalog),
    }
  }
  const spent: SpentRequests[] = []
  const run = async (
    command: string,
    deployedProgram: Program | undefined,
    options: object,
  ): Promise<void> => {
    sums = new Map()
    // Time is slowed down, so that a busy machine loses no lease.
    const { result } = await engine.run(deployedProgram, {
      disturb,
      parallel: 64,
      haste: 0.1,
      ...options,
    })
    if (result.result !== 'succeeded') throw new Error(`${command} ${JSON.stringify(result)}`)
    const one = { command, resources: count, by: sums }
    spent.push(one)
    onSpent(one)
  }
  try {
    await run('create', createProgram(count, 'a'), {})
    await run('same', createProgram(count, 'a'), {})
    await run('update', createProgram(count, 'b'), {})
    await run('refresh', createProgram(count, 'b'), { command: 'refresh' })
    await run('delete', undefined, { command: 'destroy' })
  } finally {
    await engine.close()
  }
  return spent
}

/**
 * Returns a catalog that also publishes to the test engine's own catalog, from which that engine
 * reads snapshots.
 */
function mirrorCatalog(
  counted: Platform['catalog'],
  own: Platform['catalog'],
): Platform['catalog'] {
  return {
    ...counted,
    start: async (...args) => {
      await own.start(...args)
      return counted.start(...args)
    },
    publish: async (...args) => {
      await own.publish(...args)
      return counted.publish(...args)
    },
    release: async (...args) => {
      await own.release(...args)
      await counted.release(...args)
    },
  }
}

function addBilled(sums: Map<string, Sum>, purpose: string, billed: Billed): void {
  const sum = sums.get(purpose) ?? { requests: 0, items: 0, readUnits: 0, writeUnits: 0 }
  sums.set(purpose, sum)
  sum.requests += 1
  sum.items += billed.items
  sum.readUnits += billed.readUnits
  sum.writeUnits += billed.writeUnits
}

/** The budget of journal and catalog, without events and second arrivals. */
const most = {
  /** Per deployment of any size: its start, its generator runs, its close. */
  fixed: { writes: 45, reads: 45 },
  /** Per executed step: requests and write units. */
  step: { writes: 6, reads: 4 },
  /** Read units of an executed step: heads and outcomes are read in batches, at one unit each. */
  stepReadUnits: 8,
} as const

/** The totals of a command, complete and for the parts outside of the budget. */
export interface Totals {
  readonly writes: number
  readonly writeUnits: number
  readonly reads: number
  readonly readUnits: number
  /** Number of sent chain messages. */
  readonly messages: number
  /** Write units of events and of arrivals. */
  readonly apartUnits: number
}

/** Returns the requests of a command that count for the budget, and those that do not. */
export function totalsOf({ by }: SpentRequests): Totals {
  const isApart = (purpose: string): boolean => / (events|writers|arrival)$/.test(purpose)
  const total = (of: (sum: Sum) => number, apart = false): number =>
    [...by].reduce((all, [purpose, sum]) => all + (isApart(purpose) === apart ? of(sum) : 0), 0)
  return {
    writes: total(sum => (sum.writeUnits > 0 ? sum.requests : 0)),
    writeUnits: total(sum => sum.writeUnits),
    reads: total(sum => (sum.readUnits > 0 ? sum.requests : 0)),
    readUnits: total(sum => sum.readUnits),
    messages: by.get('messages')?.items ?? 0,
    apartUnits: total(sum => sum.writeUnits, true),
  }
}

/**
 * Checks the requests of commands. Throws with the figures of a command that exceeds the budget.
 */
export function checkSpent(spent: readonly SpentRequests[]): void {
  for (const one of spent) {
    const { command, resources, by } = one
    const steps = command === 'same' ? 0 : resources
    const found = totalsOf(one)
    const bounds = {
      writes: most.fixed.writes + steps * most.step.writes,
      writeUnits: most.fixed.writes + steps * most.step.writes,
      reads: most.fixed.reads + steps * most.step.reads,
      readUnits: most.fixed.reads + steps * most.stepReadUnits,
    }
    const over = (Object.keys(bounds) as (keyof typeof bounds)[]).filter(
      name => found[name] > bounds[name],
    )
    if (over.length > 0)
      throw new Error(
        `${command} of ${resources} exceeds the budget of ${over.join(', ')}: ${formatFigures(found, by)}`,
      )
    const heads = by.get('UpdateItem head')
    if (heads !== undefined && heads.writeUnits !== heads.requests)
      throw new Error(`${command}: a head is larger than a kilobyte`)
  }
}

/** Formats the figures of a command for a message. */
function formatFigures(found: object, by: ReadonlyMap<string, Sum>): string {
  const lines = [...by].map(([purpose, sum]) => `  ${purpose} ${JSON.stringify(sum)}`)
  return [JSON.stringify(found), ...lines.toSorted()].join('\n')
}
