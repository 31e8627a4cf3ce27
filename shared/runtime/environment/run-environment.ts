import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { computeBackoffMs } from '../../engine/deployment/retry/backoff.ts'
import { type CommandRun, createCommandRun } from '../../engine/commands/command-run.ts'
import { emitDebuggerWaiting } from '../../engine/events/emit-debugger-waiting.ts'
import { type StepEmitter, createStepEmitter } from '../../engine/events/step-emitter.ts'
import type { PerformDeps } from '../../engine/executor/provider-call.ts'
import {
  createViewStatusRegistry,
  type ViewStatusRegistry,
} from '../../engine/executor/view-status-registry.ts'
import { type Base, findProviderInBase } from '../../engine/deployment/state/base.ts'
import type { OperationId } from '../../records/ids.ts'
import { parseProviderReference } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { ResourceState } from '../../state/resource.ts'
import { type MonitorServer, startMonitorServer } from '../../engine/monitor/monitor-server.ts'
import type { Platform } from '../../ports/platform.ts'
import { createAssetReader } from '../../platform/system/asset-reader.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { createPolicyPackHost, withPolicyPacks } from '../policy-packs/policy-pack-host.ts'
import { createLanguageHostFetcher } from '../plugins/obtain-language-host.ts'
import { createProgramHosts } from '../../programs/hosts/program-hosts.ts'
import type { ProgramHost } from '../../programs/program.ts'
import { parseExtension } from '../../providers/package-request.ts'
import type { PackageParameterization } from '../../records/package-parameterization.ts'
import { withBuiltinProvider } from '../../providers/builtin/with-builtin-provider.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { createProviderRegistry } from '../../providers/provider-registry.ts'
import { hashAssets } from '../../values/asset-hash.ts'
import { resolveHomeFolder } from './home-folder.ts'
import { createConfigRedactor } from './redact-config-secrets.ts'
import { readUserVariables } from './user-variables.ts'
import { retryPolicy } from '../../providers/retry-policy.ts'
import { createPerformDeps } from './perform-deps.ts'
import { createRunPluginHost, createRunBuiltinProvider, plainConfigOf } from './run-plugin-host.ts'
import type { RunInput } from './run-input.ts'
import { createRunTrace, type RunTrace } from './run-trace.ts'

/**
 * The sources of extensions, and of the recorded states of providers that this process has not
 * registered. At first they find nothing. The generator or the executor of this process sets them.
 */
export interface ProviderStateSources {
  /** The base of the current epoch. Undefined until it has been read. */
  currentBase: Base | undefined
  /** A base that is being read. */
  pendingBase?: { readonly epoch: number; readonly base: Promise<Base> } | undefined
  /** Returns a provider state that earlier runs of the generator settled. The generator sets it. */
  findInEarlierRuns: (urn: Urn, id: string) => ResourceState | undefined
  /** Returns a provider state from the part of the log that this executor has read. */
  findInLogSoFar: (urn: Urn, id: string) => ResourceState | undefined
  /** Returns the extension of a reference, as far as the executor has read the log. */
  findExtension: (ref: string) => PackageParameterization | undefined
}

/** The processes, hosts and helpers of one run. They end with the run. */
export interface RunEnvironment {
  readonly commandRun: CommandRun
  readonly monitor: MonitorServer
  readonly plugins: PluginHost
  readonly processes: ProcessesPort
  readonly emitter: StepEmitter
  readonly performDeps: PerformDeps
  readonly providerStateSources: ProviderStateSources
  /** The operations for which an executor of this process has emitted events. */
  readonly reportedOperations: Set<OperationId>
  readonly trace: RunTrace
}

/**
 * Creates the hosts of programs. A function keeps no compiled code, because its folders do not
 * outlive it. It keeps results of type checks in its temporary folder, for its next generator run.
 */
function createRunPrograms(
  input: RunInput,
  deps: Pick<Parameters<typeof createProgramHosts>[0], 'processes' | 'env' | 'engineAddress'>,
): ProgramHost {
  const home = resolveHomeFolder(deps.env)
  // Only functions set `variables`.
  const isFunction = input.variables !== undefined
  const compiledFolder = isFunction ? undefined : join(home, 'compiled')
  const checkedFolder = isFunction ? join(tmpdir(), 'antichain-checked') : join(home, 'checked')
  const obtainHost = createLanguageHostFetcher(input.fetchPlugin, deps.env)
  const folders = { compiledFolder, checkedFolder }
  const hostsDeps = { ...deps, antichainNode: process.execPath, ...folders, obtainHost }
  return createProgramHosts(hostsDeps)
}

