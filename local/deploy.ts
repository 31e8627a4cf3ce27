import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLife, type Life } from '../shared/engine/deployment/life.ts'
import { createSealing } from '../shared/engine/deployment/sealing.ts'
import { readSnapshotBlob } from '../shared/engine/deployment/snapshot-blob.ts'
import { stepOfOperation } from '../shared/engine/deployment/operations.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import { createStepEmitter, type StepEmitter } from '../shared/engine/events/step-emitter.ts'
import { createExecutor, type ExecutionContext } from '../shared/engine/executor/executor.ts'
import type { PerformDeps } from '../shared/engine/executor/perform.ts'
import { createPlanIndex } from '../shared/engine/executor/plan-index.ts'
import { createSlots } from '../shared/engine/executor/slots.ts'
import { type Base, baseOf, providerStateIn } from '../shared/engine/generator/base.ts'
import type { PackageRequest } from '../shared/engine/generator/goal.ts'
import { configInputs } from '../shared/engine/generator/provider-resolution.ts'
import { type MonitorServer, startMonitorServer } from '../shared/engine/monitor/monitor-server.ts'
import { previewCommand } from '../shared/engine/preview-command.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../shared/engine/request.ts'
import { error, messageOf } from '../shared/errors/error.ts'
import { createAssetReader } from '../shared/platform/system/asset-reader.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import type { ProcessesPort } from '../shared/ports/system.ts'
import { type RequiredPackage, requiredPackages } from '../shared/programs/required-packages.ts'
import { createNodeProgramHost } from '../shared/programs/node-host.ts'
import { createPluginHost } from '../shared/providers/plugins/host.ts'
import { createProviderRegistry } from '../shared/providers/registry.ts'
import type { PluginHost } from '../shared/providers/provider.ts'
import type { ExecutorId } from '../shared/records/ids.ts'
import { decodeSnapshot } from '../shared/state/deployment.ts'
import { timestampOf } from '../shared/state/timestamp.ts'
import { hashAssets } from '../shared/values/asset-hash.ts'
import { stripSecrets } from '../shared/values/walk.ts'
import { pollDeliveries } from '../functions/step-executor/handle.ts'
import {
  type GeneratorPorts,
  runDeployment,
  startDeployment,
  type StartedDeployment,
} from '../functions/step-generator/handle.ts'
import { scrubberOf } from './scrub.ts'
import { userPath } from './user-path.ts'

/** What one deployment or preview is made of. */
interface Asked {
  readonly platform: EmbeddedPlatform
  readonly ports: GeneratorPorts
  readonly request: DeployRequest
  readonly sink: EventSink
}

/** Everything of one run that must be ended with it. */
interface Surroundings {
  readonly life: Life
  readonly monitor: MonitorServer
  readonly plugins: PluginHost
  readonly processes: ProcessesPort
  readonly emitter: StepEmitter
  readonly performing: PerformDeps
  readonly baseNow: { current: Base | undefined }
}

const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Starts a deployment or preview in this process. Throws STACK_BUSY before anything runs. */
export async function deploy(asked: Asked): Promise<RunningDeployment> {
  const { request, sink } = asked
  const surroundings = await surround(asked)
  const { emitter } = surroundings
  const startedAt = asked.platform.clock.monotonicMs()
  const prelude = [...request.config].map(
    ([key, value]) => [key, value.secret ? '[secret]' : value.text] as const,
  )
  try {
    const started = request.dryRun ? undefined : await startDeployment(asked.ports, request)
    sink.emit({ preludeEvent: { config: Object.fromEntries(prelude) } })
    return started === undefined
      ? previewRun(asked, surroundings, startedAt)
      : deploymentRun(asked, surroundings, { started, startedAt })
  } catch (thrown) {
    emitter.emit({ cancelEvent: {} })
    await tearDown(surroundings)
    throw thrown
  }
}

