/**
 * plugins: finds (find-plugin.ts), starts (start-plugin.ts) and ends plugins. Imports programs and
 * the layers below it.
 *
 * Invariants: every load starts a separate process, except for a plugin that the user runs. Output
 * of a plugin never blocks the host. An instance is ended in Pulumi's order: Cancel, close of the
 * channel, SIGINT, SIGKILL. The end of an instance never throws.
 */
import { dirname } from 'node:path'
import semver from 'semver'
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import { createPulumiProvider } from '../pulumi/pulumi-provider.ts'
import { isGitAddress } from '../install/git-address.ts'
import { fetchPluginVersion, performHandshake } from '../pulumi/negotiation.ts'
import type { DriverSettings } from '../pulumi/provider-session.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../provider.ts'
import { startOrAttachPlugin } from './attached-plugins.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import {
  waitUntilReady,
  callUnary,
  type Connection,
  createClient,
  createProcessEndedError,
} from './connection.ts'
import { createPluginEnvironment } from './plugin-environment.ts'
import { listInstalledPlugins } from './installed-plugins.ts'
import type { ProjectPluginLocation } from './find-plugin.ts'
import { obtainPlugin } from './obtain-plugin.ts'
import { isTruthy } from '../../config/truthy.ts'
import type { PluginMessage } from './plugin-message.ts'
import { formatLastLines } from './plugin-output.ts'
import { retryStart } from './retry-start.ts'
import type { PluginProcess } from './start-plugin.ts'
import type { TraceCall } from './trace-call.ts'
import { type ProcessWatch, watchProcess } from './watch-process.ts'

/** Dependencies of a host. */
export interface PluginHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which plugins inherit. */
  readonly env: Readonly<Record<string, string>>
  /** PATH of the user. */
  readonly path: string
  /** The user's home folder. */
  readonly home: string
  readonly programFolder: string
  readonly project: string
  /** Plugins of the user's project. */
  readonly projectPlugins?: readonly ProjectPluginLocation[]
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Address of the engine's pulumirpc.Engine service: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
  /**
   * Returns the callback for a plugin from source that waits for a debugger, or undefined for a
   * plugin that does not wait.
   */
  readonly debuggerListenerOf?: (
    plugin: string,
  ) => ((endpoint: DebuggerEndpoint) => void) | undefined
  /** Reports a message to the user. Must not block and must not throw. */
  readonly report: (message: PluginMessage) => void
  /** Traces the calls of plugins. Absent: nothing is traced. */
  readonly traceCall?: TraceCall | undefined
  /** Installs a missing plugin in the plugin cache. Returns false when the user forbids it. */
  readonly install?: (plugin: PluginDescriptor) => Promise<boolean>
}

/** Plugins whose output is shown to the user, because they run the user's code. */
const dynamicPlugins = ['pulumi-nodejs', 'pulumi-python']

/** Creates a host that starts plugins as processes of this machine. */
export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const instances = new Set<Provider>()
  const startAbort = new AbortController()
  let isAbandoned = false
  let streamCount = 0
  const obtain: PluginHost['obtain'] = plugin => obtainPlugin(plugin, deps)
  return {
    obtain,
    listInstalled: () => listInstalledPlugins(deps),
    async load(plugin, options) {
      const lookup = await obtain(plugin)
      if ('missing' in lookup) throw error('PLUGIN_MISSING', lookup.missing)
      const stdoutId = streamCount + 1
      streamCount += 2
      const reportLine = (line: string, stream: 'stdout' | 'stderr'): void =>
        deps.report({
          plugin: plugin.name,
          severity: severityOf(plugin.name, stream),
          text: line,
          streamId: stream === 'stdout' ? stdoutId : stdoutId + 1,
        })
      const startPluginOnce = async (): Promise<Provider> => {
        const pluginProcess = await startOrAttachPlugin(deps, {
          name: plugin.name,
          path: lookup.path,
          engineAddress: deps.engineAddress(),
          cwd: deps.programFolder,
          env: createPluginEnvironment({ ...deps, ...options, plugin: plugin.name }),
          onLine: reportLine,
          abortSignal: startAbort.signal,
          onDebuggerReady: deps.debuggerListenerOf?.(plugin.name),
        })
        const { pkg } = options
        return connectPlugin(deps, { pluginProcess, plugin, pkg, isAbandoned: () => isAbandoned })
      }
      const provider = await retryStart(startPluginOnce, {
        shouldRetry: () => !startAbort.signal.aborted,
        report: text =>
          deps.report({ plugin: plugin.name, severity: 'warning', text, streamId: 0 }),
      })
      const instance: Provider = {
        ...provider,
        async close() {
          await provider.close()
          instances.delete(instance)
        },
      }
      instances.add(instance)
      return instance
    },
    async cancelAll() {
      // A cancelled deployment makes no further call, so it needs no plugin that is still starting.
      startAbort.abort()
      const cancelCalls = Promise.all([...instances].map(instance => instance.cancel()))
      await withTimeout(cancelCalls, limits.deploymentCancelTimeoutMs)
    },
    abandon() {
      isAbandoned = true
      startAbort.abort()
    },
    async close() {
      startAbort.abort()
      await Promise.all([...instances].map(instance => instance.close()))
    },
  }
}

