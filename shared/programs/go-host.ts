import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import semver from 'semver'
import { z } from 'zod'
import { error } from '../errors/error.ts'
import type { ProcessesPort } from '../ports/system.ts'
import { isExecutable, printedBy } from './executables.ts'
import { type Built, buildGo, goOf } from './go-build.ts'
import { spawnDebugged } from './debugging.ts'
import { configEnvironment, debugRequestOf, textOption, watchProgram } from './program-process.ts'
import type { ProgramHost, ProgramRun, ProgramSource } from './program.ts'
import { eachOnce, pluginForm, requiredBy, type RequiredPackage } from './required-packages.ts'

/** What running Go programs needs. */
export interface GoHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Runs Go programs: the `binary` that the project names, else one that is built for the run.
 * Source: Pulumi's Go language host.
 */
export function createGoProgramHost(deps: GoHostDeps): ProgramHost {
  return {
    run: async (run, said) => {
      const built = await binaryOf(deps, run)
      const request = {
        command: built.command,
        args: [],
        cwd: run.directory,
        env: { ...deps.env, ...goEnvironment(run) },
      }
      const child = await spawnDebugged(deps.processes, request, debugRequestOf(run))
      const running = watchProgram(child, { said })
      void running.ended.then(built.forget)
      return running
    },
    packages: source => goPackages(deps, source),
  }
}

/** What a Go program finds in its environment. */
function goEnvironment(run: ProgramRun): Readonly<Record<string, string>> {
  return {
    ...configEnvironment(run),
    PULUMI_ORGANIZATION: run.organization,
    PULUMI_PROJECT: run.project,
    PULUMI_ROOT_DIRECTORY: run.root,
    PULUMI_STACK: run.stack,
    PULUMI_DRY_RUN: String(run.dryRun),
    PULUMI_PARALLEL: String(run.parallel),
    PULUMI_MONITOR: run.monitorAddress,
    PULUMI_ENGINE: run.engineAddress,
  }
}

async function binaryOf(deps: GoHostDeps, source: ProgramSource): Promise<Built> {
  const named = textOption(source, 'binary')
  if (named !== '') {
    const command = resolve(source.directory, named)
    if (isExecutable(command)) return { command, forget: () => undefined }
    throw error('PROGRAM_LANGUAGE_MISSING', `the program's binary ${command} cannot be run`, {
      hint: 'Build it, or take `binary` out of the runtime options of the project file.',
    })
  }
  const { directory, entryPoint } = source
  return buildGo(deps, { what: 'program', directory, entryPoint })
}

const moduleForm = z.looseObject({
  Path: z.string(),
  Version: z.string().default(''),
  Main: z.boolean().default(false),
  Dir: z.string().default(''),
})

/** The plugins that the modules of a program name; a program that is a binary alone names none. */
async function goPackages(
  deps: GoHostDeps,
  source: ProgramSource,
): Promise<readonly RequiredPackage[]> {
  if (!existsSync(join(source.root, 'go.mod')) && !existsSync(join(source.directory, 'go.mod')))
    return []
  const { code, out, err } = await printedBy(deps.processes, {
    command: goOf(deps.env),
    args: ['list', '-m', '-json', '-mod=mod', 'all'],
    cwd: source.directory,
    env: deps.env,
  })
  if (code !== 0)
    throw error('PROGRAM_BUILD_FAILED', `the modules of the program cannot be listed:\n${err}`)
  const modules = out
    .split(/^\}$/m)
    .filter(text => text.trim() !== '')
    .map(text => moduleForm.parse(JSON.parse(`${text}}`)))
  return eachOnce(modules.flatMap(module => packageOfModule(module) ?? []))
}

function packageOfModule(module: z.infer<typeof moduleForm>): RequiredPackage | undefined {
  if (module.Main || module.Dir === '') return undefined
  const plugin = pluginIn(module.Dir)
  // As in github.com/pulumi/pulumi-random/sdk/v4.
  const name = module.Path.split('/')[2]?.split('-').slice(1).join('-') ?? ''
  const found = requiredBy(plugin, { name, version: module.Version })
  const version = semver.parse(found?.version)
  return found === undefined || version === null
    ? undefined
    : { ...found, version: version.version }
}

/** What a module says of its plugin: in its folder, in `go`, or in a folder of that. */
function pluginIn(folder: string): z.infer<typeof pluginForm> | undefined {
  const go = join(folder, 'go')
  const below = existsSync(go) ? readdirSync(go).map(name => join(go, name)) : []
  for (const place of [folder, go, ...below]) {
    const file = join(place, 'pulumi-plugin.json')
    if (!existsSync(file)) continue
    const parsed = pluginForm.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    if (parsed.success) return parsed.data
  }
  return undefined
}
