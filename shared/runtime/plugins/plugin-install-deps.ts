import { tmpdir } from 'node:os'
import { installLimits as limits } from '../../config/install-limits.ts'
import { emulatedVersion } from '../../config/emulated-version.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { runToEnd } from '../../programs/executables.ts'
import { installDependencies } from '../../programs/plugins/install-dependencies.ts'
import type { RunGit } from '../../providers/install/git-repository.ts'
import type { InstallDeps } from '../../providers/install/install-plugin.ts'
import { machineOf } from '../../providers/install/plugin-address.ts'
import { pluginCacheOf } from '../../providers/plugins/find-plugin.ts'

/** Creates the dependencies of plugin installations on this machine. */
export function createInstallDeps(deps: {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly processes: ProcessesPort
  readonly pause: (ms: number) => Promise<void>
  readonly onMessage: InstallDeps['report']
}): InstallDeps {
  const { env, processes, pause, onMessage } = deps
  return {
    fetch,
    git: createGitRunner(deps),
    env,
    machine: machineOf(process.platform, process.arch),
    version: emulatedVersion,
    pause,
    report: onMessage,
    cache: pluginCacheOf(deps),
    installDependencies: folder =>
      installDependencies(folder, { processes, env, report: text => onMessage('info', text) }),
  }
}

/**
 * Creates the function that runs the user's Git. Git may use configured credentials but cannot
 * prompt, because it has no terminal. A command that exceeds its timeout is killed.
 */
export function createGitRunner({
  env,
  processes,
}: {
  readonly env: Readonly<Record<string, string>>
  readonly processes: ProcessesPort
}): RunGit {
  // If Git started this process, the environment names the repository of that Git. These variables
  // must not apply to the plugin's repository.
  const otherVariables = Object.entries(env).filter(([name]) => !repositoryVariables.has(name))
  return (args, extraVariables) => {
    const variables = {
      ...Object.fromEntries(otherVariables),
      ...extraVariables,
      GIT_TERMINAL_PROMPT: '0',
    }
    const request = { command: 'git', args, cwd: tmpdir(), env: variables }
    return runToEnd(processes, request, limits.gitTimeoutMs)
  }
}

const repositoryVariables: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
])
