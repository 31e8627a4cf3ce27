import { error } from '../../shared/errors/error.ts'
import { type Forgotten, withoutResources } from '../../shared/state/edits/delete-resources.ts'
import { textIn } from '../../shared/state/stored-fields.ts'
import type { Handler } from '../attach.ts'
import type { Session } from '../session.ts'
import {
  agreedAtTerminal,
  chosenUrn,
  currentState,
  editsDirectly,
  editState,
} from '../state-editing.ts'

/** `state delete [urns]`: has the state forget resources; nothing is deleted in the cloud. */
export const stateDelete: Handler = async (session, flags, given) => {
  const isAll = flags.is('all')
  if (isAll && given.length > 0)
    throw error('CLI_USAGE', 'either resources are named, or --all is given')
  const named = given.length > 0 || isAll
  const urns = named ? given : [await chosenUrn(session, 'Which resource is to be forgotten?')]
  const wish = {
    urns: isAll ? ('all' as const) : urns.map(urn => ({ urn })),
    force: flags.is('force'),
    dependents: flags.is('targetDependents'),
  }
  const sure = await withoutDoubt(session, wish)
  let came: Forgotten | undefined
  await editState(session, {
    agreed: first => agreedAtTerminal(session, flags, first + editsDirectly),
    change(state) {
      came = withoutResources(state, sure)
      return came.state
    },
  })
  for (const urn of came?.forced ?? [])
    session.warn(`warning: deleting protected resource ${urn} due to presence of --force`)
  const count = came?.named ?? 0
  if (isAll) session.warn('Resources deleted')
  else session.warn(count === 1 ? 'Resource deleted' : `${count} resources deleted`)
  return 0
}

/** At a terminal a person says which copy is meant where several resources have one URN. */
async function withoutDoubt(
  session: Session,
  wish: Parameters<typeof withoutResources>[1],
): Promise<Parameters<typeof withoutResources>[1]> {
  if (wish.urns === 'all' || !session.interactive) return wish
  const state = await currentState(session, await session.existingStack())
  const sure: { readonly urn: string; readonly id?: string }[] = []
  for (const { urn } of wish.urns) {
    const copies = (state?.resources ?? []).filter(resource => resource.urn === urn)
    if (copies.length < 2) sure.push({ urn })
    else {
      const marks = copies.map(
        copy =>
          `'${textIn(copy, 'id')}'${copy['protect'] === true ? ' (protected)' : ''}` +
          (copy['delete'] === true ? ' (pending deletion)' : ''),
      )
      session.warn(`${copies.length} resources have the URN ${urn}: ${marks.join(', ')}`)
      sure.push({ urn, id: (await session.io.ask('The id of the one that is meant:')).trim() })
    }
  }
  return { ...wish, urns: sure }
}
