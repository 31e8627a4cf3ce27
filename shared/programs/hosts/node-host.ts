import type { ProcessesPort } from '../../ports/system.ts'
import { chooseNode } from './node-binary.ts'
import { findNodeSdk } from './node-sdk.ts'
import { createPreload } from './preload-program.ts'
import { createNodeEnvironment, withoutUndefined } from './program-environment.ts'
import { readTextOption } from './runtime-option.ts'
import { type LineListener, startProgramProcess } from './start-program-process.ts'
import { createCompiledFolder, removeOldCompiledCode } from './compiled-folder.ts'
import type { ProgramHost, ProgramInput, RunningProgram } from '../program.ts'
import { findRequiredNodePackages } from '../required-packages.ts'
import { splitArguments } from './split-arguments.ts'

/** Dependencies of the Node program host. */
export interface NodeHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, with the PATH before Antichain's launcher changed it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Antichain's own `node`. */
  readonly antichainNode: string
  /** The folder that keeps the compiled code of programs. Absent: none. */
  readonly compiledFolder?: string | undefined
  /** The folder that remembers type checks of programs. Absent: they are not remembered. */
  readonly checkedFolder?: string | undefined
  /** Time limit for an interrupted program to end. Default: 5 s, as under Pulumi. */
  readonly stopGraceMs?: number
}

/**
 * Creates the host of Node programs. The host runs programs through the SDK's own runner
 * (docs/spec/programs.md#running-a-node-program, docs/spec/programs.md#end-of-a-program).
 */
export function createNodeProgramHost(deps: NodeHostDeps): ProgramHost {
  const env = withoutUndefined(deps.env)
  return {
    run: async (programInput, onLine) => {
      const sdk = findNodeSdk(
        programInput.programFolder,
        env['PULUMI_LANGUAGE_NODEJS_RUN_PATH'] ?? '',
      )
      const nodeArgs = splitArguments(readTextOption(programInput, 'nodeargs'))
      const { nodeRange } = sdk
      const { processes, antichainNode, checkedFolder } = deps
      const compiledFolder = createCompiledFolder(deps.compiledFolder)
      const node = await chooseNode({
        processes,
        antichainNode,
        env,
        nodeRange,
        directory: programInput.programFolder,
      })
      const { debug = false } = programInput
      const preload = createPreload({ env, nodeArgs, compiledFolder, checkedFolder, debug })
      const request = {
        command: node.command,
        args: [...preload.args, ...nodeArgs, sdk.runner, ...createProgramArguments(programInput)],
        cwd: programInput.programFolder,
        env: { ...env, ...createNodeEnvironment(programInput), ...preload.env },
      }
      const graceOption = deps.stopGraceMs === undefined ? {} : { graceMs: deps.stopGraceMs }
      const watchOptions = { onLine, hintOf: memoryHintOf, ...graceOption }
      if (compiledFolder !== undefined) void removeOldCompiledCode(compiledFolder, Date.now())
      const program = await startProgramProcess(processes, request, {
        programInput,
        ...watchOptions,
      })
      return node.note === '' ? program : withNote(program, node.note, onLine)
    },
    listPackages: source => Promise.resolve(findRequiredNodePackages(source.programFolder)),
  }
}

/** Returns a program that, only after a failure, prints why its version of Node was chosen. */
function withNote(program: RunningProgram, note: string, onLine: LineListener): RunningProgram {
  const programEnd = program.programEnd.then(end => {
    if (end.error !== undefined || end.hasReportedError) onLine(note, 'stderr')
    return end
  })
  return { ...program, programEnd }
}

/** Returns a hint if the line says that the program ran out of memory, else ''. */
function memoryHintOf(line: string): string {
  if (!line.includes('JavaScript heap out of memory')) return ''
  return '. The program ran out of memory: set `nodeargs: --max-old-space-size=<megabytes>` in the runtime options of the project file'
}

/**
 * Returns the flags of the SDK's runner in the order of Pulumi's language host, and the entry
 * point.
 */
export function createProgramArguments(programInput: ProgramInput): readonly string[] {
  const flags: readonly (readonly [name: string, value: string])[] = [
    ['--monitor', programInput.monitorAddress],
    ['--engine', programInput.engineAddress],
    ['--organization', programInput.organization],
    ['--project', programInput.project],
    ['--root-directory', programInput.projectFolder],
    ['--stack', programInput.stack],
    ['--pwd', programInput.programFolder],
  ]
  return [
    ...flags.filter(([, value]) => value !== '').flat(),
    ...(programInput.dryRun ? ['--dry-run'] : []),
    '--parallel',
    String(programInput.parallel),
    programInput.entryPoint,
  ]
}
