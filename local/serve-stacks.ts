import { createEventRecorder } from '../shared/engine/events/event-recorder.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import type { Pin } from '../shared/engine/deployment/log/log-view.ts'
import {
  readFirstPin,
  requireSupportedRules,
} from '../shared/engine/deployment/log/supported-rules.ts'
import { closeDeadDeployment } from '../shared/engine/deployment/ownership/take-over.ts'
import type { DeployInput } from '../shared/engine/request.ts'
import { DeployError, hasCode, messageOf } from '../shared/errors/error.ts'
import type { CatalogPort, StackRecord } from '../shared/ports/catalog.ts'
import { listOpenDeployments } from '../shared/ports/open-deployments.ts'
import type { Platform } from '../shared/ports/platform.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../shared/records/ids.ts'
import { readDeploymentStatus } from '../functions/step-generator/deployment-status.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import type { StackRequest } from '../shared/records/stack-request.ts'
import { startSeparateExecutors } from './separate-executors.ts'
import { withStoreRetry } from '../shared/runtime/deployment/retrying-ports.ts'
import type { Hosts } from '../shared/runtime/environment/run-input.ts'
import { errorSourceOf } from '../shared/providers/retry-policy.ts'

/** The roles of a serving process. */
export type ServeRole = 'generator' | 'executor'

/** The options of a serving process. */
export interface ServeOptions {
  readonly roles: ReadonlySet<ServeRole>
  /** Returns the request of a deployment, from the location of its program in the pin. */
  readonly requestOf: (deployment: DeploymentId, pin: Pin) => Promise<DeployInput>
  /**
   * Continues an interrupted deployment until it has ended, or until this process must shut down.
   */
  readonly resume: (deployment: DeploymentId, pin: Pin) => Promise<unknown>
  /** Runs a request of a stack's queue. Absent: queues are not served. */
  readonly runRequest?: (request: StackRequest) => Promise<void>
  /** Called by a generator at every check for each stack without a current deployment. */
  readonly onIdleStack?: (stack: StackRecord) => Promise<void>
  /** Returns a signal that ends the current pause early when a new request may be waiting. */
  readonly wakeSignal?: () => AbortSignal
  /** Time limit of one executor, in ms; executors of the long pool have none. Absent: no limit. */
  readonly functionLimitMs: number | undefined
  /** Receives one-line messages for the user. */
  readonly onMessage: (line: string) => void
  /**
   * Aborts when the process must shut down: no task begins any more, and running tasks are awaited.
   */
  readonly shutdown: AbortSignal
}

interface ServeDeps {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  /** Replaces the hosts of programs and plugins in tests. */
  readonly hostsOf?: (deployment: DeploymentId) => Hosts
}

/** Interval at which the catalog is checked, in ms. */
const catalogCheckMs = 1_000

/**
 * Serves every stack of the store until `shutdown` aborts. As a generator, this process continues
 * deployments whose holder died, and runs queued requests. As an executor, it runs operations of
 * deployments whose generators leave them to other processes. A deployment that cannot be continued
 * is reported once, and the user must resume or cancel it.
 */
export async function serveStacks(deps: ServeDeps, options: ServeOptions): Promise<void> {
  const { platform } = deps
  // A key contains the role, because a process that runs operations of a deployment may also have
  // to continue that deployment as its generator.
  const runningTasks = new Map<string, Promise<void>>()
  const failedKeys = new Set<string>()
  const unreadableStacks = new Set<StackId>()
  const reportedLines = new Set<string>()
  const reportFailure = (key: string, subject: string, thrown: unknown): void => {
    if (isTransient(thrown)) return
    failedKeys.add(key)
    const line = `${subject}: ${messageWithHintOf(thrown)}`
    if (!reportedLines.has(line)) options.onMessage(line)
    reportedLines.add(line)
  }
  const startTask = (key: string, subject: string, task: () => Promise<unknown>): void => {
    const completion = task()
      .then(
        () => undefined,
        thrown => reportFailure(key, subject, thrown),
      )
      .finally(() => runningTasks.delete(key))
    runningTasks.set(key, completion)
  }
  const serveDeployment = async (deployment: DeploymentId, role: ServeRole): Promise<void> => {
    const key = `${role} ${deployment}`
    if (runningTasks.has(key) || failedKeys.has(key)) return
    try {
      const task = await findTask(deps, options, { deployment, role })
      if (task !== undefined && !options.shutdown.aborted) startTask(key, deployment, task)
    } catch (thrown) {
      // A deployment with unreadable records, or with newer rules, does not affect the others.
      reportFailure(key, deployment, thrown)
    }
  }
  const serveQueue = async (stack: StackId): Promise<void> => {
    const key = `queue ${stack}`
    const { runRequest } = options
    if (runRequest === undefined || runningTasks.has(key)) return
    const [nextRequest] = await readWaiting(platform, stack)
    if (nextRequest !== undefined && !options.shutdown.aborted)
      startTask(key, `${stack} ${nextRequest.key}`, () => runRequest(nextRequest))
  }
  while (!options.shutdown.aborted) {
    const { stacks, unreadable } = await listStacks(platform)
    for (const { id, reason } of unreadable) {
      if (unreadableStacks.has(id)) continue
      unreadableStacks.add(id)
      options.onMessage(`${id}: ${messageWithHintOf(reason)}`)
    }
    for (const stack of stacks) {
      const { id, current } = stack
      for (const deployment of listOpenDeployments(stack))
        for (const role of options.roles) await serveDeployment(deployment, role)
      if (current === '' && options.roles.has('generator')) {
        await options.onIdleStack?.(stack)
        await serveQueue(id)
      }
    }
    const wakeSignal = options.wakeSignal?.()
    const pauseEnd =
      wakeSignal === undefined ? options.shutdown : AbortSignal.any([options.shutdown, wakeSignal])
    await platform.clock.sleep(catalogCheckMs, pauseEnd)
  }
  await Promise.all(runningTasks.values())
}

