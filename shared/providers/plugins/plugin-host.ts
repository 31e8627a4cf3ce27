/**
 * plugins: finds (find-plugin.ts), starts (start-plugin.ts) and ends plugins. Imports ports and
 * below.
 *
 * Invariants: every load starts a separate process. Output of a plugin never blocks the host. An
 * instance is ended in Pulumi's order (Cancel, channel, SIGINT, SIGKILL), and ending it never
 * throws.
 */
import { dirname } from 'node:path'
import semver from 'semver'
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/debugging.ts'
import { createPulumiProvider } from '../pulumi/pulumi-provider.ts'
import { isGitAddress } from '../install/git-address.ts'
import { fetchPluginVersion, performHandshake } from '../pulumi/negotiation.ts'
import type { DriverSettings } from '../pulumi/provider-session.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../provider.ts'
import { startOrAttach } from './attached-plugins.ts'
import {
  waitUntilReady,
  callUnary,
  type Connection,
  createClient,
  goneError,
} from './connection.ts'
import { createPluginEnvironment } from './plugin-environment.ts'
import { listInstalledPlugins } from './installed-plugins.ts'
import type { OwnPlugin } from './find-plugin.ts'
import { obtainPlugin } from './obtain-plugin.ts'
import { isTruthy } from '../../config/truthy.ts'
import { formatLastLines } from './plugin-output.ts'
import { retryStart } from './retry-start.ts'
import { type PluginProcess, withTimeout } from './start-plugin.ts'

/** A message for the user from a plugin or from the host. */
export interface PluginMessage {
  readonly plugin: string
  readonly severity: 'debug' | 'info' | 'info#err' | 'warning' | 'error'
  readonly text: string
  /** A number for each stream of each process; 0 for messages of the host. */
  readonly streamId: number
}

/** Dependencies of a host. */
export interface PluginHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which plugins inherit. */
  readonly env: Readonly<Record<string, string>>
  /** PATH of the user. */
  readonly path: string
  /** The user's home folder. */
  readonly home: string
  readonly programDirectory: string
  readonly project: string
  /** Plugins of the user's project. */
  readonly own?: readonly OwnPlugin[]
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Address of the engine's pulumirpc.Engine service: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
  /**
   * Returns the callback for a plugin from source that waits for a debugger, or undefined if it
   * does not wait.
   */
  readonly debuggerListenerOf?: (
    plugin: string,
  ) => ((waiting: DebuggerEndpoint) => void) | undefined
  /** Must not block and must not throw. */
  readonly report: (what: PluginMessage) => void
  /** Installs a missing plugin in the plugin cache. Returns false when it cannot. */
  readonly fetch?: (plugin: PluginDescriptor) => Promise<boolean>
}

/** Plugins whose output is shown to the user, because they run the user's code. */
const dynamicPlugins = ['pulumi-nodejs', 'pulumi-python']

