/**
 * local: the installation of AWS on one machine. The functions are the bundles that the CDK app
 * would upload; each environment is a process with folders and variables of its own under a Lambda
 * Runtime API of ours; what they share are the emulators of DynamoDB, SQS, S3 and KMS. Imports what
 * infra may, and clients of AWS.
 *
 * Invariants: 1. No environment sees a variable or a folder of ours or of another one. 2. It lives
 * as on Lambda: one call at a time, stopped in between, killed at its limit with its group.
 * 3. Messages that no call has answered are left to their queue. 4. Everything listens on loopback
 * only, and ends with this process.
 */
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { QueueName } from '../../shared/config/aws-places.ts'
import { createSchedulerClient } from '../../shared/platform/aws/scheduler.ts'
import { type AwsSettings, createSqs } from '../../shared/platform/aws/clients.ts'
import { startSupervisor, type Supervisor } from '../../shared/platform/system/supervisor.ts'
import { type FunctionName, type FunctionRow, functionsTable } from '../functions-table.ts'
import type { Settings } from '../settings.ts'
import type { Environment, Outcome } from './environment.ts'
import { type EventSource, startEventSource } from './event-source.ts'
import { type Called, createFleet, type Fleet } from './fleet.ts'
import { startFronts } from './fronts.ts'
import { startScheduler } from './scheduler.ts'
import { startTasks, type Tasks } from './long-pool.ts'
import { createServices, localArn, type Services } from './services.ts'

/** What a local cloud is made of. */
export interface CloudAbout {
  readonly settings: Settings
  /** Where the emulators are. */
  readonly aws: AwsSettings
  /** The folder of a function's bundle; undefined for one that has no entry. */
  readonly code: (row: FunctionRow) => string | undefined
  /** A folder for environments. */
  readonly folder: string
  /** Variables of every function beside its places: endpoints, credentials, PATH, passphrase. */
  readonly variables: Readonly<Record<string, string>>
  /** Between two calls of compaction. */
  readonly tidyMs: number
  /** Where webhooks are taken, on loopback; a port that is free by default. */
  readonly webhookPort?: number
  /** Where the API is, on loopback; a port that is free by default. */
  readonly apiPort?: number
  /** Other limits than those of the table. */
  readonly limitMs?: Partial<Readonly<Record<FunctionName, number>>>
  readonly idleMs?: number
  /** Other times than those of the infrastructure, in seconds. */
  readonly hidden?: Partial<Readonly<Record<QueueName, number>>>
  readonly told: CloudTold
}

/** What a local cloud tells. */
export interface CloudTold {
  readonly called: (name: FunctionName, called: Called) => void
  /** A line of an environment. */
  readonly said: (name: FunctionName, pid: number, line: string) => void
  /** The status of a request to the API, as `GET /v1/stacks`. */
  readonly replied?: (what: string, status: number) => void
  readonly failed: (why: string) => void
}

/** An installation that runs. */
export interface LocalCloud {
  readonly services: Services
  readonly names: readonly FunctionName[]
  /** Of webhooks, without the last part that names the webhook. */
  readonly webhookUrl: string
  /** Of the API: for `antichain login`. */
  readonly apiUrl: string
  /** Calls a function of it. */
  readonly invoke: (name: FunctionName, event: unknown) => Promise<Outcome>
  readonly environments: (name: FunctionName) => readonly Environment[]
  /** Pids of the tasks that a function has in the long pool. */
  readonly longTasks: (name: FunctionName) => readonly number[]
  /** Ends event sources, schedules and environments, and removes what was made. */
  readonly end: () => Promise<void>
}

