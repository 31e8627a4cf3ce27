import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { createError, messageOf } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'

/** The contents of the project file of a plugin that is source code. */
export interface PluginProject {
  readonly folder: string
  readonly runtime: string
  readonly options: Readonly<Record<string, unknown>>
  /** The required range of Pulumi versions, '' = any. */
  readonly requiredVersion: string
}

/** The command that starts a plugin. */
export interface PluginCommand {
  readonly command: string
  readonly args: readonly string[]
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>
  /** Called after the plugin has ended. */
  readonly cleanUp?: () => void
}

/** Dependencies of the functions that create the command of a plugin. */
export interface SourceCommandDeps {
  readonly processes: ProcessesPort
  /** The environment for the plugin. */
  readonly env: Readonly<Record<string, string>>
  /** Whether the plugin runs under a debugger. Default: false. */
  readonly isDebugged?: boolean
}

const fileName = 'PulumiPlugin.yaml'

/**
 * Returns the folder with the `PulumiPlugin.yaml` of a plugin that must run from source. `path` is
 * that folder, or the missing executable in it. Returns undefined for a plugin with an executable.
 */
export function findSourceFolder(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return undefined
  return [path, dirname(path)].find(folder => existsSync(join(folder, fileName)))
}

/**
 * Reads the project file of a plugin from source. Returns undefined if the folder has none. Throws
 * PLUGIN_FAILED.
 */
export function readPluginProject(folder: string): PluginProject | undefined {
  const file = join(folder, fileName)
  if (!existsSync(file)) return undefined
  const content = parseYaml(readFileSync(file, 'utf8'), file)
  const { runtime, requiredPulumiVersion: range } = Object(content) as Record<string, unknown>
  const requiredVersion = typeof range === 'string' ? range : ''
  if (typeof runtime === 'string' && runtime !== '')
    return { folder, runtime, options: {}, requiredVersion }
  const { name, options } = Object(runtime) as { name?: unknown; options?: unknown }
  if (typeof name !== 'string' || name === '')
    throw createError('PLUGIN_FAILED', `${file} does not set a runtime`)
  return { folder, runtime: name, options: Object(options), requiredVersion }
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw createError('PLUGIN_FAILED', `${file} is not valid YAML: ${messageOf(cause)}`, { cause })
  }
}

/** Returns the tool that manages a Python plugin's packages. The default is pip. */
export function toolchainOf({ options }: PluginProject): string {
  const { toolchain } = options
  return typeof toolchain === 'string' && toolchain !== '' ? toolchain.toLowerCase() : 'pip'
}
