import type { Command } from 'commander'
import { stackPartsOf } from '../../shared/records/ids.ts'
import { findProjectName, type CliSession } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'
import { type Candidates, findCandidates, type LiveWordKind } from './find-candidates.ts'

/**
 * Prints the words that may complete a command line, one per line. With the shell `fish`, a tab and
 * a description follow each word. A failure prints nothing, because it would disturb the terminal.
 * `openSession` creates a session with the options of the command line.
 */
export async function printCandidates(
  root: Command,
  [shell = '', ...args]: readonly string[],
  openSession: (options: Pick<Candidates, 'cwd' | 'stack'>) => CliSession,
): Promise<void> {
  const candidates = findCandidates(root, args)
  const session = openSession(candidates)
  const prefix = args.at(-1) ?? ''
  try {
    const liveWords =
      candidates.liveWordKind === undefined
        ? []
        : await readLiveWords(session, candidates.liveWordKind)
    const allCandidates = [
      ...candidates.choices,
      ...liveWords.filter(name => name.startsWith(prefix)).map(name => ({ name, description: '' })),
    ]
    for (const { name, description } of allCandidates)
      session.print(shell === 'fish' && description !== '' ? `${name}\t${description}` : name)
  } catch {
    // The shell shows only candidates, so an error is dropped.
  } finally {
    await session.close()
  }
}

async function readLiveWords(session: CliSession, kind: LiveWordKind): Promise<readonly string[]> {
  const { platform, exportState } = await session.openEngine()
  if (kind === 'stacks') {
    const project = findProjectName(session)
    const { stacks } = await platform.catalog.listStacks(project)
    return stacks.map(({ id }) => {
      const parts = stackPartsOf(id)
      return project === undefined ? `${parts.project}/${parts.stack}` : parts.stack
    })
  }
  const stack = await session.requireStack()
  if (kind === 'urns') return ((await exportState(stack))?.resources ?? []).map(({ urn }) => urn)
  const project = session.requireProject()
  const values = openStackFile(session, project, { stack, file: undefined }).getValues()
  return [...values.keys()].map(key =>
    key.startsWith(`${project.name}:`) ? key.slice(project.name.length + 1) : key,
  )
}
