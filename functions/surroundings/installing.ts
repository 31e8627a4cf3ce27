import { tmpdir } from 'node:os'
import { installLimits as limits } from '../../shared/config/install-limits.ts'
import { emulatedVersion } from '../../shared/config/emulated-version.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { printedBy } from '../../shared/programs/executables.ts'
import { installDependencies } from '../../shared/programs/plugins/dependencies.ts'
import type { RunGit } from '../../shared/providers/install/git-repository.ts'
import type { InstallDeps } from '../../shared/providers/install/install-plugin.ts'
import { machineOf } from '../../shared/providers/install/plugin-address.ts'
import { pluginCache } from '../../shared/providers/plugins/find.ts'

/** What installing plugins on this machine needs. */
export function installing(about: {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly processes: ProcessesPort
  readonly pause: (ms: number) => Promise<void>
  readonly said: InstallDeps['said']
}): InstallDeps {
  const { env, processes, pause, said } = about
  return {
    fetch,
    git: gitOf(about),
    env,
    machine: machineOf(process.platform, process.arch),
    version: emulatedVersion,
    pause,
    said,
    cache: pluginCache(about),
    dependencies: folder =>
      installDependencies(folder, { processes, env, said: text => said('info', text) }),
  }
}

/**
 * The user's Git, which may have means of its own to log in, but asks nobody: it has no terminal.
 * One that takes too long is killed.
 */
export function gitOf({
  env,
  processes,
}: {
  readonly env: Readonly<Record<string, string>>
  readonly processes: ProcessesPort
}): RunGit {
  // A Git that called us tells of its repository, which is not that of the plugin.
  const plain = Object.entries(env).filter(([name]) => !ofRepository.has(name))
  return (args, more) => {
    const surroundings = { ...Object.fromEntries(plain), ...more, GIT_TERMINAL_PROMPT: '0' }
    const asked = { command: 'git', args, cwd: tmpdir(), env: surroundings }
    return printedBy(processes, asked, limits.gitMs)
  }
}

const ofRepository: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
])