async function surround({ platform, request, sink }: Asked): Promise<Surroundings> {
  const { source } = request
  const scrub = scrubberOf(request)
  const emitter = createStepEmitter(sink, {
    planning: request.dryRun,
    refreshCommand: request.options.command === 'refresh',
    scrub,
  })
  const monitor = await startMonitorServer({
    said: ({ severity, message, urn, streamId, ephemeral }) => {
      if (severity === 'debug') return
      const about = {
        ...(urn === '' ? {} : { urn }),
        ...(ephemeral ? { ephemeral } : {}),
        streamID: streamId,
      }
      emitter.emit({
        diagnosticEvent: {
          ...about,
          prefix: `${severity}: `,
          message: scrub(message),
          color: 'raw',
          severity,
        },
      })
    },
  })
  const processes = createProcesses()
  const path = userPath(
    process.env['ANTICHAIN_USER_PATH'] ?? process.env['PATH'] ?? '',
    projectRoot,
  )
  const env = userEnvironment(path)
  const plugins = createPluginHost({
    processes,
    env,
    path,
    home: homedir(),
    programDirectory: source.directory,
    project: source.name,
    runtimeOptions: source.runtimeOptions,
    engineAddress: () => monitor.address,
    said: ({ severity, text, streamId }) => {
      if (severity === 'debug') return
      emitter.emit({
        diagnosticEvent: {
          message: scrub(`${text}\n`),
          color: 'raw',
          severity,
          streamID: streamId,
        },
      })
    },
  })
  const baseNow: Surroundings['baseNow'] = { current: undefined }
  const providers = createProviderRegistry({
    host: plugins,
    configOf: pkg => plainConfig(request, pkg),
    stateOf: (urn, id) =>
      baseNow.current === undefined
        ? undefined
        : providerStateIn(baseNow.current.snapshot, urn, id),
  })
  const performing: PerformDeps = {
    provider: reference => providers.instance(reference),
    timestamp: () => timestampOf(platform.clock.now()),
    warn: message => emitter.diagnostic('warning', message),
  }
  const reader = createAssetReader(source.directory)
  const ourNode = join(projectRoot, 'node_modules', 'node', 'bin', 'node')
  const life = createLife({
    request,
    emitter,
    providers,
    plugins,
    programs: createNodeProgramHost({ processes, env, ourNode }),
    monitor,
    performing,
    hashAssets: map => hashAssets(map, reader),
    requiredPackages: () => Promise.resolve(withChecksums(requiredPackages(source.directory))),
    randomSeed: () => platform.random.bytes(32),
    uuid: () => platform.random.uuid(),
    digest: request.secrets.digest,
    pause: ms => platform.clock.sleep(ms),
  })
  return { life, monitor, plugins, processes, emitter, performing, baseNow }
}

/** The environment of the user: without what our launcher put into it. */
function userEnvironment(path: string): Readonly<Record<string, string>> {
  const ours = new Set(['ANTICHAIN_USER_PATH', 'NODE_COMPILE_CACHE', 'NODE_OPTIONS_ANTICHAIN'])
  const kept = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined || ours.has(key) ? [] : [[key, value] as const],
  )
  return { ...Object.fromEntries(kept), PATH: path }
}

/** The configuration of a package for its plugin's environment: plain texts. */
function plainConfig(request: DeployRequest, pkg: string): Readonly<Record<string, string>> {
  const texts = [...configInputs(pkg, request.config)].map(
    ([key, value]) => [key, String(stripSecrets(value))] as const,
  )
  return Object.fromEntries(texts)
}

async function tearDown(surroundings: Surroundings): Promise<void> {
  surroundings.monitor.release()
  await surroundings.plugins.close()
  surroundings.monitor.close()
  await surroundings.processes.close()
}

function summary(
  surroundings: Surroundings,
  about: {
    readonly startedMs: number
    readonly nowMs: number
    readonly result: DeployResult['result']
    readonly isPreview: boolean
  },
): void {
  const { emitter } = surroundings
  const result =
    about.result === 'succeeded'
      ? 'succeeded'
      : about.result === 'cancelled'
        ? 'canceled'
        : 'failed'
  emitter.emit({
    summaryEvent: {
      maybeCorrupt: emitter.isMaybeCorrupt(),
      durationSeconds: Math.ceil((about.nowMs - about.startedMs) / 1000),
      resourceChanges: emitter.counts(),
      PolicyPacks: {},
      isPreview: about.isPreview,
      result,
    },
  })
  emitter.emit({ cancelEvent: {} })
}

function resultOf(
  emitter: StepEmitter,
  result: DeployResult['result'],
  pending: DeployResult['pending'],
): DeployResult {
  const changes = emitter.counts()
  const quiet = new Set(['same', 'read', 'discard', 'read-replacement'])
  const hasChanges = Object.entries(changes).some(([op, count]) => count > 0 && !quiet.has(op))
  return { result, changes, hasChanges, pending }
}

/** A preview: the base as it stands, no records, no lock (I11). */
function previewRun(
  asked: Asked,
  surroundings: Surroundings,
  startedAt: number,
): RunningDeployment {
  const { platform, request } = asked
  const { life, emitter, baseNow } = surroundings
  let isCancelled = false
  const run = async (): Promise<DeployResult> => {
    try {
      const record = await platform.catalog.stack(request.stack)
      if (record === undefined)
        throw error('STACK_NOT_FOUND', `there is no stack '${request.stack}'`)
      const stored = await readSnapshotBlob(platform.blobs, record.snapshot)
      const base = baseOf(decodeSnapshot(stored, request.secrets), 1)
      baseNow.current = base
      const isWhole = await previewCommand(life, base).catch(thrown => {
        emitter.diagnostic('error', messageOf(thrown))
        return false
      })
      const result = isCancelled
        ? 'cancelled'
        : isWhole && life.fault() === undefined
          ? 'succeeded'
          : 'failed'
      summary(surroundings, {
        startedMs: startedAt,
        nowMs: platform.clock.monotonicMs(),
        result,
        isPreview: true,
      })
      if (life.fault() !== undefined && !isCancelled) throw life.fault()
      return resultOf(emitter, result, [])
    } finally {
      await tearDown(surroundings)
    }
  }
  const stop = (): void => {
    isCancelled = true
    life.abort()
    void surroundings.plugins.cancelAll()
  }
  return { done: run(), cancel: stop, terminate: stop }
}

