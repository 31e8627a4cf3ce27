import { stackPartsOf } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'

/** Up to this number of stacks, each stack has a line. With more stacks, the user types a name. */
const shownStacksMax = 20

/** Returns the names of all readable stacks of the folder's project. */
export async function listStackNames(session: CliSession): Promise<readonly string[]> {
  const { platform } = await session.openEngine()
  const { stacks } = await platform.catalog.listStacks(session.requireProject().name)
  return stacks.map(({ id }) => stackPartsOf(id).stack)
}

/** Lets the user choose a stack, or `otherChoice`. Returns '' if the user declines. */
export async function chooseStackName(
  { io }: Pick<CliSession, 'io'>,
  names: readonly string[],
  ...otherChoice: readonly string[]
): Promise<string> {
  const choices = [...names, ...otherChoice]
  const [initial] = names
  if (io.choose !== undefined && initial !== undefined && names.length <= shownStacksMax)
    return io.choose('Select a stack:', { options: choices, initial })
  return (await io.prompt(`Select a stack (${choices.join(', ')}):`)).trim()
}
