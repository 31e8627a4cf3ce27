/**
 * local-cloud: the AWS installation on one machine. The functions are the bundles that the CDK app
 * would upload. Each environment is a process with its own folders and variables under an emulated
 * Lambda Runtime API. All environments share the emulators of the AWS services.
 *
 * Invariants: An environment gets only the variables and folders that its options name.
 * An environment behaves as on Lambda: one call at a time, suspended in between, killed at its time
 * limit with its process group. A message stays in its queue until a call succeeds with it, or
 * until it becomes a dead letter. All servers listen on loopback only. All processes end with this
 * process.
 */
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { QueueName } from '../../shared/config/aws-resource-names.ts'
import { createSchedulerClient } from '../../shared/platform/aws/scheduler.ts'
import { createEcsClient, createSqsClient } from '../../shared/platform/aws/clients.ts'
import { startSupervisor } from '../../shared/platform/system/process-supervisor.ts'
import type { FunctionName } from '../function-row.ts'
import { hourlyEvents } from '../hourly-events.ts'
import { functionsTable } from '../functions-table.ts'
import type { Environment, InvocationOutcome } from './environment.ts'
import { type EventSource, startEventSource } from './sqs-event-source.ts'
import type { Fleet } from './fleet.ts'
import type { InvokeFunction } from './invoke-api.ts'
import { listLocalFunctions, type LocalFunction } from './deployed-functions.ts'
import { startListeners } from './http-listeners.ts'
import { openProcessAccess, type PermissionReporter } from './process-access.ts'
import type { IsRevoked } from './permissions/permission-proxy.ts'
import { readProcessConfigurations } from './process-configurations.ts'
import { startScheduler } from './scheduler-emulator.ts'
import { createServices, type LocalServices, servicesOfGroup } from './services.ts'
import { localArnOf } from './service-variables.ts'
import {
  createFunctionFleet,
  type FunctionTasks,
  type ProcessOptions,
  type ProcessReporter,
  startLongTasks,
} from './start-processes.ts'

/** The options of a local cloud. */
export interface CloudOptions extends ProcessOptions {
  /** Interval between the regular calls of compaction, and of the scaler. */
  readonly compactionIntervalMs: number
  /** The loopback port of webhooks. Default: a free port. */
  readonly webhookPort?: number
  /** The loopback port of the API. Default: a free port. */
  readonly apiPort?: number
  /** The loopback port of the service for Pulumi's command line. Default: a free port. */
  readonly servicePort?: number
  /** Visibility timeouts that replace those of the infrastructure, in seconds. */
  readonly visibilitySeconds?: Partial<Readonly<Record<QueueName, number>>>
  /** Reports which permissions of the template are revoked, for tests. */
  readonly isRevoked?: IsRevoked
  readonly reporter: CloudReporter
}

/** The receiver of a local cloud's events. */
export interface CloudReporter extends PermissionReporter, ProcessReporter {
  /** Receives the status of a request to a function URL, such as `GET /v1/stacks`. */
  readonly onHttpResponse?: (requestLine: string, status: number) => void
}

/** A running installation. */
export interface LocalCloud {
  readonly services: LocalServices
  readonly functionNames: readonly FunctionName[]
  /** The common part of webhook addresses: an address ends with the name of its webhook. */
  readonly webhookUrl: string
  /** The address of the API, for `antichain login`. */
  readonly apiUrl: string
  /** The address of the service for Pulumi's command line, for `pulumi login`. */
  readonly serviceUrl: string
  /** Calls a function of the installation. */
  readonly invoke: (name: FunctionName, event: unknown) => Promise<InvocationOutcome>
  readonly listEnvironments: (name: FunctionName) => readonly Environment[]
  /** Lists the pids of a function's tasks in the long pool. */
  readonly listTaskPids: (name: FunctionName) => readonly number[]
  /** Replaces the code of functions and tasks, as an upgrade of the installation does. */
  readonly upgrade: (bundleOf: ProcessOptions['bundleOf']) => void
  /** Ends event sources, schedules, tasks and environments, and removes the created services. */
  readonly end: () => Promise<void>
}

/**
 * Creates the services of an installation and runs its functions. Throws the errors of
 * `createServices`, and CLI_USAGE for an unavailable port.
 */
