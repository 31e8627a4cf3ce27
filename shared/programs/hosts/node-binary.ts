import { realpathSync } from 'node:fs'
import semver from 'semver'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath, isExecutable, runToEnd } from '../executables.ts'

/** The `node` that runs a program, and a note about the choice ('' = none). */
export interface NodeChoice {
  readonly command: string
  readonly note: string
}

/** The input of `chooseNode`. */
export interface NodeChoiceInput {
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
  /** Antichain's own `node`. */
  readonly antichainNode: string
  /** The range of Node versions that the SDK requires, '' = any. */
  readonly nodeRange: string
  /** The program's folder, because version managers decide by folder. */
  readonly directory: string
}

/**
 * Chooses the `node` on the user's PATH if it satisfies the SDK, as under Pulumi, and Antichain's
 * own otherwise. Throws PROGRAM_NODE_MISSING when neither can be used.
 */
export async function chooseNode(input: NodeChoiceInput): Promise<NodeChoice> {
  const userNode = findOnPath('node', input.env['PATH'] ?? '')
  const version = userNode === undefined ? '' : await readNodeVersion(userNode, input)
  if (userNode !== undefined && version !== '' && isSatisfied(version, input.nodeRange))
    return { command: userNode, note: '' }
  const reason = describeUserNode(userNode, version)
  const requirement = input.nodeRange === '' ? '' : ` and the SDK requires ${input.nodeRange}`
  if (!isExecutable(input.antichainNode))
    throw createError(
      'PROGRAM_NODE_MISSING',
      `no suitable node for the program: ${reason}${requirement}`,
    )
  return {
    command: input.antichainNode,
    note: `using the node of antichain for the program, because ${reason}${requirement}`,
  }
}

function describeUserNode(userNode: string | undefined, version: string): string {
  if (userNode === undefined) return 'node is not on PATH'
  return version === '' ? 'the node on PATH does not run' : `the node on PATH is ${version}`
}

/** Returns the version of a `node` with a leading v. Returns '' if the file does not run. */
async function readNodeVersion(command: string, input: NodeChoiceInput): Promise<string> {
  if (isSameFile(command, process.execPath)) return process.version
  const { processes, directory: cwd, env } = input
  const { stdout, code } = await runToEnd(processes, { command, args: ['--version'], cwd, env })
  return code === 0 ? (stdout.split('\n')[0] ?? '').trim() : ''
}

function isSatisfied(version: string, nodeRange: string): boolean {
  return nodeRange === '' || semver.satisfies(version, nodeRange, { includePrerelease: true })
}

function isSameFile(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right)
  } catch {
    return false
  }
}
