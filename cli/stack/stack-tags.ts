import * as z from 'zod'
import type { StackId } from '../../shared/records/ids.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'
import { createRecordForm } from '../../shared/values/record-form.ts'

/** The response of the API with the tags of a stack. */
const tagsResponseForm = z.object({ tags: createRecordForm(z.string()) })

/** Returns the tags of a stack. */
export async function readStackTags(
  session: CliSession,
  id: StackId,
): Promise<Readonly<Record<string, string>>> {
  const { callApi } = await session.openEngine()
  return tagsResponseForm.parse(await callApi({ method: 'GET', path: tagsPathOf(id) })).tags
}

/** Sets tags, and removes those with the value null. Throws API_INPUT_INVALID, DOCUMENT_CHANGED. */
export async function changeStackTags(
  session: CliSession,
  id: StackId,
  tags: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { callApi } = await session.openEngine()
  await callApi({ method: 'PUT', path: tagsPathOf(id), body: { tags } })
}

function tagsPathOf(id: StackId): string {
  return `${stackPathOf(id)}/tags`
}
