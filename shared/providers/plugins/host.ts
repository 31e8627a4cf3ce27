/**
 * plugins: how plugins are found (find.ts), started (start.ts) and ended. Imports ports and below.
 *
 * Invariants: every load is a process of its own; nobody waits for what a plugin says; an instance
 * is ended in Pulumi's order (Cancel, channel, SIGINT, SIGKILL), and ending it never throws.
 */
import { dirname } from 'node:path'
import semver from 'semver'
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { Waiting } from '../../programs/debugging.ts'
import { createPulumiProvider } from '../pulumi/driver.ts'
import { isGitAddress } from '../install/git-address.ts'
import { askVersion, handshake } from '../pulumi/negotiation.ts'
import type { DriverSettings } from '../pulumi/session.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../provider.ts'
import { startOrAttach } from './attached.ts'
import { becomesReady, callUnary, type Connection, createClient, goneError } from './connect.ts'
import { pluginEnvironment } from './environment.ts'
import { installedPlugins } from './installed.ts'
import type { OwnPlugin } from './find.ts'
import { obtainPlugin } from './obtain.ts'
import { isTruthy } from '../../config/truthy.ts'
import { lastWords } from './lines.ts'
import { startAgain } from './start-again.ts'
import { type PluginProcess, within } from './start.ts'

/** What a plugin, or the host about it, tells the person. */
export interface PluginSaid {
  readonly plugin: string
  readonly severity: 'debug' | 'info' | 'info#err' | 'warning' | 'error'
  readonly text: string
  /** One number for each stream of each process; 0 for what the host says. */
  readonly streamId: number
}

/** What a host needs. */
export interface PluginHostDeps {
  readonly processes: ProcessesPort
  /** The environment of the user, which plugins inherit. */
  readonly env: Readonly<Record<string, string>>
  /** PATH as the user has it. */
  readonly path: string
  /** The home folder of the user. */
  readonly home: string
  readonly programDirectory: string
  readonly project: string
  /** Plugins that the project has itself. */
  readonly own?: readonly OwnPlugin[]
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Where the engine serves pulumirpc.Engine: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
  /** Whom to tell that a plugin from source waits for a debugger; undefined: it does not wait. */
  readonly debugged?: (plugin: string) => ((waiting: Waiting) => void) | undefined
  /** Must not wait and not throw. */
  readonly said: (what: PluginSaid) => void
  /** Puts a plugin that is nowhere into the plugin cache; false when it cannot. */
  readonly fetch?: (plugin: PluginDescriptor) => Promise<boolean>
}

/** Plugins whose output is meant for the person: they run the person's own code. */
const dynamicPlugins = ['pulumi-nodejs', 'pulumi-python']

