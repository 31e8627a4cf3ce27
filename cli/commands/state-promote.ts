import * as z from 'zod'
import { error } from '../../shared/errors/error.ts'
import { parseForm } from '../../shared/values/parse-form.ts'
import type { Handler } from '../arguments/handler.ts'

const snippetForm = z.looseObject({ name: z.string() })

/**
 * `state promote <snippet>`: always fails. A state keeps the snippets that Pulumi's service added,
 * but Antichain neither runs them nor generates their code. Throws SNIPPET_UNKNOWN for a name that
 * the state does not have, and FEATURE_MISSING for one that it has.
 */
export const promoteSnippet: Handler = async (session, _flags, [name = '']) => {
  session.requireProject()
  const id = await session.requireStack()
  const state = await (await session.openEngine()).exportState(id)
  const names = (state?.snippets ?? []).map(snippet => parseForm(snippetForm, snippet).data?.name)
  if (!names.includes(name))
    throw error('SNIPPET_UNKNOWN', `no snippet named '${name}' exists in the current state`)
  throw error('FEATURE_MISSING', `the code of the snippet '${name}' cannot be generated here`, {
    hint: 'Promote it with Pulumi before the stack moves here; the state keeps the snippet.',
  })
}
