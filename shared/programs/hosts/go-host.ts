import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import semver from 'semver'
import * as z from 'zod'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath, runToEnd } from '../executables.ts'
import { requireBinaryOf } from './binary-platform.ts'
import { type ProgramBinary, buildGo, findGo } from './go-build.ts'
import { uploadedBinaryName } from './installed-packages.ts'
import { createConfigEnvironment } from './program-environment.ts'
import { readTextOption } from './runtime-option.ts'
import { startProgramProcess } from './start-program-process.ts'
import type { ProgramHost, ProgramInput, ProgramSource } from '../program.ts'
import {
  deduplicatePackages,
  pluginForm,
  toRequirement,
  type RequiredPackage,
} from '../required-packages.ts'

/** Dependencies of the Go program host. */
export interface GoHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Creates the host of Go programs. The host runs the project's `binary`, or builds one for each
 * run. Source: `Run` in sdk/go/pulumi-language-go/main.go of Pulumi 3.260.0.
 */
export function createGoProgramHost(deps: GoHostDeps): ProgramHost {
  return {
    run: async (programInput, onLine) => {
      const binary = await resolveBinary(deps, programInput)
      const request = {
        command: binary.command,
        args: [],
        cwd: programInput.programFolder,
        env: { ...deps.env, ...createGoEnvironment(programInput) },
      }
      try {
        const program = await startProgramProcess(deps.processes, request, { programInput, onLine })
        void program.programEnd.then(binary.cleanUp)
        return program
      } catch (thrown) {
        binary.cleanUp()
        throw thrown
      }
    },
    listPackages: source => listGoPackages(deps, source),
  }
}

/** Returns the environment variables of a Go program. */
function createGoEnvironment(programInput: ProgramInput): Readonly<Record<string, string>> {
  return {
    ...createConfigEnvironment(programInput),
    PULUMI_ORGANIZATION: programInput.organization,
    PULUMI_PROJECT: programInput.project,
    PULUMI_ROOT_DIRECTORY: programInput.projectFolder,
    PULUMI_STACK: programInput.stack,
    PULUMI_DRY_RUN: String(programInput.dryRun),
    PULUMI_PARALLEL: String(programInput.parallel),
    PULUMI_MONITOR: programInput.monitorAddress,
    PULUMI_ENGINE: programInput.engineAddress,
  }
}

async function resolveBinary(deps: GoHostDeps, source: ProgramInput): Promise<ProgramBinary> {
  const builtBinary = findBuiltBinary(source)
  if (builtBinary !== undefined) {
    requireBinaryOf(builtBinary, { os: process.platform, arch: process.arch })
    return { command: builtBinary, cleanUp: () => undefined }
  }
  const { programFolder: directory, entryPoint } = source
  const isDebugged = source.onDebuggerReady !== undefined
  return buildGo(deps, { kind: 'program', directory, entryPoint, isDebugged })
}

/**
 * Returns the binary that the option `binary` names, or the one that a client has built for an
 * upload. Returns undefined if there is none.
 */
function findBuiltBinary(source: ProgramSource): string | undefined {
  const binaryOption = readTextOption(source, 'binary')
  if (binaryOption !== '') return resolve(source.programFolder, binaryOption)
  const uploadedBinary = join(source.projectFolder, uploadedBinaryName)
  return existsSync(uploadedBinary) ? uploadedBinary : undefined
}

const moduleForm = z.looseObject({
  Path: z.string(),
  Version: z.string().default(''),
  Main: z.boolean().default(false),
  Dir: z.string().default(''),
})

/**
 * Lists the plugins that the modules of a program need. The list is empty for a program without a
 * go.mod, and for a built program on a machine without Go. The registrations of a built program
 * name their plugins.
 */
async function listGoPackages(
  deps: GoHostDeps,
  source: ProgramSource,
): Promise<readonly RequiredPackage[]> {
  if (
    !existsSync(join(source.projectFolder, 'go.mod')) &&
    !existsSync(join(source.programFolder, 'go.mod'))
  )
    return []
  const hasGo = findOnPath('go', deps.env['PATH'] ?? '') !== undefined
  if (!hasGo && findBuiltBinary(source) !== undefined) return []
  const { code, stdout, stderr } = await runToEnd(deps.processes, {
    command: findGo(deps.env),
    args: ['list', '-m', '-json', '-mod=mod', 'all'],
    cwd: source.programFolder,
    env: deps.env,
  })
  if (code !== 0)
    throw createError('PROGRAM_BUILD_FAILED', `cannot list the modules of the program:\n${stderr}`)
  const modules = stdout
    .split(/^\}$/m)
    .filter(text => text.trim() !== '')
    .map(text => moduleForm.parse(JSON.parse(`${text}}`)))
  return deduplicatePackages(modules.flatMap(module => requirementOfModule(module) ?? []))
}

function requirementOfModule(module: z.infer<typeof moduleForm>): RequiredPackage | undefined {
  if (module.Main || module.Dir === '') return undefined
  const plugin = readModulePlugin(module.Dir)
  // The module github.com/pulumi/pulumi-random/sdk/v4 has the name `random`.
  const name = module.Path.split('/')[2]?.split('-').slice(1).join('-') ?? ''
  const requirement = toRequirement(plugin, { name, version: module.Version })
  const version = semver.parse(requirement?.version)
  return requirement === undefined || version === null
    ? undefined
    : { ...requirement, version: version.version }
}

/** Reads a module's `pulumi-plugin.json`: in its folder, in `go`, or in a subfolder of `go`. */
function readModulePlugin(folder: string): z.infer<typeof pluginForm> | undefined {
  const go = join(folder, 'go')
  const subfolders = existsSync(go) ? readdirSync(go).map(name => join(go, name)) : []
  for (const candidate of [folder, go, ...subfolders]) {
    const file = join(candidate, 'pulumi-plugin.json')
    if (!existsSync(file)) continue
    const parsed = pluginForm.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    if (parsed.success) return parsed.data
  }
  return undefined
}
