import { backoffMs } from '../../shared/engine/deployment/backoff.ts'
import { configInputs } from '../../shared/engine/generator/provider-resolution.ts'
import type { GeneratorPorts } from '../step-generator/start.ts'
import type { FetchPlugin } from './plugin-folder.ts'
import { type Life, createLife } from '../../shared/engine/commands/life.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import { tellWaiting } from '../../shared/engine/events/tell-waiting.ts'
import { type StepEmitter, createStepEmitter } from '../../shared/engine/events/step-emitter.ts'
import type { PerformDeps } from '../../shared/engine/executor/performing.ts'
import { createStatusDesk, type StatusDesk } from '../../shared/engine/executor/status-desk.ts'
import { type Base, providerStateIn } from '../../shared/engine/deployment/base.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { Urn } from '../../shared/names/urn.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import {
  type MonitorServer,
  startMonitorServer,
} from '../../shared/engine/monitor/monitor-server.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { createAssetReader } from '../../shared/platform/system/asset-reader.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import type { ProgramHost } from '../../shared/programs/program.ts'
import { debugsPlugin } from '../../shared/programs/debugging.ts'
import { createInstaller } from '../../shared/providers/install/installer.ts'
import { installing } from './installing.ts'
import type { AnalyzerHost } from '../../shared/providers/analyzers/analyzer.ts'
import { policyPackHost, withPolicyPacks } from './policy-pack-host.ts'
import { createProgramHosts } from '../../shared/programs/program-hosts.ts'
import { createPluginHost } from '../../shared/providers/plugins/host.ts'
import { parseExtension } from '../../shared/providers/package-request.ts'
import type { Extension } from '../../shared/records/extension.ts'
import { createBuiltinProvider } from '../../shared/providers/builtin/builtin-provider.ts'
import { withBuiltin } from '../../shared/providers/builtin/with-builtin.ts'
import type { PluginHost, Provider } from '../../shared/providers/provider.ts'
import { createStackReading, type OpenState } from './read-stack.ts'
import { openOwnState } from './open-own-state.ts'
import { createProviderRegistry } from '../../shared/providers/registry.ts'
import { hashAssets } from '../../shared/values/asset-hash.ts'
import { stripSecrets } from '../../shared/values/walk.ts'
import { scrubberOf } from './scrub.ts'
import { userEnvironment } from './user-environment.ts'
import { homedir } from 'node:os'
import { whoseError } from '../../shared/providers/whose-error.ts'
import { performingOf } from './performing-of.ts'

/** What one deployment or preview is made of. */
export interface Asked {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly request: DeployRequest
  readonly sink: EventSink
  /** What lives of this deployment counted in this process. */
  readonly counted?: Map<string, number>
  /** What a test brings of its own, for each life anew; the real ones otherwise. */
  readonly hosts?: () => Hosts
  /** The environment of programs and plugins; that of this process where it is absent. */
  readonly environment?: Readonly<Record<string, string>>
  /** Puts plugins that are nowhere into the plugin cache. */
  readonly fetchPlugin?: FetchPlugin
  /** Opens secrets of other stacks; as this process's environment says where it is absent. */
  readonly openState?: OpenState
}

/** What runs programs and plugins, and what those call. */
export interface Hosts {
  readonly programs: ProgramHost
  readonly plugins: PluginHost
  readonly policyPacks?: AnalyzerHost
  readonly monitor?: MonitorServer
  readonly processes?: ProcessesPort
}

/** Where states of providers are found that the program has not registered (yet). */
export interface BaseNow {
  current: Base | undefined
  /** One that is being read. */
  opening?: { readonly epoch: number; readonly base: Promise<Base> } | undefined
  /** Those that an earlier life of the deployment made. */
  madeBefore: (urn: Urn, id: string) => ResourceState | undefined
  /** Those that the deployment settled, as far as its executor has read the log. */
  settled: (urn: Urn, id: string) => ResourceState | undefined
  /** What providers are extended by, as far as the executor has read the log. */
  extension: (ref: string) => Extension | undefined
}

/** Everything of one run that must be ended with it. */
export interface Surroundings {
  readonly life: Life
  readonly monitor: MonitorServer
  readonly plugins: PluginHost
  readonly processes: ProcessesPort
  readonly emitter: StepEmitter
  readonly performing: PerformDeps
  readonly baseNow: BaseNow
  /** Operations of which an executor of this process has told. */
  readonly told: Set<OperationId>
}