/** Makes the services of an installation and runs its functions. Throws what making them throws. */
export async function startCloud(given: CloudAbout): Promise<LocalCloud> {
  const { settings, aws, told, hidden } = given
  const { installation } = settings
  mkdirSync(given.folder, { recursive: true, mode: 0o700 })
  const fleets = new Map<FunctionName, Fleet>()
  const invoke: LocalCloud['invoke'] = (name, event) =>
    fleets.get(name)?.invoke(event) ??
    Promise.resolve({ kind: 'failed', why: `there is no function ${name}` })
  const fronts = await startFronts(given, invoke, () => fleets.get('api'))
  const { webhookUrl, apiUrl, lambdaUrl } = fronts
  const variables = { ...given.variables, ANTICHAIN_LAMBDA_ENDPOINT: lambdaUrl }
  const about = { ...given, variables }
  const services = await createServices(aws, {
    installation,
    webhookUrl,
    ...(hidden === undefined ? {} : { hidden }),
  }).catch(async (thrown: unknown) => {
    await fronts.close()
    throw thrown
  })
  const supervisor = startSupervisor()
  for (const row of functionsTable) {
    const code = about.code(row)
    if (code !== undefined)
      fleets.set(row.name, fleetOf(about, row, { code, services, supervisor }))
  }
  const sqs = createSqs(aws)
  const sources = functionsTable.flatMap(row => {
    const fleet = fleets.get(row.name)
    if (fleet === undefined || row.consumes === undefined) return []
    const { queue, batchSize, concurrencyMax } = row.consumes
    const source = startEventSource({
      sqs,
      queue: services.queues[queue],
      region: aws.region,
      batchSize,
      concurrencyMax: concurrencyMax?.(settings) ?? 1,
      invoke: fleet.invoke,
      failed: told.failed,
    })
    return [source]
  })
  const tasks = longTasks(about, { services, supervisor, sqs })
  const endScheduling = startScheduling(about, services, invoke)
  const endTidying = keepTidying(fleets.get('compaction'), about.tidyMs)
  return {
    services,
    names: [...fleets.keys()],
    webhookUrl,
    apiUrl,
    invoke,
    environments: name => fleets.get(name)?.environments() ?? [],
    longTasks: name => tasks.get(name)?.running() ?? [],
    end: async () => {
      endTidying()
      await endScheduling()
      await fronts.close()
      await Promise.all([...tasks.values()].map(each => each.end()))
      await ended(sources, [...fleets.values()])
      await supervisor.close()
      sqs.destroy()
      await services.remove()
      await rm(about.folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** The tasks of the long pool, by the function whose handler they run. */
function longTasks(
  about: CloudAbout,
  given: {
    readonly services: Services
    readonly supervisor: Supervisor
    readonly sqs: ReturnType<typeof createSqs>
  },
): ReadonlyMap<FunctionName, Tasks> {
  const { settings, told } = about
  const { services, supervisor, sqs } = given
  const all = functionsTable.flatMap(row => {
    const code = about.code(row)
    if (code === undefined || row.longQueue === undefined) return []
    const tasks = startTasks({
      sqs,
      supervisor,
      code,
      queue: services.queues[row.longQueue],
      folders: join(about.folder, 'tasks'),
      name: `${settings.installation}-long-${row.name}`,
      variables: { ...about.variables, ...services.places(row.places, 'long') },
      said: (pid, line) => told.said(row.name, pid, line),
      failed: told.failed,
    })
    return [[row.name, tasks] as const]
  })
  return new Map(all)
}

/** Schedules call functions by their ARNs, of which the last part is the name. */
function startScheduling(
  { aws, settings, told }: CloudAbout,
  { scheduleGroup: group }: Services,
  invoke: LocalCloud['invoke'],
): () => Promise<void> {
  const client = createSchedulerClient(aws)
  const scheduler = startScheduler({
    client,
    group,
    invoke: (arn, event) => {
      const name = functionsTable.find(
        row => localArn(settings.installation, aws.region, row.name) === arn,
      )?.name
      const unknown = { kind: 'failed', why: `there is no function ${arn}` } as const
      return name === undefined ? Promise.resolve(unknown) : invoke(name, event)
    },
    failed: told.failed,
  })
  return async () => {
    await scheduler.end()
    client.destroy()
  }
}

function fleetOf(
  about: CloudAbout,
  row: FunctionRow,
  given: {
    readonly code: string
    readonly services: Services
    readonly supervisor: Supervisor
  },
): Fleet {
  const { settings, aws, told } = about
  const { code, services, supervisor } = given
  const { name } = row
  return createFleet({
    name: `${settings.installation}-${name}`,
    arn: localArn(settings.installation, aws.region, name),
    code,
    supervisor,
    folders: join(about.folder, 'environments'),
    memoryMb: row.memoryMb(settings),
    limitMs: about.limitMs?.[name] ?? row.timeoutSeconds * 1_000,
    idleMs: about.idleMs ?? cloudLimits.idleMs,
    variables: { ...about.variables, ...services.places(row.places, 'short') },
    said: (pid, line) => told.said(name, pid, line),
    called: called => told.called(name, called),
  })
}

/** The regular call of compaction, as its schedule makes it; one at a time. */
function keepTidying(compaction: Fleet | undefined, everyMs: number): () => void {
  let isOpen = false
  const timer = setInterval(() => {
    if (isOpen || compaction === undefined) return
    isOpen = true
    void compaction.invoke({ kind: 'tidy' }).finally(() => {
      isOpen = false
    })
  }, everyMs)
  return () => clearInterval(timer)
}

/** Environments are killed once those that wait for their messages take no more. */
async function ended(sources: readonly EventSource[], fleets: readonly Fleet[]): Promise<void> {
  const ending = sources.map(source => source.end())
  await Promise.all(fleets.map(fleet => fleet.end()))
  await Promise.all(ending)
}
