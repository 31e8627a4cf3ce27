import { join } from 'node:path'
import { z } from 'zod'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { runToEnd } from '../executables.ts'
import { spawnDebugged } from './debugging.ts'
import { createConfigEnvironment, debugRequestOf, watchProgram } from './program-process.ts'
import type { ProgramHost, ProgramRun, ProgramSource } from '../program.ts'
import { type PythonEnvironment, resolvePythonEnvironment } from './python-environment.ts'
import { pythonToSemver } from './python-version.ts'
import {
  uniquePackages,
  pluginForm,
  toRequirement,
  type RequiredPackage,
} from '../required-packages.ts'

/** Dependencies of the Python program host. */
export interface PythonHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment. */
  readonly env: Readonly<Record<string, string>>
}

const runner = join(import.meta.dirname, 'python', 'run.py')

/**
 * Creates the host of Python programs. It runs them in their virtual environment through a runner
 * of this project, because the installed SDK has none. Source: Pulumi's Python language host.
 */
export function createPythonProgramHost({ processes, env }: PythonHostDeps): ProgramHost {
  const resolvePython = async (source: ProgramSource): Promise<PythonEnvironment> =>
    resolvePythonEnvironment({ processes, env, source })
  return {
    run: async (run, onLine) => {
      const place = await resolvePython(run)
      const request = {
        command: place.command,
        args: ['-u', runner, JSON.stringify(runnerArgumentsOf(run))],
        cwd: run.directory,
        env: { ...place.env, ...createConfigEnvironment(run) },
      }
      const child = await spawnDebugged(processes, request, debugRequestOf(run))
      return watchProgram(child, { onLine })
    },
    async listPackages(source) {
      const place = await resolvePython(source)
      const printed = await runToEnd(processes, {
        command: place.command,
        args: [runner, JSON.stringify({ do: 'packages' })],
        cwd: source.directory,
        env: place.env,
      })
      if (printed.code !== 0)
        throw error(
          'PROGRAM_LANGUAGE_MISSING',
          `${place.command} cannot list the packages of the program: ${printed.err}`,
        )
      return parsePackages(printed.out)
    },
  }
}

function runnerArgumentsOf(run: ProgramRun): object {
  return {
    do: 'run',
    monitor: run.monitorAddress,
    engine: run.engineAddress,
    project: run.project,
    stack: run.stack,
    organization: run.organization,
    root: run.root,
    directory: run.directory,
    entryPoint: run.entryPoint,
    parallel: run.parallel,
    dryRun: run.dryRun,
  }
}

const listForm = z.array(
  z.object({ name: z.string(), version: z.string(), plugin: pluginForm.nullable() }),
)

/** Packages with names like those of provider packages that have no provider. */
const noProviders = new Set(['policy', 'terraform-provider'])

/** Parses the runner's list of installed packages. */
function parsePackages(printed: string): readonly RequiredPackage[] {
  const found = listForm.parse(JSON.parse(printed)).flatMap(({ name, version, plugin }) => {
    if (plugin !== null && !plugin.resource) return []
    const short = name
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^pulumi-/, '')
    if (plugin === null && noProviders.has(short)) return []
    const pluginInfo = plugin ?? pluginForm.parse({ resource: true })
    const own = pluginInfo.version === '' ? pythonToSemver(version) : pluginInfo.version
    if (own === undefined) return []
    return toRequirement(pluginInfo, { name: short, version: own }) ?? []
  })
  return uniquePackages(found)
}