/** A host that starts plugins as processes of this machine. */
export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const instances = new Set<Provider>()
  const starting = new AbortController()
  let isAbandoned = false
  let streams = 0
  const obtain: PluginHost['obtain'] = plugin => obtainPlugin(plugin, deps)
  return {
    obtain,
    installed: () => installedPlugins(deps),
    async load(plugin, about) {
      const found = await obtain(plugin)
      if ('missing' in found) throw error('PLUGIN_MISSING', found.missing)
      const first = streams + 1
      streams += 2
      const said = (line: string, stream: 'stdout' | 'stderr'): void =>
        deps.said({
          plugin: plugin.name,
          severity: severityOf(plugin.name, stream),
          text: line,
          streamId: stream === 'stdout' ? first : first + 1,
        })
      const startOnce = async (): Promise<Provider> => {
        const running = await startOrAttach(deps, {
          name: plugin.name,
          path: found.path,
          engineAddress: deps.engineAddress(),
          cwd: deps.programDirectory,
          env: pluginEnvironment({ ...deps, ...about, plugin: plugin.name }),
          said,
          over: starting.signal,
          debugged: deps.debugged?.(plugin.name),
        })
        const loaded = { running, plugin, pkg: about.pkg, isAbandoned: () => isAbandoned }
        return drive(deps, loaded)
      }
      const provider = await startAgain(startOnce, {
        isWorthIt: () => !starting.signal.aborted,
        said: text => deps.said({ plugin: plugin.name, severity: 'warning', text, streamId: 0 }),
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
      // Nothing more is decided: what has not even started is of no use to anyone.
      starting.abort()
      const all = Promise.all([...instances].map(instance => instance.cancel()))
      await within(all, limits.cancelAllMs)
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

function severityOf(plugin: string, stream: 'stdout' | 'stderr'): PluginSaid['severity'] {
  if (!dynamicPlugins.includes(plugin)) return 'debug'
  return stream === 'stdout' ? 'info' : 'info#err'
}

/** What the environment of the user says about driving providers. */
function settingsOf(env: Readonly<Record<string, string>>): DriverSettings {
  return {
    noPreview: isTruthy(env['PULUMI_DISABLE_PROVIDER_PREVIEW']),
    legacyPreview: isTruthy(env['PULUMI_LEGACY_PROVIDER_PREVIEW']),
    refreshBeforeUpdate: !isTruthy(env['PULUMI_DISABLE_REFRESH_BEFORE_UPDATE']),
  }
}

interface Loaded {
  readonly running: PluginProcess
  readonly plugin: PluginDescriptor
  readonly pkg: string
  /** Whether all plugins are being ended at once, at somebody's wish. */
  readonly isAbandoned: () => boolean
}

/** Connects to a started plugin and negotiates. Throws PLUGIN_FAILED; the process is then gone. */
async function drive(deps: PluginHostDeps, loaded: Loaded): Promise<Provider> {
  const { running, plugin } = loaded
  const client = createClient(running.port)
  const life = watch(deps, running, loaded.isAbandoned)
  const connection: Connection = {
    name: plugin.name,
    async call(method, request, deadlineMs) {
      if (life.isOver()) throw goneError()
      return await callUnary(client, method, { request, deadlineMs })
    },
    obituary: life.obituary,
  }
  const end = async (): Promise<void> => {
    life.expectEnd()
    client.close()
    await running.stop()
  }
  try {
    const settings = settingsOf(deps.env)
    const isReady = await Promise.race([
      becomesReady(client, Date.now() + limits.aliveMs),
      running.ended.then(() => false),
    ])
    if (!isReady) throw await neverAlive(running, life)
    const greeted = await handshake(connection, {
      engineAddress: deps.engineAddress(),
      ...(running.isAttached === true ? {} : { folder: dirname(running.path) }),
      refreshBeforeUpdate: settings.refreshBeforeUpdate,
    })
    if (running.isAttached === true)
      await connection.call(service.attach, { address: deps.engineAddress() })
    const version = await askVersion(connection)
    warnOfVersion(deps, plugin, version)
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      closing ??= within(
        connection.call(service.cancel, {}).catch(() => {}),
        limits.cancelMs,
      ).then(end)
      life.expectEnd()
      return closing
    }
    return createPulumiProvider({
      connection,
      pkg: loaded.pkg,
      version,
      greeted,
      settings,
      close,
      isGone: life.isOver,
    })
  } catch (thrown) {
    await end()
    throw thrown
  }
}

interface Life {
  readonly obituary: Connection['obituary']
  /** From now on the end of the process is nothing to report. */
  readonly expectEnd: () => void
  readonly isOver: () => boolean
}

/** Reports the end of a process that nobody asked to end. */
function watch(
  deps: PluginHostDeps,
  running: PluginProcess,
  isAbandoned: Loaded['isAbandoned'],
): Life {
  let isExpected = false
  let isOver = false
  void running.ended.then(async how => {
    isOver = true
    if (isExpected || isAbandoned()) return
    const lines = await running.lastLines()
    deps.said({
      plugin: running.name,
      severity: 'error',
      text:
        `plugin '${running.name}' (${running.path}) ${how} before it was told to, ` +
        `which is a fault of the plugin${lastWords(lines)}`,
      streamId: 0,
    })
  })
  return {
    async obituary() {
      const how = await within(running.ended, limits.lastWordsMs)
      return how === undefined ? undefined : { how, lines: await running.lastLines() }
    },
    expectEnd() {
      isExpected = true
    },
    isOver: () => isOver,
  }
}

async function neverAlive(running: PluginProcess, life: Life): Promise<Error> {
  // A failed start is told by the error itself.
  life.expectEnd()
  const end = await life.obituary()
  const why =
    end === undefined
      ? `did not answer on its port ${running.port} within ${limits.aliveMs / 1000} s`
      : `${end.how} after it printed its port${lastWords(end.lines)}`
  return error('PLUGIN_FAILED', `plugin '${running.name}' (${running.path}) ${why}`)
}

/** An older plugin than was asked for may do. */
function warnOfVersion(deps: PluginHostDeps, plugin: PluginDescriptor, version: string): void {
  const wanted = semver.coerce(plugin.version, { includePrerelease: true })
  // The version of a repository is its tag or commit, whatever its plugin says.
  if (isGitAddress(plugin.downloadUrl)) return
  if (wanted === null || isTruthy(deps.env['PULUMI_DEV'])) return
  const has = semver.coerce(version, { includePrerelease: true })
  if (has !== null && semver.gte(has, wanted)) return
  deps.said({
    plugin: plugin.name,
    severity: 'warning',
    text:
      `plugin '${plugin.name}' should have version ${plugin.version} or later, ` +
      `but has ${version === '' ? 'none' : version}`,
    streamId: 0,
  })
}
