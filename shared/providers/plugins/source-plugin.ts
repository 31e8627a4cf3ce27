import { createRequire } from 'node:module'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import semver from 'semver'
import { emulatedVersion } from '../../config/emulated-version.ts'
import { error } from '../../errors/error.ts'
import { readPluginProject } from '../install/dependencies.ts'

/** How a plugin is started; `env` is added to its environment. */
export interface PluginCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The command of a plugin: its file, or, where it is source code in a folder with
 * `PulumiPlugin.yaml`, that of its language. Throws PLUGIN_FAILED for a folder that cannot be run,
 * FEATURE_MISSING for other languages than Node. Source: provider-protocol 2.7.
 */
export function commandOf(path: string, args: readonly string[]): PluginCommand {
  const folder = sourceFolderOf(path)
  if (folder === undefined) return { command: path, args, env: {} }
  const project = readPluginProject(folder)
  if (project?.runtime !== 'nodejs')
    throw error(
      'FEATURE_MISSING',
      `the plugin in ${folder} is source code of runtime '${project?.runtime ?? ''}', which cannot be run yet`,
    )
  const { options, requiredVersion } = project
  if (requiredVersion !== '' && !semver.satisfies(emulatedVersion, requiredVersion))
    throw error(
      'PLUGIN_FAILED',
      `Pulumi CLI version ${emulatedVersion} does not satisfy the version range "${requiredVersion}" (${folder})`,
    )
  const nodeArgs = textOf(options['nodeargs'])
    .split(/\s+/)
    .filter(word => word !== '')
  const tsconfig = textOf(options['tsconfig'])
  return {
    command: 'node',
    args: [...nodeArgs, runnerOf(folder), folder, ...args],
    env: {
      ...(options['typescript'] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
      ...(tsconfig === '' ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
    },
  }
}

/** The folder of a plugin that has to be run from source; undefined for a file that runs. */
function sourceFolderOf(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return undefined
  return [path, dirname(path)].find(folder => existsSync(join(folder, 'PulumiPlugin.yaml')))
}

/** The SDK's own runner, as the plugin has it installed. */
function runnerOf(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve('@pulumi/pulumi/cmd/run-plugin')
  } catch (cause) {
    throw error(
      'PLUGIN_FAILED',
      `the plugin in ${folder} has no @pulumi/pulumi; install its dependencies`,
      { cause },
    )
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
