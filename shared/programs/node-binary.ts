import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import semver from 'semver'
import { error } from '../errors/error.ts'
import type { ProcessesPort } from '../ports/system.ts'
import { eachLine } from './output-lines.ts'

/** The `node` that runs a program, and what is to be said about the choice ('' = nothing). */
export interface NodeChoice {
  readonly command: string
  readonly note: string
}

/** What the choice depends on. */
export interface NodeWish {
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
export async function chooseNode(wish: NodeWish): Promise<NodeChoice> {
  const theirs = findOnPath('node', wish.env['PATH'] ?? '')
  const version = theirs === undefined ? '' : await versionOf(theirs, wish)
  if (theirs !== undefined && version !== '' && satisfies(version, wish.engines))
    return { command: theirs, note: '' }
  const why = version === '' ? 'there is none on PATH' : `the one on PATH is ${version}`
  const wants = wish.engines === '' ? '' : ` and the SDK wants ${wish.engines}`
  if (!isExecutable(wish.ourNode))
    throw error('PROGRAM_NODE_MISSING', `no node can run the program: ${why}${wants}`)
  return {
    command: wish.ourNode,
    note: `the program runs with the node of antichain, because ${why}${wants}`,
  }
}

/** The first executable file of a name in the folders of a PATH. */
function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => join(folder, name))
    .find(isExecutable)
}

async function versionOf(command: string, wish: NodeWish): Promise<string> {
  if (isSame(command, process.execPath)) return process.version
  let said = ''
  try {
    const child = wish.processes.spawn({
      command,
      args: ['--version'],
      cwd: wish.directory,
      env: wish.env,
    })
    const quiet = eachLine(child.stderr, () => {})
    await eachLine(child.stdout, line => {
      said ||= line.trim()
    })
    await quiet
    const { code } = await child.exit
    return code === 0 ? said : ''
  } catch {
    return ''
  }
}

function satisfies(version: string, engines: string): boolean {
  return engines === '' || semver.satisfies(version, engines, { includePrerelease: true })
}

function isSame(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right)
  } catch {
    return false
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
