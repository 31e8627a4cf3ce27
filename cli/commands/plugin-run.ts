import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { PluginCommand } from '../../shared/programs/plugins/plugin-project.ts'
import { createPluginInstaller } from '../../shared/providers/install/plugin-installer.ts'
import { isExecutable } from '../../shared/programs/executables.ts'
import { obtainPlugin } from '../../shared/providers/plugins/obtain-plugin.ts'
import { resolveCommand } from '../../shared/providers/plugins/spawn-plugin.ts'
import type { Handler } from '../arguments/handler.ts'
import {
  definedVariablesOf,
  requirePluginKind,
  withInstallDeps,
} from '../plugins/plugin-command-tools.ts'
import type { CliSession } from '../session/session.ts'

/** `plugin run`: runs a plugin with arguments in this terminal, and returns its exit code. */
export const runPlugin: Handler = async (session, flags, [nameOrPath = '', ...args]) => {
  const kind = requirePluginKind(flags.text('kind') ?? 'tool')
  const path = await resolvePath(session, kind, nameOrPath)
  const pluginCommand = await resolvePluginCommand(session, path, args)
  const child = spawn(pluginCommand.command, [...pluginCommand.args], {
    stdio: 'inherit',
    cwd: session.cwd,
    env: pluginCommand.env,
  })
  return new Promise<number>((resolveExit, reject) => {
    child.on('error', cause =>
      reject(
        createError('PLUGIN_FAILED', `cannot run ${pluginCommand.command}: ${cause.message}`, {
          cause,
        }),
      ),
    )
    // The code is null if a signal ended the plugin.
    child.on('exit', code => resolveExit(code ?? 255))
  }).finally(pluginCommand.cleanUp)
}

async function resolvePluginCommand(
  session: CliSession,
  path: string,
  args: readonly string[],
): Promise<PluginCommand> {
  const processes = createProcesses()
  try {
    return await resolveCommand({ processes, env: definedVariablesOf(session) }, path, args)
  } finally {
    await processes.close()
  }
}

/**
 * Returns the path of a local executable file or of a cached plugin, and installs a missing plugin.
 * For a local folder with source code, returns a path in that folder, because `resolveCommand`
 * looks for source code in the folder of the path.
 */
async function resolvePath(session: CliSession, kind: string, nameOrPath: string): Promise<string> {
  if (/^\.{0,2}\//.test(nameOrPath)) {
    const localPath = resolve(session.cwd, nameOrPath)
    if (isExecutable(localPath)) return localPath
    // If the folder contains no plugin, the error shows this file name, as in Pulumi.
    return `${localPath}/${basename(dirname(localPath))}`
  }
  const [name = '', version = ''] = nameOrPath.split('@')
  const env = definedVariablesOf(session)
  const searchOptions = { env, home: env['HOME'] ?? homedir(), path: env['PATH'] ?? '' }
  const plugin = await withInstallDeps(session, deps =>
    obtainPlugin(
      { kind, name, version, downloadUrl: '' },
      { ...searchOptions, install: createPluginInstaller(deps) },
    ),
  )
  if ('missing' in plugin) throw createError('PLUGIN_MISSING', plugin.missing)
  return plugin.path
}
