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
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { type MonitorServer, startMonitorServer } from '../../engine/monitor/monitor-server.ts'
import type { Platform } from '../../ports/platform.ts'
import { createAssetReader } from '../../platform/system/asset-reader.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { createPolicyPackHost, withPolicyPacks } from '../policy-packs/policy-pack-host.ts'
import { createProgramHosts } from '../../programs/hosts/program-hosts.ts'
import { parseExtension } from '../../providers/package-request.ts'
import type { Extension } from '../../records/extension.ts'
import { withBuiltin } from '../../providers/builtin/with-builtin.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { createProviderRegistry } from '../../providers/provider-registry.ts'
import { hashAssets } from '../../values/asset-hash.ts'
import { createConfigRedactor } from './redact-config-secrets.ts'
import { readUserVariables } from './user-variables.ts'
import { retryPolicy } from '../../providers/retry-policy.ts'
import { createPerformDeps } from './perform-deps.ts'
import { createRunPluginHost, createRunBuiltinProvider, plainConfigOf } from './run-plugin-host.ts'
import type { RunInput } from './run-input.ts'

/** The sources of provider states that the program has not registered (yet). */
export interface BaseLookup {
  current: Base | undefined
  /** A base that is being read. */
  opening?: { readonly epoch: number; readonly base: Promise<Base> } | undefined
  /** Returns the states that earlier generator runs of the deployment created. */
  findEarlier: (urn: Urn, id: string) => ResourceState | undefined
  /** Returns the states that the deployment settled, as far as its executor has read the log. */
  findSettled: (urn: Urn, id: string) => ResourceState | undefined
  /** Returns the extensions of providers, as far as the executor has read the log. */
  findExtension: (ref: string) => Extension | undefined
}

/** The resources of one run that end with it. */
export interface RunEnvironment {
  readonly run: CommandRun
  readonly monitor: MonitorServer
  readonly plugins: PluginHost
  readonly processes: ProcessesPort
  readonly emitter: StepEmitter
  readonly performDeps: PerformDeps
  readonly baseLookup: BaseLookup
  /** Operations for which an executor of this process has emitted events. */
  readonly reported: Set<OperationId>
}

/** Creates the resources that one run needs. */
export async function createRunEnvironment(input: RunInput): Promise<RunEnvironment> {
  const { platform, request, sink } = input
  const hosts = input.hosts?.()
  const { source } = request
  const scrub = createConfigRedactor(request)
  const emitter = createStepEmitter(sink, {
    isPreview: request.dryRun,
    refreshCommand: request.options.command === 'refresh',
    scrub,
    ...(request.debug === undefined ? {} : { debug: request.debug }),
    ...(input.counted === undefined ? {} : { counted: input.counted }),
  })
  const registry = createViewStatusRegistry(() => platform.random.uuid())
  const monitor =
    hosts?.monitor ??
    (await startMonitor(emitter, scrub, { viewStatus: registry, plugins: () => plugins }))
  const engineAddress = (): string => monitor.address
  const processes = hosts?.processes ?? createProcesses()
  const env = input.variables ?? readUserVariables()
  const path = env['PATH'] ?? ''
  const policyPacks =
    hosts?.policyPacks ?? createPolicyPackHost(request, { env, processes, monitor, emitter })
  const plugins = withPolicyPacks(
    withBuiltin(
      hosts?.plugins ??
        createRunPluginHost(input, { env, path, processes, monitor, emitter, scrub }),
      createRunBuiltinProvider(input, emitter),
    ),
    policyPacks,
  )
  const baseLookup = createBaseLookup()
  const waitBeforeRetry = createRetryPause(platform, emitter, scrub)
  const providers = createProviderRegistry({
    beforeRetry: waitBeforeRetry,
    host: plugins,
    configOf: pkg => plainConfigOf(request, pkg),
    stateOf: (urn, id) => findProviderState(baseLookup, urn, id),
    extensionOf: ref => findExtension(baseLookup, ref),
  })
  const performDeps = createPerformDeps(platform, {
    ...{ providers, emitter },
    beforeAgain: waitBeforeRetry,
    views: { registry, address: engineAddress },
  })
  const reader = createAssetReader(source.directory)
  const programs =
    hosts?.programs ??
    createProgramHosts({ processes, env, ourNode: process.execPath, engineAddress })
  const run = createCommandRun({
    request,
    emitter,
    providers,
    plugins,
    programs,
    monitor,
    performing: performDeps,
    hashAssets: map => hashAssets(map, reader),
    requiredPackages: () => programs.listPackages(source),
    randomSeed: () => platform.random.bytes(32),
    uuid: () => platform.random.uuid(),
    digest: request.secrets.digest,
    policyPacks,
    readBlob: hash => platform.blobs.get(hash),
    pause: (ms, signal) => platform.clock.sleep(ms, signal),
  })
  return { run, monitor, plugins, processes, emitter, performDeps, baseLookup, reported: new Set() }
}

/** Creates the callback that reports the reason of a retried provider call and pauses before it. */
function createRetryPause(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  emitter: StepEmitter,
  scrub: (text: string) => string,
): (number: number, why: string) => Promise<void> {
  return (number, why) => {
    emitter.report('warning', `${scrub(why)}; retrying the call`)
    return clock.sleep(computeBackoffMs(number, retryPolicy.unasked.again, random))
  }
}

function createBaseLookup(): BaseLookup {
  const findNothing = (): undefined => undefined
  return {
    current: undefined,
    findEarlier: findNothing,
    findSettled: findNothing,
    findExtension: findNothing,
  }
}

/** Returns the state of a provider that the program has not registered (yet). */
function findProviderState(lookup: BaseLookup, urn: Urn, id: string): ResourceState | undefined {
  const known = lookup.findEarlier(urn, id) ?? lookup.findSettled(urn, id)
  if (known !== undefined || lookup.current === undefined) return known
  return findProviderInBase(lookup.current.snapshot, urn, id)
}

/** Returns an extension of this deployment or its base. */
function findExtension(lookup: BaseLookup, ref: string): ReturnType<typeof parseExtension> {
  return lookup.findExtension(ref) ?? parseExtension(lookup.current?.snapshot.extensions[ref])
}

/** Starts the monitor, and emits messages of programs and plugins as diagnostics. */
function startMonitor(
  emitter: StepEmitter,
  scrub: (text: string) => string,
  served: { readonly viewStatus: ViewStatusRegistry; readonly plugins: () => PluginHost },
): Promise<MonitorServer> {
  return startMonitorServer({
    ...served,
    onDebuggerWaiting: waiting => emitDebuggerWaiting(emitter, waiting),
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
          message: scrub(message),
          color: 'raw',
          severity,
        },
      })
    },
  })
}

/** Ends the resources of a run, so that none outlives it. */
export async function closeRunEnvironment(environment: RunEnvironment): Promise<void> {
  environment.monitor.release()
  await environment.plugins.close()
  environment.monitor.close()
  await environment.processes.close()
}
