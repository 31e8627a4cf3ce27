/**
 * local: composes the handlers of functions/ over the embedded platform in one process. There is no
 * second engine and no daemon. Imports functions and below.
 */
import type { DeployResult } from '../shared/engine/request.ts'
import type { BackendPlatform } from '../shared/platform/backend/backend-platform.ts'
import type { Platform } from '../shared/ports/platform.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../shared/platform/embedded/embedded-platform.ts'
import { createError } from '../shared/errors/error.ts'
import type { StackRecord } from '../shared/ports/catalog.ts'
import type { PointInTime } from '../shared/records/point-in-time.ts'
import { createLogger, silentLogger } from '../shared/platform/system/logger.ts'
import { openTelemetry } from '../shared/platform/telemetry/open-telemetry.ts'
import { withTelemetryLogs } from '../shared/platform/telemetry/telemetry-logs.ts'
import { killGroup } from '../shared/platform/system/process-groups.ts'
import { freeDeploymentCost } from '../shared/records/deployment-cost.ts'
import { deploymentIdOf, deploymentPartsOf, type StackId } from '../shared/records/ids.ts'
import { withoutOperationOrigins } from '../shared/state/pending.ts'
import { exportState, requireStack } from '../shared/runtime/state/export-state.ts'
import { openServiceManager } from '../shared/runtime/credentials/stack-service-keys.ts'
import { readHistoryRecord } from '../shared/engine/deployment/retention/read-history-and-versions.ts'
import { readCourse } from '../shared/runtime/forecast/read-course.ts'
import { readStateAt, readDeploymentTimeline } from '../shared/runtime/state/state-at-time.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { requireInterrupted } from '../functions/step-generator/resume-deployment.ts'
import type { EngineOptions, EnginePort } from './engine-port.ts'
import {
  readRetentionPolicy,
  prune,
  type PruneDeps,
  pruneAfterCommand,
} from '../functions/compaction/prune.ts'
import { withGeneratorStoreRetry } from '../shared/runtime/deployment/retrying-ports.ts'
import { createHolderCheck, createProcessHolder, findLocalUser } from './process-holder.ts'
import type * as apiHandlers from './lazy-api-handlers.ts'
import type * as deploymentHandlers from './lazy-deployment-handlers.ts'
import { readDeploymentStatus } from '../functions/step-generator/deployment-status.ts'

/** The engine over the embedded platform, for the command line. */
export interface LocalEngine extends EnginePort {
  readonly platform: EmbeddedPlatform
}

/**
 * Opens the embedded platform below a home folder, alone or over a self-managed backend. Throws
 * STORE_UNAVAILABLE, and the errors of the backend.
 */
