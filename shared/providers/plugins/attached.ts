import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { type PluginProcess, startPlugin, type StartRequest } from './start.ts'

/** A plugin that a person says to run, with the text of its port; undefined where none is said. */
interface Attached {
  readonly name: string
  readonly port: string | undefined
}

/**
 * The plugins that a person runs already, as named. Source: docs/spec/provider-protocol.md#attach.
 */
export function attachedPlugins(env: Readonly<Record<string, string>>): readonly Attached[] {
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
export function attachedPort(
  env: Readonly<Record<string, string>>,
  plugin: string,
): number | undefined {
  for (const { name, port = '' } of attachedPlugins(env)) {
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
  const port = attachedPort(deps.env, request.name)
  return port === undefined
    ? startPlugin(deps.processes, request)
    : attachedProcess(request.name, port)
}

/** A plugin that somebody else runs, and ends. */
function attachedProcess(name: string, port: number): PluginProcess {
  return {
    name,
    path: `127.0.0.1:${port}`,
    port,
    isAttached: true,
    ended: new Promise<string>(() => undefined),
    lastLines: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
  }
}
