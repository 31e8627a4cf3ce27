import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { createError } from '../../errors/error.ts'
import { runToEnd } from '../executables.ts'
import type { ProgramSource } from '../program.ts'
import { resolvePythonEnvironment } from '../hosts/python-environment.ts'
import {
  type PluginCommand,
  type PluginProject,
  type SourceCommandDeps,
  toolchainOf,
} from './plugin-project.ts'

/**
 * Converts a Python plugin's project to a program source. With pip, the default environment is
 * `venv`, because plugins never run in the system's Python.
 */
export function toPythonSource(project: PluginProject): ProgramSource {
  const { folder, runtime, options } = project
  const virtualenv = options['virtualenv'] ?? (toolchainOf(project) === 'pip' ? 'venv' : undefined)
  const runtimeOptions = virtualenv === undefined ? options : { ...options, virtualenv }
  return { runtime, projectFolder: folder, programFolder: folder, entryPoint: '.', runtimeOptions }
}

/**
 * Creates the command of a Python plugin: its `__main__.py`, else its package. Throws
 * PLUGIN_FAILED.
 */
export async function createPythonPluginCommand(
  { processes, env: baseEnv }: SourceCommandDeps,
  project: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const { folder } = project
  const source = toPythonSource(project)
  const { command, env } = await resolvePythonEnvironment({ processes, env: baseEnv, source })
  if (existsSync(join(folder, '__main__.py'))) return { command, args: [folder, ...args], env }
  const probe = { command, args: ['-c', 'import pulumi.run.plugin'], cwd: folder, env }
  const { code, stderr } = await runToEnd(processes, probe)
  if (code !== 0)
    throw createError(
      'PLUGIN_FAILED',
      `the SDK of the plugin in ${folder} cannot run plugins: ${stderr}`,
      {
        hint: 'Install pulumi 3.176 or later among its dependencies, or add a __main__.py.',
      },
    )
  return { command, args: ['-m', 'pulumi.run.plugin', readPackageName(folder), ...args], env }
}

function readPackageName(folder: string): string {
  const file = join(folder, 'pyproject.toml')
  const { project, 'build-system': build } = existsSync(file) ? readToml(file) : {}
  const { name } = Object(project) as { name?: unknown }
  if (typeof name === 'string' && build !== undefined) return name
  throw createError(
    'PLUGIN_FAILED',
    `the plugin in ${folder} has neither a __main__.py nor a pyproject.toml that defines a package`,
  )
}

function readToml(file: string): Readonly<Record<string, unknown>> {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [reason] = cause.message.split('\n')
    throw createError(
      'PLUGIN_FAILED',
      `${file} is not valid TOML: ${reason} (line ${cause.line})`,
      {
        cause,
      },
    )
  }
}
