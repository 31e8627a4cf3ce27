import { error } from '../../shared/errors/error.ts'
import { withMark } from '../../shared/state/edits/flags.ts'
import type { Handler } from '../attach.ts'
import { agreedAtTerminal, chosenUrn, editsDirectly, editState } from '../state-editing.ts'

const protectText =
  'This will protect by modifying the stack state directly. A program that does not set ' +
  "'protect' itself takes it back when it runs next. Confirm?"

/** `state protect [urns]`: keeps resources from being deleted. */
export const stateProtect = marking({
  mark: 'protect',
  isSet: true,
  done: 'protected',
  text: protectText,
})

/** `state unprotect [urns]`: lets them be deleted again. */
export const stateUnprotect = marking({ mark: 'protect', isSet: false, done: 'unprotected' })

/** `state taint [urns]`: has the next `up` replace resources. */
export const stateTaint = marking({ mark: 'taint', isSet: true, done: 'tainted' })

/** `state untaint [urns]`: takes that back. */
export const stateUntaint = marking({ mark: 'taint', isSet: false, done: 'untainted' })

function marking(about: {
  readonly mark: 'protect' | 'taint'
  readonly isSet: boolean
  /** What the resources are then. */
  readonly done: string
  readonly text?: string
}): Handler {
  const { done, text = editsDirectly, ...mark } = about
  return async (session, flags, given) => {
    const isAll = flags.is('all')
    if (isAll && given.length > 0)
      throw error('CLI_USAGE', 'either resources are named, or --all is given')
    const named = given.length > 0 || isAll
    const urns = named ? given : [await chosenUrn(session, 'Which resource?')]
    let count = 0
    await editState(session, {
      agreed: first => agreedAtTerminal(session, flags, first + text),
      change(state) {
        const marked = withMark(state, isAll ? 'all' : urns, mark)
        count = marked.count
        return marked.state
      },
    })
    session.warn(isAll ? `All resources ${done}` : `${count} resources ${done}`)
    return 0
  }
}
