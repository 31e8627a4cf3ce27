import type { ProcessesPort } from '../../ports/system.ts'
import { parseConfigKey } from '../config/config-key.ts'
import { chooseNode } from './node-binary.ts'
import { findNodeSdk } from './node-sdk.ts'
import { withoutUndefined } from './program-environment.ts'
import { readTextOption } from './runtime-option.ts'
import { startProgramProcess } from './start-program-process.ts'
import type { ProgramHost, ProgramRun } from '../program.ts'
import { findRequiredPackages } from '../required-packages.ts'
import { splitArguments } from './argv.ts'

/** Dependencies of the Node program host. */
export interface NodeHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, with the PATH before Antichain's launcher changed it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Antichain's own `node`. */
  readonly antichainNode: string
  /** Time that an interrupted program has to end; default 5 s, as under Pulumi. */
  readonly stopGraceMs?: number
}

/**
 * Creates the host of Node programs. It runs them through the SDK's own runner
 * (docs/spec/programs.md#running-a-node-program, docs/spec/programs.md#end-of-a-program).
 */
export function createNodeProgramHost(deps: NodeHostDeps): ProgramHost {
  const env = withoutUndefined(deps.env)
  let isNoteShown = false
  return {
    run: async (run, onLine) => {
      const sdk = findNodeSdk(run.programFolder, env['PULUMI_LANGUAGE_NODEJS_RUN_PATH'] ?? '')
      const nodeArgs = splitArguments(readTextOption(run, 'nodeargs'))
      const { engines } = sdk
      const { processes, antichainNode } = deps
      const node = await chooseNode({
        processes,
        antichainNode,
        env,
        engines,
        directory: run.programFolder,
      })
      if (node.note !== '' && !isNoteShown) onLine(node.note, 'stderr')
      isNoteShown = true
      const request = {
        command: node.command,
        args: [...nodeArgs, sdk.runner, ...createProgramArguments(run)],
        cwd: run.programFolder,
        env: { ...env, ...createProgramEnvironment(run) },
      }
      const graceOption = deps.stopGraceMs === undefined ? {} : { graceMs: deps.stopGraceMs }
      const watch = { onLine, hintOf: hintAtMemory, ...graceOption }
      return startProgramProcess(processes, request, { run, ...watch })
    },
    listPackages: source => Promise.resolve(findRequiredPackages(source.programFolder)),
  }
}

/** Returns a hint for a program that ran out of memory. */
function hintAtMemory(line: string): string {
  if (!line.includes('JavaScript heap out of memory')) return ''
  return '. The program ran out of memory: set `nodeargs: --max-old-space-size=<megabytes>` in the runtime options of the project file'
}

/**
 * Returns the flags of the SDK's runner in the order of Pulumi's language host, and the entry
 * point.
 */
export function createProgramArguments(run: ProgramRun): readonly string[] {
  const flags: readonly (readonly [name: string, value: string])[] = [
    ['--monitor', run.monitorAddress],
    ['--engine', run.engineAddress],
    ['--organization', run.organization],
    ['--project', run.project],
    ['--root-directory', run.projectFolder],
    ['--stack', run.stack],
    ['--pwd', run.programFolder],
  ]
  return [
    ...flags.filter(([, value]) => value !== '').flat(),
    ...(run.dryRun ? ['--dry-run'] : []),
    '--parallel',
    String(run.parallel),
    run.entryPoint,
  ]
}

/**
 * Returns the additional environment variables of a program. Configuration keys have the old
 * spelling `ns:config:name`.
 */
export function createProgramEnvironment(run: ProgramRun): Readonly<Record<string, string>> {
  const config = [...run.config].map(([key, text]): readonly [string, string] => {
    const { namespace, name } = parseConfigKey(key, run.project)
    return [`${namespace}:config:${name}`, text]
  })
  const tsconfig = readTextOption(run, 'tsconfig')
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.configSecretKeys),
    ...(run.runtimeOptions['typescript'] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
    ...(tsconfig === '' ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  }
}
