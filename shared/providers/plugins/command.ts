import type { LanguageHostDeps } from '../../programs/language-host.ts'
import {
  type PluginCommand,
  type SourceDeps,
  sourceFolderOf,
} from '../../programs/plugins/plugin-project.ts'
import { runByHost, type RunningPlugin } from '../../programs/plugins/run-by-host.ts'
import {
  hasCommand,
  runnableProject,
  sourceCommand,
} from '../../programs/plugins/source-command.ts'

/**
 * The command of a plugin: its file, or, where it is source code in a folder with
 * `PulumiPlugin.yaml`, that of its language. Throws what `sourceCommand` throws.
 */
export async function commandOf(
  deps: SourceDeps,
  path: string,
  args: readonly string[],
): Promise<PluginCommand> {
  const folder = sourceFolderOf(path)
  return folder === undefined
    ? { command: path, args, env: deps.env }
    : sourceCommand(deps, runnableProject(folder), args)
}

/**
 * Spawns a plugin, by the host of its language where that alone knows how. Throws what `commandOf`
 * and `runByHost` throw, and PLUGIN_FAILED when it cannot be started.
 */
export async function spawnPlugin(
  deps: LanguageHostDeps,
  path: string,
  about: { readonly args: readonly string[]; readonly cwd: string },
): Promise<RunningPlugin> {
  const folder = sourceFolderOf(path)
  const project = folder === undefined ? undefined : runnableProject(folder)
  if (project !== undefined && !hasCommand(project)) return runByHost(deps, project, about)
  const { forget = () => undefined, ...command } = await commandOf(deps, path, about.args)
  try {
    const child = deps.processes.spawn({ ...command, cwd: about.cwd })
    void child.exit.then(forget)
    return child
  } catch (thrown) {
    forget()
    throw thrown
  }
}
