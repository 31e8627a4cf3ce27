import { join } from 'node:path'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import type { AwsSettings, createEcsClient } from '../../shared/platform/aws/clients.ts'
import { createLongPoolServices } from '../../shared/platform/aws/long-pool-services.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'
import { longPoolScratchGib } from '../constructs/long-pool.ts'
import type { FunctionName, FunctionRow } from '../function-row.ts'
import { fullNameOf, listLocalFunctions, type LocalFunction } from './deployed-functions.ts'
import type { Settings } from '../settings.ts'
import { type CompletedCall, createFleet, type Fleet } from './fleet.ts'
import type { ProcessSandboxOptions } from './isolated-process.ts'
import { type LongPoolTasks, startLongPoolTasks } from './long-pool-tasks.ts'
import type { ProcessAccess } from './process-access.ts'
import { localArnOf } from './service-variables.ts'

/** The options of functions and of tasks of the long pool. */
export interface ProcessOptions {
  readonly settings: Settings
  /** The settings of AWS clients, with the endpoints of the emulators. */
  readonly aws: AwsSettings
  /** Returns the folder of a function's bundle. Undefined when the function has no entry file. */
  readonly bundleOf: (row: FunctionRow) => string | undefined
  /** The folder below which environments and tasks have folders of their own. */
  readonly folder: string
  /** Variables besides those of the template: credentials, PATH, passphrase. */
  readonly variables: Readonly<Record<string, string>>
  /** The sandboxes of functions and tasks, as on Lambda. Absent: they are plain processes. */
  readonly sandbox?: Pick<ProcessSandboxOptions, 'writableFolders'>
  /** Time limits that replace those of the functions table. */
  readonly limitMs?: Partial<Readonly<Record<FunctionName, number>>>
  /** Time after which an idle environment is killed. Absent: the default. */
  readonly idleMs?: number
  readonly reporter: ProcessReporter
}

/** The receiver of the events of functions and tasks. */
export interface ProcessReporter {
  readonly onCall: (name: FunctionName, call: CompletedCall) => void
  /** Receives an output line of an environment or a task. */
  readonly onLine: (name: FunctionName, pid: number, line: string) => void
  readonly onCloudFailure: (reason: string) => void
}

/**
 * Creates the fleet of a function: its environments, which have the variables and permissions of
 * the template.
 */
export function createFunctionFleet(
  options: ProcessOptions,
  localFunction: LocalFunction,
  context: {
    readonly bundleFolder: string
    readonly access: ProcessAccess
    readonly supervisor: Supervisor
  },
): Fleet {
  const { aws, reporter } = options
  const { bundleFolder, access, supervisor } = context
  const { row, settings } = localFunction
  const { name } = row
  const functionName = fullNameOf(localFunction)
  return createFleet({
    name: functionName,
    arn: localArnOf(settings.installation, aws.region, name),
    bundleFolder,
    supervisor,
    parentFolder: join(options.folder, 'environments'),
    memoryMb: row.memoryMb(settings),
    allowsRecursion: access.allowsRecursion(functionName),
    ...sandboxOptionsOf(options, row.scratchMb?.(settings) ?? localCloudLimits.scratchMb),
    limitMs: options.limitMs?.[name] ?? row.timeoutSeconds * 1_000,
    idleMs: options.idleMs ?? localCloudLimits.environmentIdleMs,
    variables: { ...options.variables, ...access.variablesOf(functionName) },
    onLine: (pid, line) => reporter.onLine(name, pid, line),
    onCall: call => reporter.onCall(name, call),
  })
}

function sandboxOptionsOf(
  { sandbox }: ProcessOptions,
  scratchMb: number,
): { readonly sandbox?: ProcessSandboxOptions } {
  if (sandbox === undefined) return {}
  const { descriptorsMax } = localCloudLimits
  return { sandbox: { ...sandbox, limits: { scratchMb, descriptorsMax } } }
}

/** The tasks of a function in the long pool, for one group of stacks. */
export interface FunctionTasks {
  readonly name: FunctionName
  readonly tasks: LongPoolTasks
}

/**
 * Starts the long pool, whose tasks start when the scaler requests them. Returns the tasks of each
 * queue, with the name of the queue's function.
 */
export function startLongTasks(
  options: ProcessOptions,
  context: {
    readonly access: ProcessAccess
    readonly supervisor: Supervisor
    readonly ecs: ReturnType<typeof createEcsClient>
  },
): readonly FunctionTasks[] {
  const { reporter } = options
  const { access, supervisor, ecs } = context
  return listLocalFunctions(options.settings).flatMap(({ row, settings }) => {
    const bundleFolder = options.bundleOf(row)
    if (bundleFolder === undefined || row.longQueue === undefined) return []
    const name = `${settings.installation}-long-${row.name}`
    const tasks = startLongPoolTasks({
      services: createLongPoolServices(ecs, settings.installation),
      supervisor,
      bundleFolder,
      ...sandboxOptionsOf(options, longPoolScratchGib * 1_024),
      queue: row.longQueue,
      parentFolder: join(options.folder, 'tasks'),
      name,
      variables: { ...options.variables, ...access.variablesOf(name) },
      onLine: (pid, line) => reporter.onLine(row.name, pid, line),
      onFailure: reporter.onCloudFailure,
    })
    return [{ name: row.name, tasks }]
  })
}
