import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createInstallDeps } from '../../shared/runtime/plugins/plugin-install-deps.ts'
import { createError } from '../../shared/errors/error.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import {
  type RequiredPackage,
  findRequiredNodePackages,
} from '../../shared/programs/required-packages.ts'
import { createProgramHosts } from '../../shared/programs/hosts/program-hosts.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { InstallDeps } from '../../shared/providers/install/install-plugin.ts'
import { pluginCacheOf } from '../../shared/providers/plugins/find-plugin.ts'
import type { CliSession } from '../session/session.ts'

const pluginKinds: readonly string[] = ['analyzer', 'language', 'resource', 'converter', 'tool']

/** Returns the text if it is a kind of plugin. Throws CLI_USAGE for any other text. */
export function requirePluginKind(text: string): string {
  if (pluginKinds.includes(text)) return text
  throw createError(
    'CLI_USAGE',
    `unrecognized plugin kind: ${text}; use one of ${pluginKinds.join(', ')}, or terraform for a Terraform provider`,
  )
}

/** Returns the environment without unset variables. */
export function definedVariablesOf({
  io,
}: Pick<CliSession, 'io'>): Readonly<Record<string, string>> {
  const definedEntries = Object.entries(io.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  return Object.fromEntries(definedEntries)
}

/** Returns the folder of the user's plugin cache. */
export function findUserPluginCache(session: Pick<CliSession, 'io'>): string {
  const env = definedVariablesOf(session)
  return pluginCacheOf({ env, home: env['HOME'] ?? homedir() })
}

/** Calls a function that may install plugins, and then closes the processes that it started. */
export async function withInstallDeps<T>(
  session: CliSession,
  install: (deps: InstallDeps) => Promise<T>,
): Promise<T> {
  const env = definedVariablesOf(session)
  const processes = createProcesses()
  const deps = createInstallDeps({
    env,
    home: env['HOME'] ?? homedir(),
    processes,
    pause: ms => sleep(ms),
    onMessage: (_severity, text) => session.printToStderr(text),
  })
  try {
    return await install(deps)
  } finally {
    await processes.close()
  }
}

/** An address at which no engine listens, for hosts that run no program. */
export const noEngineAddress = '127.0.0.1:1'

/**
 * Returns the packages that the program of the folder requires. Throws PROJECT_*, and the errors of
 * the program's language.
 */
export async function readRequiredPackages(
  session: CliSession,
): Promise<readonly RequiredPackage[]> {
  const project = session.requireProject()
  const location = locateProgram(project)
  if (project.runtime === 'nodejs') return findRequiredNodePackages(location.programFolder)
  const processes = createProcesses()
  const hosts = createProgramHosts({
    processes,
    env: session.io.env,
    antichainNode: process.execPath,
    engineAddress: () => noEngineAddress,
  })
  try {
    return await hosts.listPackages({
      runtime: project.runtime,
      runtimeOptions: project.runtimeOptions,
      ...location,
      projectFolder: project.root,
    })
  } finally {
    await processes.close()
  }
}