/** Creates the processes, hosts and helpers that one run needs. */
export async function createRunEnvironment(input: RunInput): Promise<RunEnvironment> {
  const { platform, request } = input
  const hosts = input.hosts?.()
  const { source } = request
  const redact = createConfigRedactor(request)
  const emitter = createRunEmitter(input, redact)
  const viewRegistry = createViewStatusRegistry(() => platform.random.uuid())
  const monitor =
    hosts?.monitor ??
    (await startMonitor(emitter, redact, { viewStatus: viewRegistry, plugins: () => plugins }))
  const readEngineAddress = (): string => monitor.address
  const processes = hosts?.processes ?? createProcesses()
  const trace = createRunTrace(platform, input.variables ?? readUserVariables())
  const env = trace.variables
  const path = env['PATH'] ?? ''
  const policyPacks =
    hosts?.policyPacks ?? createPolicyPackHost(request, { env, processes, monitor, emitter })
  const plugins = withPolicyPacks(
    withBuiltinProvider(
      hosts?.plugins ??
        createRunPluginHost(input, { env, path, processes, monitor, emitter, redact, trace }),
      createRunBuiltinProvider(input, emitter),
    ),
    policyPacks,
  )
  const providerStateSources = createProviderStateSources()
  const waitBeforeRetry = createRetryPause(platform, emitter, redact)
  const providers = createProviderRegistry({
    beforeRetry: waitBeforeRetry,
    host: plugins,
    configOf: pkg => plainConfigOf(request, pkg),
    stateOf: (urn, id) => findProviderState(providerStateSources, urn, id),
    extensionOf: ref => findExtension(providerStateSources, ref),
  })
  const performDeps = createPerformDeps(platform, {
    ...{ providers, emitter },
    beforeRetry: waitBeforeRetry,
    views: { registry: viewRegistry, address: readEngineAddress },
  })
  const reader = createAssetReader(source.programFolder)
  const programs =
    hosts?.programs ??
    createRunPrograms(input, { processes, env, engineAddress: readEngineAddress })
  const commandRun = createCommandRun({
    request,
    emitter,
    providers,
    plugins,
    programs,
    monitor,
    performDeps,
    hashAssets: map => hashAssets(map, reader),
    requiredPackages: () => programs.listPackages(source),
    randomSeed: () => platform.random.bytes(32),
    uuid: () => platform.random.uuid(),
    digest: request.secrets.digest,
    policyPacks,
    readBlob: hash => platform.blobs.get(hash),
    pause: (ms, signal) => platform.clock.sleep(ms, signal),
  })
  return {
    ...{ commandRun, monitor, plugins, processes, emitter, performDeps, trace },
    providerStateSources,
    reportedOperations: new Set(),
  }
}

function createRunEmitter(
  { request, sink, sharedCounts }: RunInput,
  redact: (text: string) => string,
): StepEmitter {
  return createStepEmitter(sink, {
    isPreview: request.dryRun,
    isRefreshCommand: request.options.command === 'refresh',
    redact,
    ...(request.debug === undefined ? {} : { debug: request.debug }),
    ...(sharedCounts === undefined ? {} : { sharedCounts }),
  })
}

/** Creates the callback that reports why a call is retried, and pauses before the retry. */
function createRetryPause(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  emitter: StepEmitter,
  redact: (text: string) => string,
): (retryIndex: number, reason: string) => Promise<void> {
  return (retryIndex, reason) => {
    emitter.report('warning', `${redact(reason)}; retrying the call`)
    return clock.sleep(computeBackoffMs(retryIndex, retryPolicy.unsent.retry, random))
  }
}

function createProviderStateSources(): ProviderStateSources {
  const findNothing = (): undefined => undefined
  return {
    currentBase: undefined,
    findInEarlierRuns: findNothing,
    findInLogSoFar: findNothing,
    findExtension: findNothing,
  }
}

/** Returns the recorded state of a provider that this process has not registered. */
function findProviderState(
  sources: ProviderStateSources,
  urn: Urn,
  id: string,
): ResourceState | undefined {
  const providerState = sources.findInEarlierRuns(urn, id) ?? sources.findInLogSoFar(urn, id)
  if (providerState !== undefined || sources.currentBase === undefined) return providerState
  return findProviderInBase(sources.currentBase.snapshot, urn, id)
}

/** Returns the inputs of a provider instance, or undefined when this process does not know it. */
export function findProviderInputs(
  sources: ProviderStateSources,
  reference: string,
): PropertyMap | undefined {
  if (reference === '') return undefined
  const { urn, id } = parseProviderReference(reference)
  return findProviderState(sources, urn, id)?.inputs
}

/** Returns an extension of this deployment or its base. */
function findExtension(
  sources: ProviderStateSources,
  ref: string,
): ReturnType<typeof parseExtension> {
  return sources.findExtension(ref) ?? parseExtension(sources.currentBase?.snapshot.extensions[ref])
}

/** Starts the monitor, and emits messages of programs and plugins as diagnostics. */
function startMonitor(
  emitter: StepEmitter,
  redact: (text: string) => string,
  services: { readonly viewStatus: ViewStatusRegistry; readonly plugins: () => PluginHost },
): Promise<MonitorServer> {
  return startMonitorServer({
    ...services,
    onDebuggerWaiting: endpoint => emitDebuggerWaiting(emitter, endpoint),
    onMessage: ({ severity, message, urn, streamId, ephemeral }) => {
      const location = {
        ...(urn === '' ? {} : { urn }),
        ...(ephemeral ? { ephemeral } : {}),
        streamID: streamId,
      }
      emitter.emit({
        diagnosticEvent: {
          ...location,
          prefix: `${severity}: `,
          message: redact(message),
          color: 'raw',
          severity,
        },
      })
    },
  })
}

/** Ends the monitor, the plugins and the processes of a run, so that none outlives the run. */
export async function closeRunEnvironment(environment: RunEnvironment): Promise<void> {
  environment.trace.endRun()
  environment.monitor.release()
  await environment.plugins.close()
  environment.monitor.close()
  await environment.processes.close()
}
