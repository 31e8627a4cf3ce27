import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoPrograms } from '../build-go-programs.ts'
import type { Engine } from '../engine.ts'
import type { RunMeasurement } from '../measure-run.ts'

/** The measurement of a preview. `firstCheckSeconds`: the time to the first Check of a resource. */
export interface PreviewMeasurement extends RunMeasurement {
  readonly firstCheckSeconds: number
}

/** One engine, and the program that it previews. */
export interface PreviewInput {
  readonly engine: Engine
  readonly programFolder: string
  /** The folder of the providers, from `createProviderFolder`. */
  readonly providerFolder: string
  /** A folder for the home, the state and the temporary files of the engine. */
  readonly engineFolder: string
}

/** Creates a folder with the null provider of `bench/go` under the name of a provider. */
export function createProviderFolder(folder: string, provider: string): string {
  mkdirSync(folder, { recursive: true })
  const nullProvider = join(buildGoPrograms().providerFolder, 'pulumi-resource-null')
  symlinkSync(nullProvider, join(folder, `pulumi-resource-${provider}`))
  return folder
}

/**
 * Returns the variables of an engine. ts-node keeps compiled TypeScript among the temporary files,
 * so each engine has its own.
 */
function variablesOf({ engine, engineFolder, providerFolder }: PreviewInput): NodeJS.ProcessEnv {
  const stateFolder = join(engineFolder, 'state')
  const temporaryFolder = join(engineFolder, 'tmp')
  for (const folder of [stateFolder, temporaryFolder]) mkdirSync(folder, { recursive: true })
  return {
    BENCH_PROVIDER: providerFolder,
    BENCH_FIRST_CHECK: firstCheckFileOf(engineFolder),
    TMPDIR: temporaryFolder,
    ANTICHAIN_HOME: join(engineFolder, 'home'),
    PULUMI_HOME: join(engineFolder, 'pulumi-home'),
    ...(engine.name === 'pulumi' ? { PULUMI_BACKEND_URL: `file://${stateFolder}` } : {}),
  }
}

/** The provider writes the time of its first Check into this file, in ms since 1970. */
function firstCheckFileOf(engineFolder: string): string {
  return join(engineFolder, 'first-check')
}

/** Removes what earlier runs of the engine left, and creates an empty stack. */
export async function prepareFirstPreview(input: PreviewInput): Promise<void> {
  const { engine, engineFolder, programFolder } = input
  rmSync(engineFolder, { recursive: true, force: true })
  rmSync(join(programFolder, `Pulumi.${engine.name}.yaml`), { force: true })
  const args = ['stack', 'init', engine.name]
  const { exitCode } = await engine.run(programFolder, args, variablesOf(input))
  if (exitCode !== 0)
    throw new Error(`${engine.name} ${args.join(' ')} in ${programFolder} failed with ${exitCode}`)
}

/** Measures a preview. Throws when the preview fails, or when the provider got no Check. */
export async function measurePreview(input: PreviewInput): Promise<PreviewMeasurement> {
  const { engine, engineFolder, programFolder } = input
  const firstCheckFile = firstCheckFileOf(engineFolder)
  rmSync(firstCheckFile, { force: true })
  const variables = variablesOf(input)
  const startMs = Date.now()
  const args = ['preview', '--stack', engine.name]
  const measurement = await engine.run(programFolder, args, variables)
  if (measurement.exitCode !== 0)
    throw new Error(
      `${engine.name} ${args.join(' ')} in ${programFolder} failed with ${measurement.exitCode}`,
    )
  const firstCheckMs = Number(readFileSync(firstCheckFile, 'utf8'))
  return { ...measurement, firstCheckSeconds: (firstCheckMs - startMs) / 1000 }
}
