import type { Handler } from '../arguments/handler.ts'
import { selectStack } from '../stack/selected-stack.ts'

/** `stack unselect`: clears the selected stack of the project. */
export const unselectStack: Handler = async session => {
  selectStack(session.home, session.requireProject().file, '')
  session.print('Stack was unselected')
  return 0
}
