import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { runToEnd } from '../executables.ts'
import { type PluginProject, readPluginProject, toolchainOf } from './plugin-project.ts'
import { toPythonSource } from './python-plugin.ts'

type Command = readonly [command: string, ...args: readonly string[]]

/**
 * Installs the missing dependencies of a plugin from source: with npm for Node, with the plugin's
 * toolchain for Python. Go downloads dependencies during the build. Plugins in other languages must
 * already contain their dependencies. Throws PLUGIN_FAILED.
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
    const { code, stdout, stderr } = await runToEnd(deps.processes, request)
    if (code === 0) continue
    const subject = `\`${[command, ...args].join(' ')}\` in ${folder}`
    const outputEnd = `${stdout}\n${stderr}`.trim().slice(-2_000)
    throw createError(
      'PLUGIN_FAILED',
      `${subject} failed with exit code ${code ?? '?'}: ${outputEnd}`,
    )
  }
}

function chooseCommands(project: PluginProject): readonly Command[] {
  const { runtime, folder } = project
  const hasFile = (name: string): boolean => existsSync(join(folder, name))
  if (runtime === 'nodejs')
    return hasFile('package.json') && !hasFile('node_modules')
      ? [['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error']]
      : []
  return runtime === 'python' ? choosePythonCommands(project, hasFile) : []
}

function choosePythonCommands(
  project: PluginProject,
  hasFile: (name: string) => boolean,
): readonly Command[] {
  const { folder } = project
  const tool = toolchainOf(project)
  if (tool === 'uv') return hasFile('.venv') ? [] : [['uv', 'sync']]
  if (tool === 'poetry') return [['poetry', 'install', '--no-interaction']]
  const { virtualenv } = toPythonSource(project).runtimeOptions
  const environmentFolder = resolve(folder, String(virtualenv))
  if (existsSync(environmentFolder)) return []
  const pipCommand = [
    join(environmentFolder, 'bin', 'python'),
    '-m',
    'pip',
    'install',
    '--quiet',
  ] as const
  const venvCommand: Command = ['python3', '-m', 'venv', environmentFolder]
  if (hasFile('requirements.txt')) return [venvCommand, [...pipCommand, '-r', 'requirements.txt']]
  return hasFile('pyproject.toml') ? [venvCommand, [...pipCommand, '-e', '.']] : [venvCommand]
}