export async function openLocal(options: EngineOptions): Promise<LocalEngine> {
  const { platform, backend } = await openPlatform(options)
  const ports = createGeneratorPorts(platform)
  const retryingPorts = withGeneratorStoreRetry(ports, {
    shouldRetry: () => true,
    onOutage: message => platform.logger.write('warn', 'store.refused', { message }),
  })
  const pruneDeps = {
    platform,
    isAlive: ports.isAlive,
    retention: readRetentionPolicy(process.env),
  }
  return {
    platform,
    preload: () => void loadDeploymentHandlers().catch(() => undefined),
    startConnecting: platform.startConnecting,
    deploy: async (request, sink) => {
      const { deploy } = await loadDeploymentHandlers()
      const recordedRequest = { ...request, by: findLocalUser() }
      const running = await deploy({ platform, ports, request: recordedRequest, sink })
      if (request.dryRun) return running
      return { ...running, done: pruneAfter(pruneDeps, running.done) }
    },
    findInterrupted: (stack, wantedNumber) => findInterrupted(retryingPorts, stack, wantedNumber),
    cancel: async (stack, cancelOptions) => {
      const brokenLocks = (await backend?.breakLocks(stack)) ?? 0
      const { cancel } = await loadDeploymentHandlers()
      const result = await cancel(retryingPorts, stack, cancelOptions)
      return result.kind === 'none' && brokenLocks > 0 ? { kind: 'unlocked', brokenLocks } : result
    },
    forgetStack: async stack => (await loadApiHandlers()).removeStackDocuments(platform, stack),
    readStatus: stack => readDeploymentStatus(retryingPorts, stack),
    redrive: async stack => (await loadDeploymentHandlers()).redrive(retryingPorts, stack),
    ...createEditors(platform, retryingPorts),
    ...(backend === undefined
      ? {}
      : {
          publishFirstState: async (stack, manager) => {
            const { createFirstState } = await loadDeploymentHandlers()
            const state = createFirstState(manager, platform.clock.now())
            await backend.publishFirstState(stack, state)
          },
          listLegacyStacks: backend.listLegacyStacks,
          upgradeLayout: backend.upgradeLayout,
          ...(backend.findLegacyStack === undefined
            ? {}
            : { findLegacyStack: backend.findLegacyStack }),
        }),
    openServiceManager: (stack, managerState) => openServiceManager(platform, stack, managerState),
    exportStateAt: async (stack, pointInTime) => {
      const record = await requireStack(platform, stack)
      if (backend !== undefined) requireKnownTime(record, pointInTime)
      const state = await readStateAt(platform, record, pointInTime, platform.clock.now())
      return state === undefined ? undefined : withoutOperationOrigins(state)
    },
    ...createReaders(platform),
    prune: scope => prune(pruneDeps, scope),
    serve: async serveOptions =>
      (await loadApiHandlers()).serveHome({ platform, ports, home: options.home }, serveOptions),
    callApi: async request => {
      const { callApiInProcess, createApiPorts } = await loadApiHandlers()
      return callApiInProcess(createApiPorts(platform, undefined), ports.holder.who, request)
    },
    close: () => platform.close().then(platform.telemetry.flush),
  }
}

/** Creates the functions that edit states, and rename stacks. */
function createEditors(
  platform: Platform,
  ports: GeneratorPorts,
): Pick<LocalEngine, 'putState' | 'editState' | 'renameStack'> {
  const by = findLocalUser()
  return {
    putState: async (stack, state) =>
      (await loadDeploymentHandlers()).putNamedState(platform, stack, state),
    editState: async (stack, edit) =>
      (await loadDeploymentHandlers()).editState(platform, ports, { stack, edit, by }),
    renameStack: async (from, to) =>
      (await loadDeploymentHandlers()).renameStack(platform, ports, { from, to, by }),
  }
}

/** Creates the functions that read states and past deployments. */
function createReaders(
  platform: Platform,
): Pick<LocalEngine, 'exportState' | 'readTimeline' | 'readCourse' | 'readCost'> {
  return {
    exportState: (stack, version) => exportState(platform, stack, version),
    readTimeline: async (stack, number) =>
      readDeploymentTimeline(platform, await requireStack(platform, stack), number),
    readCourse: async (stack, number) =>
      readCourse(platform, await requireStack(platform, stack), number),
    readCost: async (stack, number) => {
      const record = await readHistoryRecord(platform.catalog, deploymentIdOf(stack, number))
      if (record === undefined)
        throw createError('DEPLOYMENT_UNKNOWN', `the stack has no deployment ${number}`)
      return { record, cost: freeDeploymentCost }
    },
  }
}

/** Throws MOMENT_UNKNOWN for a time before this machine first used a stack of a backend. */
function requireKnownTime({ createdAt }: StackRecord, pointInTime: PointInTime): void {
  if (pointInTime.kind !== 'time' || pointInTime.timeMs >= createdAt) return
  const time = new Date(createdAt).toISOString()
  throw createError(
    'MOMENT_UNKNOWN',
    `the records of this machine about the stack begin later, at ${time}`,
    {
      hint: 'The backend has earlier states as the checkpoints below .pulumi/history/.',
    },
  )
}

