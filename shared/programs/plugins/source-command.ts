/**
 * plugins: plugins that are source code in a folder with `PulumiPlugin.yaml`: what they need
 * (dependencies.ts), and the command by which their language runs them. Source: provider-protocol
 * 2.7 and the language hosts of Pulumi.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import semver from 'semver'
import { emulatedVersion } from '../../config/emulated-version.ts'
import { error } from '../../errors/error.ts'
import { buildGo } from '../hosts/go-build.ts'
import {
  type PluginCommand,
  type PluginProject,
  readPluginProject,
  type SourceDeps,
} from './plugin-project.ts'
import { createPythonPluginCommand } from './python-plugin.ts'

type CommandFactory = (
  deps: SourceDeps,
  project: PluginProject,
  args: readonly string[],
) => Promise<PluginCommand>

const languages: ReadonlyMap<string, CommandFactory> = new Map([
  ['nodejs', createNodeCommand],
  ['python', createPythonPluginCommand],
  ['go', createGoCommand],
])

/**
 * The command of the plugin whose source is in a folder. Throws PLUGIN_FAILED for one that cannot
 * be run, PROGRAM_LANGUAGE_MISSING and PROGRAM_BUILD_FAILED, FEATURE_MISSING for other languages.
 */
export async function createSourceCommand(
  deps: SourceDeps,
  project: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const { runtime, folder } = project
  const language = languages.get(runtime)
  if (language === undefined)
    throw error(
      'FEATURE_MISSING',
      `the plugin in ${folder} is source code of runtime '${runtime}', whose host alone can run it`,
    )
  return language(deps, project, args)
}

/** Whether plugins of a language have a command; those of others are run by its host. */
export function hasCommand({ runtime }: PluginProject): boolean {
  return languages.has(runtime)
}

/**
 * What the source code in a folder says of how it is run. Throws PLUGIN_FAILED for one that says
 * nothing, or that is for another version.
 */
export function readRunnableProject(folder: string): PluginProject {
  const project = readPluginProject(folder)
  if (project === undefined) throw error('PLUGIN_FAILED', `${folder} is no plugin`)
  const { requiredVersion } = project
  if (requiredVersion !== '' && !semver.satisfies(emulatedVersion, requiredVersion))
    throw error(
      'PLUGIN_FAILED',
      `Pulumi CLI version ${emulatedVersion} does not satisfy the version range "${requiredVersion}" (${folder})`,
    )
  return project
}

async function createNodeCommand(
  { env }: SourceDeps,
  { folder, options }: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const nodeArgs = toText(options['nodeargs'])
    .split(/\s+/)
    .filter(word => word !== '')
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

/** The SDK's own runner, as the plugin has it installed. */
function resolveNodeRunner(folder: string): string {
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

/** Built anew for each start: Go keeps what did not change. */
async function createGoCommand(
  deps: SourceDeps,
  { folder }: PluginProject,
  args: readonly string[],
): Promise<PluginCommand> {
  const { command, cleanUp } = await buildGo(deps, { what: 'plugin', directory: folder })
  return { command, args, env: deps.env, cleanUp }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
