import type { S3Client } from '@aws-sdk/client-s3'
import { limits } from '../../shared/config/limits.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { createRecords } from '../../shared/platform/aws/records.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { createCloud } from '../lifecycle/cloud.ts'
import { type Monitor, openEngine, type Program } from '../lifecycle/engine.ts'
import { project, stackName } from '../lifecycle/scripted-hosts.ts'
import { registerThing } from '../lifecycle/register-thing.ts'
import type { BilledRequest } from '../sim/model-capacity.ts'
import { createModelBucket } from '../sim/model-bucket.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { purposeOf } from './purpose.ts'
import { createTables, createTableNames } from './test-records.ts'

/** The totals of the requests with one purpose. */
interface Sum {
  requests: number
  items: number
  readUnits: number
  writeUnits: number
}

/** The requests of one command, by purpose. */
export interface CommandRequests {
  readonly command: string
  readonly resources: number
  readonly sumsByPurpose: ReadonlyMap<string, Sum>
}

/**
 * Returns the position of the resource on which a resource depends, or undefined for none. It is
 * always an earlier position.
 */
export type DependencyOf = (position: number) => number | undefined

/** Returns a program of `count` resources. Another `version` changes the inputs of all. */
const createProgram =
  (count: number, version: string, dependencyOf: DependencyOf): Program =>
  async monitor => {
    const urns: Promise<string>[] = []
    for (let position = 0; position < count; position += 1) {
      const dependency = dependencyOf(position)
      const pendingDependency = dependency === undefined ? undefined : urns[dependency]
      urns.push(registerAfter(monitor, { name: `r${position}`, version }, pendingDependency))
    }
    await Promise.all(urns)
  }

async function registerAfter(
  monitor: Monitor,
  { name, version }: { readonly name: string; readonly version: string },
  pendingDependency: Promise<string> | undefined,
): Promise<string> {
  const dependencies = pendingDependency === undefined ? [] : [await pendingDependency]
  const { urn } = await registerThing(monitor, name, { text: version + name }, { dependencies })
  return urn
}

/**
 * Creates records and blobs over models of DynamoDB and S3. Each billed request is passed to `add`
 * with its purpose (see `purposeOf`).
 */
async function createCountedPorts(add: (purpose: string, billed: BilledRequest) => void) {
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
  const sendWithPurpose = (async (...args: Parameters<typeof send>): Promise<unknown> => {
    const [{ constructor, input }] = args
    purpose = purposeOf(constructor.name.replace('Command', ''), JSON.stringify(input))
    return send(...args)
  }) as ModelDynamo['client']['send']
  const tables = createTableNames()
  await createTables(model.client, tables)
  const blobs = createBlobs({ s3: s3 as S3Client, bucket: 'b', prefix: 'blobs/', clock })
  const deps = { client: { send: sendWithPurpose }, clock, random: createSystemRandom(), tables }
  return { ...createRecords({ ...deps, region: 'eu-test-1' }, blobs), blobs, clock }
}

/**
 * Creates, keeps, updates, refreshes and deletes `count` resources. Returns the requests of each
 * command.
 */
