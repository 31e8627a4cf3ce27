import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { runToEnd } from '../executables.ts'
import { type PluginProject, readPluginProject, toolchainOf } from './plugin-project.ts'
import { toPythonSource } from './python-plugin.ts'

type Command = readonly [command: string, ...args: readonly string[]]

/**
 * Installs the missing dependencies of a plugin from source: with npm for Node, with the plugin's
 * toolchain for Python. Go downloads dependencies during the build, and other plugins bring theirs
 * along. Throws PLUGIN_FAILED.
 */
export async function installDependencies(
  folder: string,
  deps: {
    readonly processes: ProcessesPort
    readonly env: Readonly<Record<string, string>>
    readonly report: (text: string) => void
  },
): Promise<void> {
  const project = readPluginProject(folder)
  const commands = project === undefined ? [] : chooseCommands(project)
  if (commands.length > 0) deps.report(`installing the dependencies of ${folder}`)
  for (const [command, ...args] of commands) {
    const request = { command, args, cwd: folder, env: deps.env }
    const { code, out, err } = await runToEnd(deps.processes, request)
    if (code === 0) continue
    const what = `\`${[command, ...args].join(' ')}\` in ${folder}`
    const last = `${out}\n${err}`.trim().slice(-2_000)
    throw error('PLUGIN_FAILED', `${what} failed with exit code ${code ?? '?'}: ${last}`)
  }
}

function chooseCommands(project: PluginProject): readonly Command[] {
  const { runtime, folder } = project
  const has = (name: string): boolean => existsSync(join(folder, name))
  if (runtime === 'nodejs')
    return has('package.json') && !has('node_modules')
      ? [['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error']]
      : []
  return runtime === 'python' ? choosePythonCommands(project, has) : []
}

function choosePythonCommands(
  project: PluginProject,
  has: (name: string) => boolean,
): readonly Command[] {
  const { folder } = project
  const tool = toolchainOf(project)
  if (tool === 'uv') return has('.venv') ? [] : [['uv', 'sync']]
  if (tool === 'poetry') return [['poetry', 'install', '--no-interaction']]
  const { virtualenv } = toPythonSource(project).runtimeOptions
  const place = resolve(folder, String(virtualenv))
  if (existsSync(place)) return []
  const pip = [join(place, 'bin', 'python'), '-m', 'pip', 'install', '--quiet'] as const
  const made: Command = ['python3', '-m', 'venv', place]
  if (has('requirements.txt')) return [made, [...pip, '-r', 'requirements.txt']]
  return has('pyproject.toml') ? [made, [...pip, '-e', '.']] : [made]
}
