import { dirname } from 'node:path'
import type { Client } from '@grpc/grpc-js'
import semver from 'semver'
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { isTruthy } from '../../config/truthy.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import { createError } from '../../errors/error.ts'
import { isGitAddress } from '../install/git-address.ts'
import type { PluginDescriptor, Provider } from '../provider.ts'
import { fetchPluginVersion, performHandshake } from '../pulumi/negotiation.ts'
import type { DriverSettings } from '../pulumi/provider-session.ts'
import { createPulumiProvider, type DriverDeps } from '../pulumi/pulumi-provider.ts'
import { awaitOrAbort } from './await-or-abort.ts'
import {
  callUnary,
  type Connection,
  createClient,
  createProcessEndedError,
  waitUntilReady,
} from './connection.ts'
import type { PluginMessage } from './plugin-message.ts'
import { formatLastLines } from './plugin-output.ts'
import type { PluginProcess } from './start-plugin.ts'
import type { TraceCall } from './trace-call.ts'
import { type ProcessWatch, watchProcess } from './watch-process.ts'

/** Dependencies of a connection, see `PluginHostDeps`. */
interface ConnectDeps {
  readonly env: Readonly<Record<string, string>>
  readonly engineAddress: () => string
  readonly report: (message: PluginMessage) => void
  readonly traceCall?: TraceCall | undefined
}

/** Reads the provider settings of the user's environment. */
function readDriverSettings(env: Readonly<Record<string, string>>): DriverSettings {
  return {
    isPreviewDisabled: isTruthy(env['PULUMI_DISABLE_PROVIDER_PREVIEW']),
    isLegacyPreview: isTruthy(env['PULUMI_LEGACY_PROVIDER_PREVIEW']),
    refreshBeforeUpdate: !isTruthy(env['PULUMI_DISABLE_REFRESH_BEFORE_UPDATE']),
  }
}

/** A plugin that has printed its port, or that the user runs. */
export interface StartedPlugin {
  readonly pluginProcess: PluginProcess
  readonly plugin: PluginDescriptor
  readonly pkg: string
  /** Ends the plugin if it is not connected yet. */
  readonly abortSignal: AbortSignal
  /** Reports whether all plugins are being killed. The end of a plugin is then not reported. */
  readonly isAbandoned: () => boolean
}

/**
 * Connects to a started plugin and performs the handshake. Throws PLUGIN_FAILED or the gRPC error
 * of Attach, after the end of the process.
 */
export async function connectPlugin(
  deps: ConnectDeps,
  startedPlugin: StartedPlugin,
): Promise<Provider> {
  const { pluginProcess, plugin } = startedPlugin
  const client = createClient(pluginProcess.port)
  const watch = watchProcess(pluginProcess, {
    report: deps.report,
    isSilent: startedPlugin.isAbandoned,
  })
  const connection = createConnection(deps, plugin.name, { client, watch })
  const { name, path } = pluginProcess
  const startRequest = { name, path, abortSignal: startedPlugin.abortSignal }
  const endProcess = async (): Promise<void> => {
    watch.expectEnd()
    client.close()
    await pluginProcess.stop()
  }
  try {
    const isReady = await awaitOrAbort(
      Promise.race([
        waitUntilReady(client, Date.now() + limits.firstResponseTimeoutMs),
        pluginProcess.exitDescription.then(() => false),
      ]),
      startRequest,
    )
    if (!isReady) throw await createNotReadyError(pluginProcess, watch)
    const { version, ...negotiated } = await awaitOrAbort(
      negotiate(deps, connection, pluginProcess),
      startRequest,
    )
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
    const { hasEnded } = watch
    const { pkg } = startedPlugin
    return createPulumiProvider({ connection, pkg, version, ...negotiated, close, hasEnded })
  } catch (thrown) {
    await endProcess()
    throw thrown
  }
}

/** Makes the first calls of a connection: the handshake, Attach, and the query of the version. */
async function negotiate(
  { env, engineAddress }: ConnectDeps,
  connection: Connection,
  { path, isAttached = false }: PluginProcess,
): Promise<Pick<DriverDeps, 'version' | 'settings' | 'handshakeCapabilities'>> {
  const settings = readDriverSettings(env)
  const handshakeCapabilities = await performHandshake(connection, {
    engineAddress: engineAddress(),
    ...(isAttached ? {} : { folder: dirname(path) }),
    refreshBeforeUpdate: settings.refreshBeforeUpdate,
  })
  if (isAttached) await connection.call(service.attach, { address: engineAddress() })
  const version = await fetchPluginVersion(connection)
  return { version, settings, handshakeCapabilities }
}

/** Creates the connection to a plugin. Its calls are traced if the host traces calls. */
function createConnection(
  { traceCall }: ConnectDeps,
  name: string,
  { client, watch }: { readonly client: Client; readonly watch: ProcessWatch },
): Connection {
  return {
    name,
    async call(method, request, deadlineMs) {
      if (watch.hasEnded()) throw createProcessEndedError()
      if (traceCall === undefined) return callUnary(client, method, { request, deadlineMs })
      return traceCall({ plugin: name, path: method.path }, metadata =>
        callUnary(client, method, { request, deadlineMs, metadata }),
      )
    },
    getExitReport: watch.getExitReport,
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
  return createError(
    'PLUGIN_FAILED',
    `plugin '${pluginProcess.name}' (${pluginProcess.path}) ${reason}`,
  )
}

/**
 * Warns about a plugin that is older than the requested version. The plugin is not refused, because
 * it may still work.
 */
function warnIfOlder(deps: ConnectDeps, plugin: PluginDescriptor, version: string): void {
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