export async function measureRequests(
  count: number,
  onMeasured: (commandRequests: CommandRequests) => void = () => undefined,
  dependencyOf: DependencyOf = () => undefined,
): Promise<readonly CommandRequests[]> {
  let sums = new Map<string, Sum>()
  const countedPorts = await createCountedPorts((purpose, billed) =>
    addBilled(sums, purpose, billed),
  )
  const stack = stackIdOf(project, stackName)
  await countedPorts.catalog.createStack(stack, countedPorts.clock.now())
  const engine = await openEngine(createCloud().script)
  const disturb = (platform: Platform): Partial<Platform> => {
    const { blobs, clock: __, catalog, ...ports } = countedPorts
    // Requests that a timer sends depend on the time and not on the steps. For example, a generator
    // reads the heads that it awaits after pauses. Here hints replace these reads, and only the
    // timer of lease renewals runs.
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
  const measurements: CommandRequests[] = []
  const run = async (
    command: string,
    deployedProgram: Program | undefined,
    options: object,
  ): Promise<void> => {
    sums = new Map()
    // Time runs slower, so that a busy machine loses no lease.
    const { result } = await engine.run(deployedProgram, {
      disturb,
      parallel: 64,
      timeFactor: 0.1,
      ...options,
    })
    if (result.result !== 'succeeded') throw new Error(`${command} ${JSON.stringify(result)}`)
    const commandRequests = { command, resources: count, sumsByPurpose: sums }
    measurements.push(commandRequests)
    onMeasured(commandRequests)
  }
  try {
    await run('create', createProgram(count, 'a', dependencyOf), {})
    await run('same', createProgram(count, 'a', dependencyOf), {})
    await run('update', createProgram(count, 'b', dependencyOf), {})
    await run('refresh', createProgram(count, 'b', dependencyOf), { command: 'refresh' })
    await run('delete', undefined, { command: 'destroy' })
  } finally {
    await engine.close()
  }
  return measurements
}

/**
 * Returns a catalog that repeats starts, publishes and releases in the catalog of the test engine,
 * because the engine reads its snapshots there.
 */
function mirrorCatalog(
  countedCatalog: Platform['catalog'],
  engineCatalog: Platform['catalog'],
): Platform['catalog'] {
  return {
    ...countedCatalog,
    start: async (...args) => {
      await engineCatalog.start(...args)
      return countedCatalog.start(...args)
    },
    publish: async (...args) => {
      await engineCatalog.publish(...args)
      return countedCatalog.publish(...args)
    },
    release: async (...args) => {
      await engineCatalog.release(...args)
      await countedCatalog.release(...args)
    },
  }
}

function addBilled(sums: Map<string, Sum>, purpose: string, billed: BilledRequest): void {
  const sum = sums.get(purpose) ?? { requests: 0, items: 0, readUnits: 0, writeUnits: 0 }
  sums.set(purpose, sum)
  sum.requests += 1
  sum.items += billed.items
  sum.readUnits += billed.readUnits
  sum.writeUnits += billed.writeUnits
}

/** The budget of journal and catalog, without events, their writers, and arrivals. */
const budget = {
  /** Per deployment of any size: its start, its generator runs, its close. */
  fixed: { writes: 45, reads: 45 },
  /** Per executed step. `writes` bounds write requests and also write units. */
  step: { writes: 6, reads: 4 },
  /** Read units of an executed step: heads and outcomes are read in batches, at one unit each. */
  stepReadUnits: 8,
} as const

/** The totals of a command: requests and units in the budget, messages, and units outside. */
export interface Totals {
  readonly writes: number
  readonly writeUnits: number
  readonly reads: number
  readonly readUnits: number
  /** Number of sent chain messages. */
  readonly messages: number
  /** Write units that the budget excludes: those of events, of their writers and of arrivals. */
  readonly excludedUnits: number
}

/** Returns the totals of a command's requests, in the budget and outside. */
export function totalsOf({ sumsByPurpose }: CommandRequests): Totals {
  const isOutsideBudget = (purpose: string): boolean => / (events|writers|arrival)$/.test(purpose)
  const sumOf = (measure: (sum: Sum) => number, isOutside = false): number =>
    [...sumsByPurpose].reduce(
      (subtotal, [purpose, sum]) =>
        subtotal + (isOutsideBudget(purpose) === isOutside ? measure(sum) : 0),
      0,
    )
  return {
    writes: sumOf(sum => (sum.writeUnits > 0 ? sum.requests : 0)),
    writeUnits: sumOf(sum => sum.writeUnits),
    reads: sumOf(sum => (sum.readUnits > 0 ? sum.requests : 0)),
    readUnits: sumOf(sum => sum.readUnits),
    messages: sumsByPurpose.get('messages')?.items ?? 0,
    excludedUnits: sumOf(sum => sum.writeUnits, true),
  }
}

/**
 * Checks the requests of commands. Throws with the figures of a command that exceeds the budget,
 * and for a head of more than a kilobyte.
 */
export function checkBudget(measurements: readonly CommandRequests[]): void {
  for (const commandRequests of measurements) {
    const { command, resources, sumsByPurpose } = commandRequests
    const steps = command === 'same' ? 0 : resources
    const totals = totalsOf(commandRequests)
    const bounds = {
      writes: budget.fixed.writes + steps * budget.step.writes,
      writeUnits: budget.fixed.writes + steps * budget.step.writes,
      reads: budget.fixed.reads + steps * budget.step.reads,
      readUnits: budget.fixed.reads + steps * budget.stepReadUnits,
    }
    const exceededNames = (Object.keys(bounds) as (keyof typeof bounds)[]).filter(
      name => totals[name] > bounds[name],
    )
    if (exceededNames.length > 0)
      throw new Error(
        `${command} of ${resources} exceeds the budget of ${exceededNames.join(', ')}: ${formatFigures(totals, sumsByPurpose)}`,
      )
    const heads = sumsByPurpose.get('UpdateItem head')
    if (heads !== undefined && heads.writeUnits !== heads.requests)
      throw new Error(`${command}: a head is larger than a kilobyte`)
  }
}

/** Formats the figures of a command for a message. */
function formatFigures(totals: object, sumsByPurpose: ReadonlyMap<string, Sum>): string {
  const lines = [...sumsByPurpose].map(([purpose, sum]) => `  ${purpose} ${JSON.stringify(sum)}`)
  return [JSON.stringify(totals), ...lines.toSorted()].join('\n')
}
