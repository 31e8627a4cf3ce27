import type { ProcessesPort } from '../../ports/system.ts'
import { createGoProgramHost } from './go-host.ts'
import { createLanguageProgramHost, findOwnHost } from './language-host.ts'
import { createNodeProgramHost } from './node-host.ts'
import { withoutUndefined } from './program-process.ts'
import type { ProgramHost, ProgramSource } from '../program.ts'
import { createPythonProgramHost } from './python-host.ts'

/** Dependencies of running programs. */
export interface ProgramHostsDeps {
  readonly processes: ProcessesPort
  /** The user's environment, with the PATH before our launcher changed it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Antichain's own `node`. */
  readonly ourNode: string
  /** The engine's address: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
}

/**
 * Creates the host for programs of every language. Node, Python and Go use hosts of this project,
 * other languages the host on the PATH.
 */
export function createProgramHosts(deps: ProgramHostsDeps): ProgramHost {
  const env = withoutUndefined(deps.env)
  const own: Readonly<Record<string, ProgramHost>> = {
    '': noProgram,
    nodejs: createNodeProgramHost(deps),
    python: createPythonProgramHost({ ...deps, env }),
    go: createGoProgramHost({ ...deps, env }),
  }
  const others = createLanguageProgramHost({ ...deps, env })
  const hostOf = (source: ProgramSource): ProgramHost =>
    (findOwnHost(source) === undefined ? own[source.runtime] : undefined) ?? others
  return {
    run: (run, onLine) => hostOf(run).run(run, onLine),
    listPackages: source => hostOf(source).listPackages(source),
  }
}

/** The host of a project without a runtime: there is no program, so it registers nothing. */
const noProgram: ProgramHost = {
  run: () =>
    Promise.resolve({
      ended: Promise.resolve({ error: undefined, bail: false }),
      stop: () => Promise.resolve(),
    }),
  listPackages: () => Promise.resolve([]),
}
