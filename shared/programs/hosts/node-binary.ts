import { realpathSync } from 'node:fs'
import semver from 'semver'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath, isExecutable, runToEnd } from '../executables.ts'

/** The `node` that runs a program, and what is to be said about the choice ('' = nothing). */
export interface NodeChoice {
  readonly command: string
  readonly note: string
}

/** What the choice depends on. */
export interface NodeChoiceInput {
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
  /** Antichain's own `node`. */
  readonly ourNode: string
  /** The range that the SDK wants, '' = any. */
  readonly engines: string
  /** Where the program runs: version managers decide by folder. */
  readonly directory: string
}

/**
 * The `node` of the user's PATH where it satisfies the SDK, else ours, as a program under Pulumi
 * sees it. Throws PROGRAM_NODE_MISSING when there is neither.
 */
export async function chooseNode(input: NodeChoiceInput): Promise<NodeChoice> {
  const theirs = findOnPath('node', input.env['PATH'] ?? '')
  const version = theirs === undefined ? '' : await readNodeVersion(theirs, input)
  if (theirs !== undefined && version !== '' && isSatisfied(version, input.engines))
    return { command: theirs, note: '' }
  const why = version === '' ? 'there is none on PATH' : `the one on PATH is ${version}`
  const wants = input.engines === '' ? '' : ` and the SDK wants ${input.engines}`
  if (!isExecutable(input.ourNode))
    throw error('PROGRAM_NODE_MISSING', `no node can run the program: ${why}${wants}`)
  return {
    command: input.ourNode,
    note: `the program runs with the node of antichain, because ${why}${wants}`,
  }
}

async function readNodeVersion(command: string, input: NodeChoiceInput): Promise<string> {
  if (isSameFile(command, process.execPath)) return process.version
  const { processes, directory: cwd, env } = input
  const { out, code } = await runToEnd(processes, { command, args: ['--version'], cwd, env })
  return code === 0 ? (out.split('\n')[0] ?? '').trim() : ''
}

function isSatisfied(version: string, engines: string): boolean {
  return engines === '' || semver.satisfies(version, engines, { includePrerelease: true })
}

function isSameFile(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right)
  } catch {
    return false
  }
}