/** Everything that a run needs around it, made for it alone. */
export async function surround(asked: Asked): Promise<Surroundings> {
  const { platform, request, sink } = asked
  const hosts = asked.hosts?.()
  const { source } = request
  const scrub = scrubberOf(request)
  const emitter = createStepEmitter(sink, {
    planning: request.dryRun,
    refreshCommand: request.options.command === 'refresh',
    scrub,
    ...(request.debug === undefined ? {} : { debug: request.debug }),
    ...(asked.counted === undefined ? {} : { counted: asked.counted }),
  })
  const desk = createStatusDesk(() => platform.random.uuid())
  const monitor =
    hosts?.monitor ?? (await startMonitor(emitter, scrub, { desk, plugins: () => plugins }))
  const processes = hosts?.processes ?? createProcesses()
  const env = asked.environment ?? userEnvironment()
  const path = env['PATH'] ?? ''
  const policyPacks =
    hosts?.policyPacks ?? policyPackHost(request, { env, processes, monitor, emitter })
  const plugins = withPolicyPacks(
    withBuiltin(
      hosts?.plugins ?? pluginHost(asked, { env, path, processes, monitor, emitter, scrub }),
      builtinProvider(asked, emitter),
    ),
    policyPacks,
  )
  const baseNow = noBaseYet()
  const beforeAgain = (number: number, why: string): Promise<void> => {
    emitter.diagnostic('warning', `${scrub(why)}; it is asked again`)
    return platform.clock.sleep(backoffMs(number, whoseError.unasked.again, platform.random))
  }
  const providers = createProviderRegistry({
    beforeAgain,
    host: plugins,
    configOf: pkg => plainConfig(request, pkg),
    stateOf: (urn, id) => providerState(baseNow, urn, id),
    extensionOf: ref => extensionIn(baseNow, ref),
  })
  const views = { desk, address: () => monitor.address }
  const performing = performingOf(platform, { providers, emitter, beforeAgain, views })
  const reader = createAssetReader(source.directory)
  const programs =
    hosts?.programs ??
    createProgramHosts({
      processes,
      env,
      ourNode: process.execPath,
      engineAddress: () => monitor.address,
    })
  const life = createLife({
    request,
    emitter,
    providers,
    plugins,
    programs,
    monitor,
    performing,
    hashAssets: map => hashAssets(map, reader),
    requiredPackages: () => programs.packages(source),
    randomSeed: () => platform.random.bytes(32),
    uuid: () => platform.random.uuid(),
    digest: request.secrets.digest,
    policyPacks,
    readBlob: hash => platform.blobs.get(hash),
    pause: (ms, signal) => platform.clock.sleep(ms, signal),
  })
  return { life, monitor, plugins, processes, emitter, performing, baseNow, told: new Set() }
}

function noBaseYet(): BaseNow {
  const nobody = (): undefined => undefined
  return { current: undefined, madeBefore: nobody, settled: nobody, extension: nobody }
}

/** The state of a provider that the program has not registered (yet). */
function providerState(now: BaseNow, urn: Urn, id: string): ResourceState | undefined {
  const known = now.madeBefore(urn, id) ?? now.settled(urn, id)
  if (known !== undefined || now.current === undefined) return known
  return providerStateIn(now.current.snapshot, urn, id)
}

/** What extends a provider, as this deployment or its base says it. */
function extensionIn(now: BaseNow, ref: string): ReturnType<typeof parseExtension> {
  return now.extension(ref) ?? parseExtension(now.current?.snapshot.extensions[ref])
}

/** The monitor, with what programs and plugins say told as diagnostics. */
function startMonitor(
  emitter: StepEmitter,
  scrub: (text: string) => string,
  served: { readonly desk: StatusDesk; readonly plugins: () => PluginHost },
): Promise<MonitorServer> {
  return startMonitorServer({
    ...served,
    waits: waiting => tellWaiting(emitter, waiting),
    said: ({ severity, message, urn, streamId, ephemeral }) => {
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
}

/** The provider of what is built in; it reads other stacks from where this one is kept. */
function builtinProvider(asked: Asked, emitter: StepEmitter): Provider {
  const { catalog, blobs, random } = asked.platform
  const reading = createStackReading({
    ...{ catalog, blobs },
    own: asked.request,
    openState: asked.openState ?? openOwnState(process.env),
    info: message => emitter.diagnostic('info', message),
  })
  return createBuiltinProvider({
    ...reading,
    uuid: () => random.uuid(),
    warn: (message, urn) => emitter.diagnostic('warning', message, urn),
  })
}

/** The host of the plugins of a run. */
function pluginHost(
  { request, fetchPlugin, platform }: Asked,
  about: {
    readonly env: Readonly<Record<string, string>>
    readonly path: string
    readonly processes: ProcessesPort
    readonly monitor: MonitorServer
    readonly emitter: StepEmitter
    readonly scrub: (text: string) => string
  },
): PluginHost {
  const { env, path, processes, monitor, emitter, scrub } = about
  const { source } = request
  const home = env['HOME'] ?? homedir()
  const install = installing({
    env,
    home,
    processes,
    pause: ms => platform.clock.sleep(ms),
    said: (severity, text) =>
      emitter.diagnostic(severity === 'info' ? 'info#err' : severity, scrub(text)),
  })
  return createPluginHost({
    processes,
    env,
    path,
    home,
    fetch: fetchPlugin ?? createInstaller(install),
    programDirectory: source.directory,
    project: source.name,
    own: source.plugins,
    runtimeOptions: source.runtimeOptions,
    engineAddress: () => monitor.address,
    debugged: plugin =>
      debugsPlugin(request.debugged ?? [], plugin)
        ? waiting => tellWaiting(emitter, waiting)
        : undefined,
    said: ({ severity, text, streamId }) => {
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
}

/** The configuration of a package for its plugin's environment: plain texts. */
function plainConfig(request: DeployRequest, pkg: string): Readonly<Record<string, string>> {
  const texts = [...configInputs(pkg, request.config)].flatMap(([key, value]) => {
    const text = stripSecrets(value)
    return typeof text === 'string' ? [[key, text] as const] : []
  })
  return Object.fromEntries(texts)
}

/** Ends what a run had around it; nothing of it outlives the run. */
export async function tearDown(surroundings: Surroundings): Promise<void> {
  surroundings.monitor.release()
  await surroundings.plugins.close()
  surroundings.monitor.close()
  await surroundings.processes.close()
}