/**
 * Returns the stacks of the store, or none during a store outage. An error would end this process
 * with its running tasks.
 */
async function listStacks({ catalog, logger }: Platform): ReturnType<CatalogPort['listStacks']> {
  try {
    return await catalog.listStacks()
  } catch (thrown) {
    if (errorSourceOf(thrown) !== 'store') throw thrown
    logger.write('warn', 'serve.failed', { message: messageOf(thrown) })
    return { stacks: [], unreadable: [] }
  }
}

/** Returns the first waiting request of a stack, or none if the queue cannot be read. */
async function readWaiting(
  { requests, logger }: Platform,
  stack: StackId,
): Promise<readonly StackRequest[]> {
  try {
    return await requests.listWaiting(stack, 1)
  } catch (thrown) {
    logger.write('warn', 'serve.failed', { message: messageOf(thrown) })
    return []
  }
}

/** Returns the message of an error with its hint. */
function messageWithHintOf(thrown: unknown): string {
  return thrown instanceof DeployError ? `${thrown.message} (${thrown.hint})` : messageOf(thrown)
}

/**
 * Reports whether an error is temporary: another process was faster, the deployment has ended, or
 * the store was unavailable.
 */
function isTransient(thrown: unknown): boolean {
  return (
    errorSourceOf(thrown) === 'store' ||
    hasCode(thrown, 'NOTHING_TO_RESUME') ||
    hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') ||
    hasCode(thrown, 'STACK_BUSY')
  )
}

/**
 * Returns the task that a deployment has for this process in a role, if there is one. Throws
 * RECORD_TOO_NEW.
 */
async function findTask(
  deps: ServeDeps,
  options: ServeOptions,
  { deployment, role }: { readonly deployment: DeploymentId; readonly role: ServeRole },
): Promise<(() => Promise<unknown>) | undefined> {
  const { platform, ports } = deps
  const control = await platform.control.read(deployment)
  if (control?.closed === true) return undefined
  const pin = await readFirstPin(platform, deployment)
  requireSupportedRules(deployment, pin)
  if (role === 'executor')
    return pin !== undefined && pin.options.execute !== 'here'
      ? () => executeDeployment(deps, options, { deployment, pin })
      : undefined
  const status = await readDeploymentStatus(ports, deploymentPartsOf(deployment).stack, deployment)
  if (status.kind === 'interrupted' && pin !== undefined)
    return () => options.resume(deployment, pin)
  if (status.kind !== 'ending') return undefined
  return async () => {
    await closeDeadDeployment(ports, deployment)
    options.onMessage(`${deployment} was interrupted and could not be continued; it is now closed.`)
  }
}

/** Runs operations of one deployment, in executors of this process, until it has ended. */
async function executeDeployment(
  { platform, ports, hostsOf }: ServeDeps,
  options: ServeOptions,
  { deployment, pin }: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<void> {
  const request = await options.requestOf(deployment, pin)
  const recorder = createEventRecorder(platform, deployment, `executor-${platform.random.uuid()}`)
  // The generator emits the events of all steps. This process emits only diagnostic messages.
  const sink: EventSink = {
    emit: event => {
      if ('diagnosticEvent' in event) recorder.emit(event)
    },
  }
  const hosts = hostsOf && (() => hostsOf(deployment))
  const { functionLimitMs: limitMs, shutdown } = options
  const baseInput = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const input = withStoreRetry(baseInput, { shouldRetry: () => true, onOutage: options.onMessage })
  options.onMessage(`running operations of deployment ${deploymentPartsOf(deployment).number}`)
  try {
    await startSeparateExecutors(input, { deployment, limitMs, shutdown }).done
  } finally {
    await recorder.flush()
  }
}
