import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { type PluginProcess, startPlugin, type StartRequest } from './start-plugin.ts'

/** A plugin that a person says to run, with the text of its port; undefined where none is said. */
interface AttachedPlugin {
  readonly name: string
  readonly port: string | undefined
}

/**
 * The plugins that a person runs already, as named. Source: docs/spec/provider-protocol.md#attach.
 */
export function readAttachedPlugins(
  env: Readonly<Record<string, string>>,
): readonly AttachedPlugin[] {
  return (env['PULUMI_DEBUG_PROVIDERS'] ?? '').split(',').map(pair => {
    const [name = '', port] = pair.split(':')
    return { name: name.trim(), port }
  })
}

/**
 * The port of a plugin that a person runs already, say in a debugger; undefined where none is
 * named. Throws PLUGIN_FAILED for a port that is none. Source:
 * docs/spec/provider-protocol.md#attach.
 */
export function readAttachedPort(
  env: Readonly<Record<string, string>>,
  plugin: string,
): number | undefined {
  for (const { name, port = '' } of readAttachedPlugins(env)) {
    if (name !== plugin) continue
    if (/^\d{1,5}$/.test(port.trim())) return Number(port)
    throw error(
      'PLUGIN_FAILED',
      `Expected a numeric port, got ${port} in PULUMI_DEBUG_PROVIDERS (plugin '${plugin}')`,
    )
  }
  return undefined
}

/** Starts a plugin, unless a person runs it already. Throws what `startPlugin` throws. */
export async function startOrAttach(
  deps: {
    readonly processes: ProcessesPort
    readonly env: Readonly<Record<string, string>>
  },
  request: StartRequest,
): Promise<PluginProcess> {
  const port = readAttachedPort(deps.env, request.name)
  return port === undefined
    ? startPlugin(deps.processes, request)
    : createAttachedProcess(request.name, port)
}

/** A plugin that somebody else runs, and ends. */
function createAttachedProcess(name: string, port: number): PluginProcess {
  return {
    name,
    path: `127.0.0.1:${port}`,
    port,
    isAttached: true,
    ended: new Promise<string>(() => undefined),
    readLastLines: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
  }
}