export async function startCloud(options: CloudOptions): Promise<LocalCloud> {
  const { settings, aws, reporter, visibilitySeconds } = options
  const { installation, groups, secretsKey, inlineMax } = settings
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const fleets: FunctionFleet[] = []
  const findFleet = (name: FunctionName, group?: string): Fleet | undefined =>
    fleets.find(({ target }) => target.row.name === name && target.group === group)?.fleet
  const invoke: InvokeFunction = (name, event, { group, ...call } = {}) =>
    findFleet(name, group)?.invoke(event, call) ??
    Promise.resolve({ kind: 'failed', reason: `the function ${name} does not exist` })
  const listeners = await startListeners(options, invoke, name => findFleet(name))
  const { webhookUrl, apiUrl, serviceUrl, lambdaUrl } = listeners
  const services = await createServices(aws, {
    ...{ installation, groups, secretsKey, inlineMax, webhookUrl, apiUrl, serviceUrl },
    ...(visibilitySeconds === undefined ? {} : { visibilitySeconds }),
  }).catch(async (thrown: unknown) => {
    await listeners.close()
    throw thrown
  })
  const { localResources } = services
  const access = await openProcessAccess(readProcessConfigurations(settings, localResources), {
    endpoints: aws.endpoints,
    localResources,
    lambdaUrl,
    ...{ webhookUrl, apiUrl, serviceUrl },
    isRevoked: options.isRevoked,
    reporter,
  })
  const supervisor = startSupervisor()
  for (const target of listLocalFunctions(settings)) {
    const bundleFolder = options.bundleOf(target.row)
    if (bundleFolder === undefined) continue
    const fleet = createFunctionFleet(options, target, { bundleFolder, access, supervisor })
    fleets.push({ target, fleet })
  }
  const sqs = createSqsClient(aws)
  const ecs = createEcsClient(aws)
  const sources = startEventSources(options, { services, fleets, sqs })
  const longTasks = startLongTasks(options, { access, supervisor, ecs })
  const endScheduling = startScheduleCalls(options, services, invoke)
  const endRegularCalls = startRegularCalls(fleets, options.compactionIntervalMs)
  return {
    services,
    functionNames: [...new Set(fleets.map(({ target }) => target.row.name))],
    ...{ webhookUrl, apiUrl, serviceUrl },
    invoke,
    listEnvironments: name =>
      fleets
        .filter(({ target }) => target.row.name === name)
        .flatMap(({ fleet }) => fleet.listEnvironments()),
    listTaskPids: name =>
      longTasks.filter(row => row.name === name).flatMap(({ tasks }) => tasks.listPids()),
    upgrade: bundleOf => replaceCode(bundleOf, fleets, longTasks),
    end: async () => {
      endRegularCalls()
      await endScheduling()
      await listeners.close()
      await Promise.all(longTasks.map(({ tasks }) => tasks.end()))
      const allFleets = fleets.map(({ fleet }) => fleet)
      await endAll(sources, allFleets)
      await supervisor.close()
      sqs.destroy()
      ecs.destroy()
      await access.close()
      await services.remove()
      await rm(options.folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** The environments of a function of the installation. */
interface FunctionFleet {
  readonly target: LocalFunction
  readonly fleet: Fleet
}

function replaceCode(
  bundleOf: ProcessOptions['bundleOf'],
  fleets: readonly FunctionFleet[],
  longTasks: readonly FunctionTasks[],
): void {
  for (const row of functionsTable) {
    const bundleFolder = bundleOf(row)
    if (bundleFolder === undefined) continue
    for (const { target, fleet } of fleets)
      if (target.row.name === row.name) fleet.replaceCode(bundleFolder)
    for (const { name, tasks } of longTasks) if (name === row.name) tasks.replaceCode(bundleFolder)
  }
}

/** Starts the event sources of the functions that consume a queue. */
function startEventSources(
  { aws, settings, reporter }: CloudOptions,
  deps: {
    readonly services: LocalServices
    readonly fleets: readonly FunctionFleet[]
    readonly sqs: ReturnType<typeof createSqsClient>
  },
): readonly EventSource[] {
  const { services, fleets, sqs } = deps
  return fleets.flatMap(({ target: { row, group }, fleet }) => {
    if (row.consumes === undefined) return []
    const { queue, batchSize, concurrencyMax } = row.consumes
    // A function that all groups share receives the messages of all of them.
    const sharedServices = row.isPerGroup === true ? [] : [...services.groups.values()]
    return [servicesOfGroup(services, group), ...sharedServices].map(({ queues }) =>
      startEventSource({
        sqs,
        queue: queues[queue],
        region: aws.region,
        batchSize,
        concurrencyMax: concurrencyMax?.(settings) ?? 1,
        invoke: fleet.invoke,
        onFailure: reporter.onCloudFailure,
      }),
    )
  })
}

/** Starts the scheduler, which calls functions by their ARNs. Returns the function that ends it. */
function startScheduleCalls(
  { aws, settings, reporter }: CloudOptions,
  { scheduleGroup: group }: LocalServices,
  invoke: LocalCloud['invoke'],
): () => Promise<void> {
  const client = createSchedulerClient(aws)
  const scheduler = startScheduler({
    client,
    group,
    invoke: (arn, event) => {
      const name = functionsTable.find(
        row => localArnOf(settings.installation, aws.region, row.name) === arn,
      )?.name
      const unknownFunction = {
        kind: 'failed',
        reason: `the function ${arn} does not exist`,
      } as const
      return name === undefined ? Promise.resolve(unknownFunction) : invoke(name, event)
    },
    onFailure: reporter.onCloudFailure,
  })
  return async () => {
    await scheduler.end()
    client.destroy()
  }
}

const regularEvents: Partial<Readonly<Record<FunctionName, object>>> = hourlyEvents

/**
 * Calls compaction and the scaler regularly, as their schedules do. Returns the function that ends
 * these calls.
 */
function startRegularCalls(fleets: readonly FunctionFleet[], intervalMs: number): () => void {
  const ends = fleets.flatMap(({ target, fleet }) => {
    const event = regularEvents[target.row.name]
    return event === undefined ? [] : [repeatCall(fleet, event, intervalMs)]
  })
  return () => {
    for (const end of ends) end()
  }
}

/** Calls a function regularly, one call at a time. Returns the function that ends the calls. */
function repeatCall(fleet: Fleet, event: object, intervalMs: number): () => void {
  let isCalling = false
  const timer = setInterval(() => {
    if (isCalling) return
    isCalling = true
    void fleet.invoke(event).finally(() => {
      isCalling = false
    })
  }, intervalMs)
  return () => clearInterval(timer)
}

/**
 * Ends the sources and the fleets. The sources receive no more messages, and end when the killed
 * environments have ended their calls.
 */
async function endAll(sources: readonly EventSource[], fleets: readonly Fleet[]): Promise<void> {
  const sourceEnds = sources.map(source => source.end())
  await Promise.all(fleets.map(fleet => fleet.end()))
  await Promise.all(sourceEnds)
}
