import { findSnippet, formatSnippetProgram } from '../../shared/state/snippets.ts'
import type { Handler } from '../arguments/handler.ts'
import { type GeneratedFile, generateProgram } from '../project/generate-program.ts'
import { confirmAtTerminal, editConfirmedState, readCurrentState } from '../state/edit-state.ts'

/**
 * `state promote <snippet>`: prints the code of a snippet in the language of the project, and
 * removes the snippet from the state. The resources of the snippet stay and are protected. Nothing
 * changes when the code cannot be generated. Throws the errors of `findSnippet` and
 * `generateProgram`. Source: pkg/cmd/pulumi/state/state_promote.go, v3.274.1.
 */
export const promoteSnippetCommand: Handler = async (session, flags, [name = '']) => {
  session.requireProject()
  const state = await readCurrentState(session, await session.requireStack())
  const snippet = findSnippet(state ?? {}, name)
  const files = await generateProgram(session, formatSnippetProgram(snippet))
  session.print(`Generated code for snippet "${name}":`)
  for (const file of files) session.print(formatFile(file))
  const question =
    'This command will remove the snippet from state and leave its resources in state. Confirm?'
  const { count } = await editConfirmedState(session, {
    confirm: introduction => confirmAtTerminal(session, flags, introduction + question),
    edit: { kind: 'promote', snippet: snippet.uuid },
  })
  session.print(`\nSnippet "${name}" promoted from state; ${count} resource(s) retained`)
  return 0
}

/** Returns a file below its underlined name. */
function formatFile({ name, text }: GeneratedFile): string {
  return `\n${name}\n${'='.repeat(name.length)}\n${text.replace(/\n$/, '')}`
}
