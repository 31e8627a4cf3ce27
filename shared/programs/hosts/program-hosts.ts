import type { ProcessesPort } from '../../ports/system.ts'
import { createGoProgramHost } from './go-host.ts'
import { createLanguageProgramHost, findProjectHost } from './language-host.ts'
import { createNodeProgramHost } from './node-host.ts'
import { withoutUndefined } from './program-environment.ts'
import type { ProgramHost, ProgramSource } from '../program.ts'
import { createPythonProgramHost } from './python-host.ts'

/** Dependencies of the hosts of all languages. */
export interface ProgramHostsDeps {
  readonly processes: ProcessesPort
  /** The user's environment, with the PATH before Antichain's launcher changed it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Antichain's own `node`. */
  readonly antichainNode: string
  /** The engine's address: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
  /** Obtains the file of a language's host that is not on the PATH. Absent: none. */
  readonly obtainHost?: ((language: string) => Promise<string | undefined>) | undefined
  /** The folder that keeps the compiled code of Node programs. Absent: none. */
  readonly compiledFolder?: string | undefined
  /** The folder that remembers type checks of Node programs. Absent: none. */
  readonly checkedFolder?: string | undefined
}

/**
 * Creates the host for programs of every language. A language host in the user's project takes
 * precedence. Otherwise Node, Python and Go use Antichain's hosts. Other languages use a host on
 * the PATH, a running host, or one from `obtainHost`.
 */
export function createProgramHosts(deps: ProgramHostsDeps): ProgramHost {
  const env = withoutUndefined(deps.env)
  const builtinHosts: ReadonlyMap<string, ProgramHost> = new Map([
    ['', noProgram],
    ['nodejs', createNodeProgramHost(deps)],
    ['python', createPythonProgramHost({ ...deps, env })],
    ['go', createGoProgramHost({ ...deps, env })],
  ])
  const languageHost = createLanguageProgramHost({ ...deps, env })
  const hostOf = (source: ProgramSource): ProgramHost =>
    (findProjectHost(source) === undefined ? builtinHosts.get(source.runtime) : undefined) ??
    languageHost
  return {
    run: (programInput, onLine) => hostOf(programInput).run(programInput, onLine),
    listPackages: source => hostOf(source).listPackages(source),
  }
}

/**
 * The host of a project without a runtime. Such a project has no program, so nothing is registered.
 */
const noProgram: ProgramHost = {
  run: () =>
    Promise.resolve({
      programEnd: Promise.resolve({ error: undefined, hasReportedError: false }),
      stop: () => Promise.resolve(),
    }),
  listPackages: () => Promise.resolve([]),
}
