import type { ProcessesPort } from '../../ports/system.ts'
import { createGoProgramHost } from './go-host.ts'
import { createLanguageProgramHost, findOwnHost } from './language-host.ts'
import { createNodeProgramHost } from './node-host.ts'
import { withoutUndefined } from './program-process.ts'
import type { ProgramHost, ProgramSource } from '../program.ts'
import { createPythonProgramHost } from './python-host.ts'

/** What running programs needs. */
export interface ProgramHostsDeps {
  readonly processes: ProcessesPort
  /** The user's environment, with PATH as it was before our launcher changed it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Antichain's own `node`. */
  readonly ourNode: string
  /** Where the engine serves: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
}

/**
 * Runs programs of every language: Node, Python and Go by hosts of ours, others by the host that is
 * on the PATH.
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

/** A project without a runtime has no program: nothing is registered. */
const noProgram: ProgramHost = {
  run: () =>
    Promise.resolve({
      ended: Promise.resolve({ error: undefined, bail: false }),
      stop: () => Promise.resolve(),
    }),
  listPackages: () => Promise.resolve([]),
}
