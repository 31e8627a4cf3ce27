import { spawnDebugged, type DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import type { LanguageHostDeps } from '../../programs/hosts/language-host.ts'
import {
  type PluginCommand,
  type SourceCommandDeps,
  findSourceFolder,
} from '../../programs/plugins/plugin-project.ts'
import { runPluginByHost, type RunningPlugin } from '../../programs/plugins/run-plugin-by-host.ts'
import {
  hasSourceCommand,
  readRunnableProject,
  createSourceCommand,
} from '../../programs/plugins/source-command.ts'

/**
 * Returns the command of a plugin: its file, or the command of its language for source code in a
 * folder with `PulumiPlugin.yaml`. Throws the errors of `createSourceCommand`.
 */
export async function resolveCommand(
  deps: SourceCommandDeps,
  path: string,
  args: readonly string[],
): Promise<PluginCommand> {
  const folder = findSourceFolder(path)
  return folder === undefined
    ? { command: path, args, env: deps.env }
    : createSourceCommand(deps, readRunnableProject(folder), args)
}

/**
 * Spawns a plugin: its file, or the command of its language. For a language without such a command,
 * the host of the language runs the plugin. Throws the errors of `resolveCommand` and
 * `runPluginByHost`, and PLUGIN_FAILED when the plugin cannot be started.
 */
export async function spawnPlugin(
  deps: LanguageHostDeps,
  path: string,
  options: {
    readonly args: readonly string[]
    readonly cwd: string
    /**
     * If set, a plugin from source waits for a debugger. Called at most once, when a debugger can
     * attach. Not called for a plugin that the host of its language runs: that host reports the
     * debugger itself.
     */
    readonly onDebuggerReady?: (endpoint: DebuggerEndpoint) => void
  },
): Promise<RunningPlugin> {
  const { args, cwd, onDebuggerReady: onReady } = options
  const folder = findSourceFolder(path)
  const project = folder === undefined ? undefined : readRunnableProject(folder)
  if (project !== undefined && !hasSourceCommand(project))
    return runPluginByHost(deps, project, { args, cwd, isDebugged: onReady !== undefined })
  const commandDeps = { ...deps, isDebugged: onReady !== undefined }
  const { cleanUp = () => undefined, ...command } = await resolveCommand(commandDeps, path, args)
  try {
    const debugRequest =
      onReady === undefined || project === undefined
        ? undefined
        : {
            runtime: project.runtime,
            title: `Pulumi: Plugin (${project.runtime})`,
            onReady,
          }
    const child = await spawnDebugged(deps.processes, { ...command, cwd }, debugRequest)
    void child.exit.then(cleanUp)
    return child
  } catch (thrown) {
    cleanUp()
    throw thrown
  }
}
