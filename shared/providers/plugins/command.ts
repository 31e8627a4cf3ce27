import { spawnDebugged, type Waiting } from '../../programs/debugging.ts'
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
  about: {
    readonly args: readonly string[]
    readonly cwd: string
    /** One from source waits for a debugger: told once, when one can attach. */
    readonly debugged?: (waiting: Waiting) => void
  },
): Promise<RunningPlugin> {
  const { args, cwd, debugged: tell } = about
  const folder = sourceFolderOf(path)
  const project = folder === undefined ? undefined : runnableProject(folder)
  if (project !== undefined && !hasCommand(project))
    return runByHost(deps, project, { args, cwd, isDebugged: tell !== undefined })
  const { forget = () => undefined, ...command } = await commandOf(deps, path, args)
  try {
    const debug =
      tell === undefined || project === undefined
        ? undefined
        : { runtime: project.runtime, title: `Pulumi: Plugin (${project.runtime})`, tell }
    const child = await spawnDebugged(deps.processes, { ...command, cwd }, debug)
    void child.exit.then(forget)
    return child
  } catch (thrown) {
    forget()
    throw thrown
  }
}