function severityOf(plugin: string, stream: 'stdout' | 'stderr'): PluginMessage['severity'] {
  if (!dynamicPlugins.includes(plugin)) return 'debug'
  return stream === 'stdout' ? 'info' : 'info#err'
}

/** Reads the provider settings of the user's environment. */
function readDriverSettings(env: Readonly<Record<string, string>>): DriverSettings {
  return {
    isPreviewDisabled: isTruthy(env['PULUMI_DISABLE_PROVIDER_PREVIEW']),
    isLegacyPreview: isTruthy(env['PULUMI_LEGACY_PROVIDER_PREVIEW']),
    refreshBeforeUpdate: !isTruthy(env['PULUMI_DISABLE_REFRESH_BEFORE_UPDATE']),
  }
}

interface StartedPlugin {
  readonly pluginProcess: PluginProcess
  readonly plugin: PluginDescriptor
  readonly pkg: string
  /** Reports whether all plugins are being killed. The end of a plugin is then not reported. */
  readonly isAbandoned: () => boolean
}

/**
 * Connects to a started plugin and performs the handshake. Ends the process before it throws
 * PLUGIN_FAILED or the gRPC error of Attach.
 */
async function connectPlugin(
  deps: PluginHostDeps,
  startedPlugin: StartedPlugin,
): Promise<Provider> {
  const { pluginProcess, plugin } = startedPlugin
  const client = createClient(pluginProcess.port)
  const watch = watchProcess(pluginProcess, {
    report: deps.report,
    isSilent: startedPlugin.isAbandoned,
  })
  const connection: Connection = {
    name: plugin.name,
    async call(method, request, deadlineMs) {
      if (watch.hasEnded()) throw createProcessEndedError()
      const { name } = plugin
      const call = { plugin: name, path: method.path }
      if (deps.traceCall === undefined)
        return await callUnary(client, method, { request, deadlineMs })
      return await deps.traceCall(call, metadata =>
        callUnary(client, method, { request, deadlineMs, metadata }),
      )
    },
    getExitReport: watch.getExitReport,
  }
  const endProcess = async (): Promise<void> => {
    watch.expectEnd()
    client.close()
    await pluginProcess.stop()
  }
  try {
    const settings = readDriverSettings(deps.env)
    const isReady = await Promise.race([
      waitUntilReady(client, Date.now() + limits.firstResponseTimeoutMs),
      pluginProcess.exitDescription.then(() => false),
    ])
    if (!isReady) throw await createNotReadyError(pluginProcess, watch)
    const handshakeCapabilities = await performHandshake(connection, {
      engineAddress: deps.engineAddress(),
      ...(pluginProcess.isAttached === true ? {} : { folder: dirname(pluginProcess.path) }),
      refreshBeforeUpdate: settings.refreshBeforeUpdate,
    })
    if (pluginProcess.isAttached === true)
      await connection.call(service.attach, { address: deps.engineAddress() })
    const version = await fetchPluginVersion(connection)
    warnIfOlder(deps, plugin, version)
    let pendingClose: Promise<void> | undefined
    const close = (): Promise<void> => {
      pendingClose ??= withTimeout(
        connection.call(service.cancel, {}).catch(() => {}),
        limits.cancelTimeoutMs,
      ).then(endProcess)
      watch.expectEnd()
      return pendingClose
    }
    return createPulumiProvider({
      connection,
      pkg: startedPlugin.pkg,
      version,
      handshakeCapabilities,
      settings,
      close,
      hasEnded: watch.hasEnded,
    })
  } catch (thrown) {
    await endProcess()
    throw thrown
  }
}

async function createNotReadyError(
  pluginProcess: PluginProcess,
  watch: ProcessWatch,
): Promise<Error> {
  // The end of the process is not reported, because the returned error reports the failed start.
  watch.expectEnd()
  const exitReport = await watch.getExitReport()
  const reason =
    exitReport === undefined
      ? `did not respond on its port ${pluginProcess.port} within ${limits.firstResponseTimeoutMs / 1000} s`
      : `${exitReport.description} after it printed its port${formatLastLines(exitReport.lines)}`
  return error('PLUGIN_FAILED', `plugin '${pluginProcess.name}' (${pluginProcess.path}) ${reason}`)
}

/**
 * Warns about a plugin that is older than the requested version. The plugin is not refused, because
 * it may still work.
 */
function warnIfOlder(deps: PluginHostDeps, plugin: PluginDescriptor, version: string): void {
  const requestedVersion = semver.coerce(plugin.version, { includePrerelease: true })
  // The version of a plugin from a repository is its tag or commit. The reported version may be
  // another one, and is not compared.
  if (isGitAddress(plugin.downloadUrl)) return
  if (requestedVersion === null || isTruthy(deps.env['PULUMI_DEV'])) return
  const actualVersion = semver.coerce(version, { includePrerelease: true })
  if (actualVersion !== null && semver.gte(actualVersion, requestedVersion)) return
  deps.report({
    plugin: plugin.name,
    severity: 'warning',
    text:
      `plugin '${plugin.name}' should have version ${plugin.version} or later, ` +
      `but has ${version === '' ? 'none' : version}`,
    streamId: 0,
  })
}