/** How often a living deployment looks whether someone else asked it to stop, in ms. */
const stopLookMs = 1_000

function deploymentRun(
  asked: Asked,
  surroundings: Surroundings,
  { started, startedAt }: { readonly started: StartedDeployment; readonly startedAt: number },
): RunningDeployment {
  const { platform, ports } = asked
  const { life, emitter, baseNow } = surroundings
  const { deployment } = started
  let isCancelled = false
  baseNow.current = started.base
  const cancel = (): void => {
    if (isCancelled) return
    isCancelled = true
    life.abort()
    platform.control.stop(deployment, 'graceful').catch(thrown => life.abort(thrown))
    void surroundings.plugins.cancelAll()
  }
  const watch = setInterval(() => {
    platform.control.read(deployment).then(
      control => {
        if (control !== undefined && control.stop !== 'none' && !control.closed && isOpen) cancel()
      },
      () => undefined,
    )
  }, stopLookMs)
  let isOpen = true
  const run = async (): Promise<DeployResult> => {
    const executor = await startExecutor(asked, surroundings, started)
    try {
      warnOfPending(emitter, started.base)
      const rebase = (base: Base): void => {
        baseNow.current = base
      }
      const closing = (): boolean => {
        isOpen = false
        return isCancelled
      }
      const ended = await runDeployment(ports, started, life, { isCancelled: closing, rebase })
      const left = await pendingOf(asked)
      summary(surroundings, {
        startedMs: startedAt,
        nowMs: platform.clock.monotonicMs(),
        result: ended.result,
        isPreview: false,
      })
      if (ended.fault !== undefined && !isCancelled) throw ended.fault
      return resultOf(emitter, ended.result, left)
    } finally {
      clearInterval(watch)
      await executor.end()
      await tearDown(surroundings)
    }
  }
  const terminate = (): void => {
    isCancelled = true
    life.abort()
    void platform.control.stop(deployment, 'forced').catch(() => undefined)
    void surroundings.processes.close()
  }
  return { done: run(), cancel, terminate }
}

async function startExecutor(
  asked: Asked,
  surroundings: Surroundings,
  started: StartedDeployment,
): Promise<{ readonly end: () => Promise<void> }> {
  const { platform, ports, request } = asked
  const { deployment } = started
  const executor = platform.random.uuid() as ExecutorId
  await platform.leases.register(deployment, executor, ports.holder)
  const plan = createPlanIndex(platform, deployment)
  const sealing = createSealing(request.secrets)
  const context: ExecutionContext = {
    deployment,
    plan,
    sealing,
    stepOf: operation => {
      const base = surroundings.baseNow.current ?? started.base
      return Promise.resolve(stepOfOperation(operation, { base, sealing, made: () => undefined }))
    },
    emitter: surroundings.emitter,
    performing: surroundings.performing,
    slots: createSlots(Math.max(1, request.options.parallel)),
  }
  const handler = createExecutor(platform, {
    executor,
    contextOf: asked_ => Promise.resolve(asked_ === deployment ? context : undefined),
  })
  const polling = pollDeliveries(platform, handler)
  const renewing = setInterval(() => {
    platform.leases
      .renew(deployment, executor, surroundings.processes.groups())
      .catch(() => undefined)
  }, 5_000)
  return {
    async end() {
      clearInterval(renewing)
      await polling.end()
      await platform.leases.retire(deployment, executor).catch(() => undefined)
    },
  }
}

function warnOfPending(emitter: StepEmitter, base: Base): void {
  const pending = base.snapshot.pendingOperations
  if (pending.length === 0) return
  const lines = pending.map(
    ({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`,
  )
  const message = `Attempting to deploy or update resources with ${pending.length} pending operations from previous deployment.\n${lines.join('\n')}\nThese resources are in an unknown state because a deployment was interrupted while it changed them. Find out what became of them; \`antichain refresh --clear-pending-creates\` forgets creates that did not take place.`
  emitter.diagnostic('warning', message)
}

async function pendingOf({ platform, request }: Asked): Promise<DeployResult['pending']> {
  const record = await platform.catalog.stack(request.stack)
  if (record === undefined || record.snapshot === '') return []
  const stored = await readSnapshotBlob(platform.blobs, record.snapshot)
  return (stored.pending_operations ?? []).map(({ resource, type }) => ({
    urn: resource.urn,
    type,
  }))
}

function withChecksums(
  required: ReadonlyMap<string, RequiredPackage>,
): ReadonlyMap<string, PackageRequest> {
  return new Map([...required].map(([pkg, found]) => [pkg, { ...found, checksums: new Map() }]))
}
