import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { type PluginProcess, startPlugin, type StartRequest } from './start-plugin.ts'

/**
 * An entry `name:port` of PULUMI_DEBUG_PROVIDERS. `port` is undefined if the entry has no colon.
 */
interface AttachedPlugin {
  readonly name: string
  readonly port: string | undefined
}

/**
 * Returns the entries of PULUMI_DEBUG_PROVIDERS. The variable lists the plugins that the user
 * already runs. Source: docs/spec/provider-protocol.md#attach.
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
 * Returns the port of a plugin that the user already runs, for example in a debugger. Returns
 * undefined when PULUMI_DEBUG_PROVIDERS does not name the plugin. Throws PLUGIN_FAILED for an
 * invalid port. Source: docs/spec/provider-protocol.md#attach.
 */
export function readAttachedPort(
  env: Readonly<Record<string, string>>,
  plugin: string,
): number | undefined {
  for (const { name, port = '' } of readAttachedPlugins(env)) {
    if (name !== plugin) continue
    if (/^\d{1,5}$/.test(port.trim())) return Number(port)
    throw createError(
      'PLUGIN_FAILED',
      `Expected a numeric port, got ${port} in PULUMI_DEBUG_PROVIDERS (plugin '${plugin}')`,
    )
  }
  return undefined
}

/**
 * Starts a plugin, or attaches to one that the user already runs. Throws the errors of
 * `startPlugin`.
 */
export async function startOrAttachPlugin(
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

/** Creates the process of an attached plugin, which the user runs and ends. */
function createAttachedProcess(name: string, port: number): PluginProcess {
  return {
    name,
    path: `127.0.0.1:${port}`,
    port,
    isAttached: true,
    exitDescription: new Promise<string>(() => undefined),
    readLastLines: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
  }
}