/** Creates a host that starts plugins as processes of this machine. */
export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const instances = new Set<Provider>()
  const starting = new AbortController()
  let isAbandoned = false
  let streams = 0
  const obtain: PluginHost['obtain'] = plugin => obtainPlugin(plugin, deps)
  return {
    obtain,
    listInstalled: () => listInstalledPlugins(deps),
    async load(plugin, options) {
      const found = await obtain(plugin)
      if ('missing' in found) throw error('PLUGIN_MISSING', found.missing)
      const first = streams + 1
      streams += 2
      const reportLine = (line: string, stream: 'stdout' | 'stderr'): void =>
        deps.report({
          plugin: plugin.name,
          severity: severityOf(plugin.name, stream),
          text: line,
          streamId: stream === 'stdout' ? first : first + 1,
        })
      const startPluginOnce = async (): Promise<Provider> => {
        const running = await startOrAttach(deps, {
          name: plugin.name,
          path: found.path,
          engineAddress: deps.engineAddress(),
          cwd: deps.programDirectory,
          env: createPluginEnvironment({ ...deps, ...options, plugin: plugin.name }),
          onLine: reportLine,
          abandoned: starting.signal,
          onDebuggerReady: deps.debuggerListenerOf?.(plugin.name),
        })
        const loaded = { running, plugin, pkg: options.pkg, isAbandoned: () => isAbandoned }
        return connectPlugin(deps, loaded)
      }
      const provider = await retryStart(startPluginOnce, {
        shouldRetry: () => !starting.signal.aborted,
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
      // After a cancellation no further call is made, so plugins that are still starting are not
      // needed.
      starting.abort()
      const all = Promise.all([...instances].map(instance => instance.cancel()))
      await withTimeout(all, limits.cancelAllMs)
    },
    abandon() {
      isAbandoned = true
      starting.abort()
    },
    async close() {
      starting.abort()
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
    noPreview: isTruthy(env['PULUMI_DISABLE_PROVIDER_PREVIEW']),
    legacyPreview: isTruthy(env['PULUMI_LEGACY_PROVIDER_PREVIEW']),
    refreshBeforeUpdate: !isTruthy(env['PULUMI_DISABLE_REFRESH_BEFORE_UPDATE']),
  }
}

interface StartedPlugin {
  readonly running: PluginProcess
  readonly plugin: PluginDescriptor
  readonly pkg: string
  /** Reports whether all plugins are being killed because the user cancelled. */
  readonly isAbandoned: () => boolean
}

/**
 * Connects to a started plugin and negotiates. When it throws PLUGIN_FAILED, the process has ended.
 */
async function connectPlugin(deps: PluginHostDeps, loaded: StartedPlugin): Promise<Provider> {
  const { running, plugin } = loaded
  const client = createClient(running.port)
  const processWatch = watchProcess(deps, running, loaded.isAbandoned)
  const connection: Connection = {
    name: plugin.name,
    async call(method, request, deadlineMs) {
      if (processWatch.isOver()) throw goneError()
      return await callUnary(client, method, { request, deadlineMs })
    },
    getExitReport: processWatch.getExitReport,
  }
  const end = async (): Promise<void> => {
    processWatch.expectEnd()
    client.close()
    await running.stop()
  }
  try {
    const settings = readDriverSettings(deps.env)
    const isReady = await Promise.race([
      waitUntilReady(client, Date.now() + limits.aliveMs),
      running.ended.then(() => false),
    ])
    if (!isReady) throw await neverReadyError(running, processWatch)
    const negotiated = await performHandshake(connection, {
      engineAddress: deps.engineAddress(),
      ...(running.isAttached === true ? {} : { folder: dirname(running.path) }),
      refreshBeforeUpdate: settings.refreshBeforeUpdate,
    })
    if (running.isAttached === true)
      await connection.call(service.attach, { address: deps.engineAddress() })
    const version = await fetchPluginVersion(connection)
    warnOfVersion(deps, plugin, version)
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      closing ??= withTimeout(
        connection.call(service.cancel, {}).catch(() => {}),
        limits.cancelMs,
      ).then(end)
      processWatch.expectEnd()
      return closing
    }
    return createPulumiProvider({
      connection,
      pkg: loaded.pkg,
      version,
      negotiated,
      settings,
      close,
      isGone: processWatch.isOver,
    })
  } catch (thrown) {
    await end()
    throw thrown
  }
}

interface ProcessWatch {
  readonly getExitReport: Connection['getExitReport']
  /** Stops reporting the end of the process. */
  readonly expectEnd: () => void
  readonly isOver: () => boolean
}

/** Reports an unexpected end of a process. */
function watchProcess(
  deps: PluginHostDeps,
  running: PluginProcess,
  isAbandoned: StartedPlugin['isAbandoned'],
): ProcessWatch {
  let isExpected = false
  let isOver = false
  void running.ended.then(async how => {
    isOver = true
    if (isExpected || isAbandoned()) return
    const lines = await running.readLastLines()
    deps.report({
      plugin: running.name,
      severity: 'error',
      text: `plugin '${running.name}' (${running.path}) ${how} unexpectedly, which is a bug of the plugin${formatLastLines(lines)}`,
      streamId: 0,
    })
  })
  return {
    async getExitReport() {
      const how = await withTimeout(running.ended, limits.lastWordsMs)
      return how === undefined ? undefined : { how, lines: await running.readLastLines() }
    },
    expectEnd() {
      isExpected = true
    },
    isOver: () => isOver,
  }
}

async function neverReadyError(running: PluginProcess, processWatch: ProcessWatch): Promise<Error> {
  // The thrown error already reports a failed start.
  processWatch.expectEnd()
  const end = await processWatch.getExitReport()
  const why =
    end === undefined
      ? `did not respond on its port ${running.port} within ${limits.aliveMs / 1000} s`
      : `${end.how} after it printed its port${formatLastLines(end.lines)}`
  return error('PLUGIN_FAILED', `plugin '${running.name}' (${running.path}) ${why}`)
}

/** Warns when a plugin is older than the requested version, because it may still work. */
function warnOfVersion(deps: PluginHostDeps, plugin: PluginDescriptor, version: string): void {
  const wanted = semver.coerce(plugin.version, { includePrerelease: true })
  // The version of a plugin from a repository is its tag or commit, even if the plugin reports
  // another one.
  if (isGitAddress(plugin.downloadUrl)) return
  if (wanted === null || isTruthy(deps.env['PULUMI_DEV'])) return
  const has = semver.coerce(version, { includePrerelease: true })
  if (has !== null && semver.gte(has, wanted)) return
  deps.report({
    plugin: plugin.name,
    severity: 'warning',
    text:
      `plugin '${plugin.name}' should have version ${plugin.version} or later, ` +
      `but has ${version === '' ? 'none' : version}`,
    streamId: 0,
  })
}
