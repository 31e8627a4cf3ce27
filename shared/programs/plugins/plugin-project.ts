import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'

/** What a plugin that is source code says of how it is run. */
export interface PluginProject {
  readonly folder: string
  readonly runtime: string
  readonly options: Readonly<Record<string, unknown>>
  /** The range of versions of Pulumi that it runs with, '' = any. */
  readonly requiredVersion: string
}

/** How a plugin is started. */
export interface PluginCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** To be called when it has ended. */
  readonly cleanUp?: () => void
}

/** What a command of a plugin depends on. */
export interface SourceDeps {
  readonly processes: ProcessesPort
  /** The environment that it is to have. */
  readonly env: Readonly<Record<string, string>>
}

const fileName = 'PulumiPlugin.yaml'

/** The folder of a plugin that has to be run from source; undefined for a file that runs. */
export function findSourceFolder(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return undefined
  return [path, dirname(path)].find(folder => existsSync(join(folder, fileName)))
}

/** The project file of a plugin from source; undefined without one. Throws PLUGIN_FAILED. */
export function readPluginProject(folder: string): PluginProject | undefined {
  const file = join(folder, fileName)
  if (!existsSync(file)) return undefined
  const read: unknown = parse(readFileSync(file, 'utf8'))
  const { runtime, requiredPulumiVersion: range } = Object(read) as Record<string, unknown>
  const requiredVersion = typeof range === 'string' ? range : ''
  if (typeof runtime === 'string' && runtime !== '')
    return { folder, runtime, options: {}, requiredVersion }
  const { name, options } = Object(runtime) as { name?: unknown; options?: unknown }
  if (typeof name !== 'string' || name === '')
    throw error('PLUGIN_FAILED', `${file} names no runtime`)
  return { folder, runtime: name, options: Object(options), requiredVersion }
}

/** The tool that keeps a Python plugin's packages; pip when it names none. */
export function toolchainOf({ options }: PluginProject): string {
  const { toolchain } = options
  return typeof toolchain === 'string' && toolchain !== '' ? toolchain.toLowerCase() : 'pip'
}
