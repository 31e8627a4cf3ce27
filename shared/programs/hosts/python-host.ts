import { join } from 'node:path'
import * as z from 'zod'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { runToEnd } from '../executables.ts'
import { createConfigEnvironment } from './program-environment.ts'
import { startProgramProcess } from './start-program-process.ts'
import type { ProgramHost, ProgramInput, ProgramSource } from '../program.ts'
import { type PythonEnvironment, resolvePythonEnvironment } from './python-environment.ts'
import { toSemver } from './python-version.ts'
import {
  deduplicatePackages,
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

const runner = join(import.meta.dirname, 'run-program.py')

/**
 * Creates the host of Python programs. The host runs a program in the program's Python environment,
 * through Antichain's own runner, because the SDK has none. Source: `Run` in
 * sdk/python/cmd/pulumi-language-python/main.go of Pulumi 3.260.0.
 */
export function createPythonProgramHost({ processes, env }: PythonHostDeps): ProgramHost {
  const resolvePython = async (source: ProgramSource): Promise<PythonEnvironment> =>
    resolvePythonEnvironment({ processes, env, source })
  return {
    run: async (programInput, onLine) => {
      const environment = await resolvePython(programInput)
      const request = {
        command: environment.command,
        args: ['-u', runner, JSON.stringify(runnerArgumentsOf(programInput))],
        cwd: programInput.programFolder,
        env: { ...environment.env, ...createConfigEnvironment(programInput) },
      }
      return startProgramProcess(processes, request, { programInput, onLine })
    },
    async listPackages(source) {
      const environment = await resolvePython(source)
      const result = await runToEnd(processes, {
        command: environment.command,
        args: [runner, JSON.stringify({ do: 'packages' })],
        cwd: source.programFolder,
        env: environment.env,
      })
      if (result.code !== 0)
        throw createError(
          'PROGRAM_LANGUAGE_MISSING',
          `${environment.command} cannot list the packages of the program: ${result.stderr}`,
        )
      return parsePackages(result.stdout)
    },
  }
}

function runnerArgumentsOf(programInput: ProgramInput): object {
  return {
    do: 'run',
    monitor: programInput.monitorAddress,
    engine: programInput.engineAddress,
    project: programInput.project,
    stack: programInput.stack,
    organization: programInput.organization,
    root: programInput.projectFolder,
    directory: programInput.programFolder,
    entryPoint: programInput.entryPoint,
    parallel: programInput.parallel,
    dryRun: programInput.dryRun,
    debug: programInput.debug === true,
  }
}

const listForm = z.array(
  z.object({ name: z.string(), version: z.string(), plugin: pluginForm.nullable() }),
)

/** Packages that are named like provider packages, but have no provider. */
const packagesWithoutProvider = new Set(['policy', 'terraform-provider'])

/** Parses the runner's list of installed packages. */
function parsePackages(output: string): readonly RequiredPackage[] {
  const packages = listForm.parse(JSON.parse(output)).flatMap(({ name, version, plugin }) => {
    if (plugin !== null && !plugin.resource) return []
    const shortName = name
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^pulumi-/, '')
    if (plugin === null && packagesWithoutProvider.has(shortName)) return []
    const pluginInfo = plugin ?? pluginForm.parse({ resource: true })
    const pluginVersion = pluginInfo.version === '' ? toSemver(version) : pluginInfo.version
    if (pluginVersion === undefined) return []
    return toRequirement(pluginInfo, { name: shortName, version: pluginVersion }) ?? []
  })
  return deduplicatePackages(packages)
}
