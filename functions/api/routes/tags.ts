import * as z from 'zod'
import { createError } from '../../../shared/errors/error.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { requireTagPermission } from '../../../shared/api/require-policy-permission.ts'
import { defineRoute, stackOf } from '../../../shared/api/define-route.ts'
import { putTags, readTags, tagsForm } from '../../../shared/triggers/stack-tags.ts'
import { createRecordForm } from '../../../shared/values/record-form.ts'

const path = '/v1/stacks/{project}/{stack}/tags'
const output = z.object({ tags: createRecordForm(z.string()) })

/** Maximum number of tags of a stack. */
const tagsMax = 100

/** Routes for the tags of a stack. Callers of the API choose names and texts freely. */
export const tagRoutes = [
  defineRoute({
    method: 'GET',
    path,
    role: 'read',
    scope: 'stack',
    summary: 'Get the tags of a stack',
    output,
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      return { json: { tags: await readTags(ports, id) } }
    },
  }),
  defineRoute({
    method: 'PUT',
    path,
    role: 'deploy',
    scope: 'stack',
    summary: 'Change tags of a stack: set those with a text, and remove those with null',
    body: z.strictObject({
      tags: createRecordForm(z.string().max(256).nullable(), z.string().max(40)),
    }),
    output,
    run: async (ports, { params, body, caller }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const mergedTags = new Map<string, string | null>(Object.entries(await readTags(ports, id)))
      for (const [name, value] of Object.entries(body.tags)) mergedTags.set(name, value)
      const keptEntries = [...mergedTags].filter(([, value]) => value !== null)
      const parsedTags = tagsForm.safeParse(Object.fromEntries(keptEntries))
      if (!parsedTags.success || keptEntries.length > tagsMax)
        throw createError(
          'API_INPUT_INVALID',
          `a stack has at most ${tagsMax} tags, with names of 1 to 40 letters, digits, _, ., - and :`,
        )
      await requireTagPermission(ports, { caller, stack: id, tags: parsedTags.data })
      await putTags(ports, id, parsedTags.data)
      return { json: { tags: parsedTags.data } }
    },
  }),
]
