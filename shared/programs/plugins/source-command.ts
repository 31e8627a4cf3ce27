/**
 * programs/plugins: plugins that are source code in a folder with `PulumiPlugin.yaml`. They need
 * their dependencies (install-dependencies.ts), and a command with which their language runs them.
 * Source: docs/spec/provider-protocol.md#source-based-plugins, and the language hosts of Pulumi.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import semver from 'semver'
import { emulatedVersion } from '../../config/emulated-version.ts'
import { createError } from '../../errors/error.ts'
import { buildGo } from '../hosts/go-build.ts'
import { splitArguments } from '../hosts/split-arguments.ts'
import {
  type PluginCommand,
  type PluginProject,
  readPluginProject,
  type SourceCommandDeps,
} from './plugin-project.ts'
import { createPythonPluginCommand } from './python-plugin.ts'

type CommandFactory = (
  deps: SourceCommandDeps,
  project: PluginProject,
  args: readonly string[],
) => Promise<PluginCommand>

const commandFactories: ReadonlyMap<string, CommandFactory> = new Map([
  ['nodejs', createNodeCommand],
  ['python', createPythonPluginCommand],
  ['go', createGoCommand],
])

/**
 * Returns the command of a plugin from source. Throws FEATURE_MISSING for a language without a
 * factory here, and PLUGIN_FAILED for a plugin that cannot run. Also throws PROJECT_INVALID,
 * PROGRAM_LANGUAGE_MISSING and PROGRAM_BUILD_FAILED.
 */
export async function createSourceCommand(
  deps: SourceCommandDeps,
  project: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const { runtime, folder } = project
  const createCommand = commandFactories.get(runtime)
  if (createCommand === undefined)
    throw createError(
      'FEATURE_MISSING',
      `the plugin in ${folder} has the runtime '${runtime}', which only a language host can run`,
    )
  return createCommand(deps, project, args)
}

/**
 * Reports whether `createSourceCommand` supports the language of a plugin. A plugin in another
 * language runs through the host of that language.
 */
export function hasSourceCommand({ runtime }: PluginProject): boolean {
  return commandFactories.has(runtime)
}

/**
 * Reads the project file of a plugin from source. Throws PLUGIN_FAILED when the file is missing,
 * sets no runtime, or requires another version of Pulumi.
 */
export function readRunnableProject(folder: string): PluginProject {
  const project = readPluginProject(folder)
  if (project === undefined) throw createError('PLUGIN_FAILED', `${folder} is not a plugin`)
  const { requiredVersion } = project
  if (requiredVersion !== '' && !semver.satisfies(emulatedVersion, requiredVersion))
    throw createError(
      'PLUGIN_FAILED',
      `Pulumi CLI version ${emulatedVersion} does not satisfy the version range "${requiredVersion}" (${folder})`,
    )
  return project
}

async function createNodeCommand(
  { env }: SourceCommandDeps,
  { folder, options }: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const nodeArgs = splitArguments(toText(options['nodeargs']))
  const tsconfig = toText(options['tsconfig'])
  return {
    command: 'node',
    args: [...nodeArgs, resolveNodeRunner(folder), folder, ...args],
    env: {
      ...env,
      ...(options['typescript'] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
      ...(tsconfig === '' ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
    },
  }
}

/** Returns the runner of the plugin's installed SDK. */
function resolveNodeRunner(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve('@pulumi/pulumi/cmd/run-plugin')
  } catch (cause) {
    throw createError(
      'PLUGIN_FAILED',
      `the plugin in ${folder} has no @pulumi/pulumi; install its dependencies`,
      { cause },
    )
  }
}

/** Builds a Go plugin, and returns the command of the result. Go caches unchanged packages. */
async function createGoCommand(
  deps: SourceCommandDeps,
  { folder }: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const { isDebugged = false } = deps
  const target = { kind: 'plugin', directory: folder, isDebugged } as const
  const { command, cleanUp } = await buildGo(deps, target)
  return { command, args, env: deps.env, cleanUp }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
