import { stackPartsOf } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'

/** The highest number of choices with a line each. The user types the name of more stacks. */
const shownChoicesMax = 20

/** Returns the names of the stacks of the folder's project, or the first page of very many. */
export async function listStackNames(session: CliSession): Promise<readonly string[]> {
  const { platform } = await session.openEngine()
  const { stacks } = await platform.catalog.listStacks(session.requireProject().name)
  return stacks.map(({ id }) => stackPartsOf(id).stack)
}

/** Lets the user choose a stack. Returns '' if the user declines. */
export async function chooseName(
  { io }: Pick<CliSession, 'io'>,
  choices: readonly string[],
): Promise<string> {
  const [initial = ''] = choices
  if (io.choose !== undefined && choices.length > 0 && choices.length <= shownChoicesMax)
    return io.choose('Select a stack:', { options: choices, initial })
  return (await io.prompt(`Select a stack (${choices.join(', ')}):`)).trim()
}