/**
 * Loads the handlers that change stacks. They are most of the code, and commands that only read a
 * stack do without them.
 */
function loadDeploymentHandlers(): Promise<typeof deploymentHandlers> {
  return import('./lazy-deployment-handlers.ts')
}

/** Loads the handlers of the API, which deployments do without. */
function loadApiHandlers(): Promise<typeof apiHandlers> {
  return import('./lazy-api-handlers.ts')
}

/** Opens the embedded platform, alone or over the backend of the options. */
async function openPlatform({ home, verbose, backend: backendOptions }: EngineOptions): Promise<{
  readonly platform: EmbeddedPlatform
  readonly backend?: BackendPlatform
}> {
  const write = (line: string): void => void process.stderr.write(line)
  const telemetry = openTelemetry({
    env: process.env,
    onWarning: message => write(`warning: ${message}\n`),
  })
  const lineLogger = verbose ? createLogger({ level: 'debug', write }) : silentLogger
  const logger = withTelemetryLogs(lineLogger, telemetry)
  if (backendOptions === undefined)
    return { platform: await openEmbeddedPlatform({ home, logger, telemetry, connectsLate: true }) }
  const { openBackendPlatform } = await import('../shared/platform/backend/backend-platform.ts')
  const holder = createProcessHolder()
  const backend = await openBackendPlatform({
    ...backendOptions,
    home,
    logger,
    telemetry,
    holder,
    env: process.env,
    isAlive: createHolderCheck(holder),
    onNotice: message => write(`${message}\n`),
    closeDeployment: async (platform, deployment) =>
      (await loadDeploymentHandlers()).closeDeadDeployment(
        createDeadDeploymentPorts(platform),
        deployment,
      ),
  })
  return { platform: backend, backend }
}

/**
 * Creates the ports for the close of a deployment that another machine ran. All processes of the
 * deployment count as dead.
 */
function createDeadDeploymentPorts(platform: EmbeddedPlatform): GeneratorPorts {
  return {
    ...createGeneratorPorts(platform),
    isAlive: () => false,
    // The leases of the deployment name process groups of another machine, so none is ended here.
    endProcessGroup: () => undefined,
  }
}

/** Removes old records after a successful deployment; see `pruneAfterCommand`. */
async function pruneAfter(
  pruneDeps: PruneDeps,
  done: Promise<DeployResult>,
): Promise<DeployResult> {
  const result = await done
  if (result.result === 'succeeded') await pruneAfterCommand(pruneDeps)
  return result
}

/** Creates the ports of the generator over the embedded platform. */
export function createGeneratorPorts(platform: EmbeddedPlatform): GeneratorPorts {
  const holder = createProcessHolder()
  return {
    ownDeployments: new Set(),
    decisionLog: platform.decisionLog,
    blobs: platform.blobs,
    operations: platform.operations,
    control: platform.control,
    catalog: platform.catalog,
    leases: platform.leases,
    requests: platform.requests,
    nudges: platform.nudges,
    chains: platform.chains,
    hints: platform.hints,
    clock: platform.clock,
    logger: platform.logger,
    telemetry: platform.telemetry,
    random: platform.random,
    documents: platform.documents,
    compact: async deployment => (await loadDeploymentHandlers()).compact(platform, deployment),
    holder,
    isAlive: createHolderCheck(holder),
    endProcessGroup: group => void killGroup(group),
  }
}

async function findInterrupted(
  ports: GeneratorPorts,
  stack: StackId,
  wantedNumber: number | undefined,
): ReturnType<EnginePort['findInterrupted']> {
  const wantedDeployment =
    wantedNumber === undefined ? undefined : deploymentIdOf(stack, wantedNumber)
  const { deployment, pin } = await requireInterrupted(ports, stack, wantedDeployment)
  return { deployment, number: deploymentPartsOf(deployment).number, options: pin.options }
}
