/**
 * plugins: finds (find-plugin.ts), starts (start-plugin.ts) and ends plugins. Imports programs and
 * the layers below it.
 *
 * Invariants: every load starts a separate process, except for a plugin that the user runs. Output
 * of a plugin never blocks the host. An instance is ended in Pulumi's order: Cancel, close of the
 * channel, SIGINT, SIGKILL. The end of an instance never throws.
 */
import { addInstance } from './add-instance.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../provider.ts'
import { startOrAttachPlugin } from './attached-plugins.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import { connectPlugin } from './connect-plugin.ts'
import { createPluginEnvironment } from './plugin-environment.ts'
import { listAvailablePlugins } from './installed-plugins.ts'
import type { ProjectPluginLocation } from './find-plugin.ts'
import { obtainPlugin } from './obtain-plugin.ts'
import type { PluginMessage } from './plugin-message.ts'
import { retryStart } from './retry-start.ts'
import type { TraceCall } from './trace-call.ts'

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
  /** The `runtime.options` of the project file. */
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
  const pendingStarts = new Set<Promise<Provider>>()
  const startAbort = new AbortController()
  let isAbandoned = false
  let streamCount = 0
  const obtain: PluginHost['obtain'] = plugin => obtainPlugin(plugin, deps)
  return {
    obtain,
    listInstalled: () => listAvailablePlugins(deps),
    async load(plugin, options) {
      const lookup = await obtain(plugin)
      if ('missing' in lookup) throw createError('PLUGIN_MISSING', lookup.missing)
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
        return connectPlugin(deps, {
          ...{ pluginProcess, plugin, pkg },
          abortSignal: startAbort.signal,
          isAbandoned: () => isAbandoned,
        })
      }
      const pendingStart = retryStart(startPluginOnce, {
        shouldRetry: () => !startAbort.signal.aborted,
        report: text =>
          deps.report({ plugin: plugin.name, severity: 'warning', text, streamId: 0 }),
      }).then(provider => addInstance(instances, provider))
      pendingStarts.add(pendingStart)
      return pendingStart.finally(() => pendingStarts.delete(pendingStart))
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
      const closeInstances = () => Promise.all([...instances].map(instance => instance.close()))
      await Promise.all([closeInstances(), Promise.allSettled(pendingStarts)])
      // A start may have succeeded just before the abort.
      await closeInstances()
    },
  }
}

function severityOf(plugin: string, stream: 'stdout' | 'stderr'): PluginMessage['severity'] {
  if (!dynamicPlugins.includes(plugin)) return 'debug'
  return stream === 'stdout' ? 'info' : 'info#err'
}
