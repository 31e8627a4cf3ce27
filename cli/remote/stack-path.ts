import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'

/** Returns the path of a stack at the API. */
export function stackPathOf(id: StackId): string {
  const { project, stack } = stackPartsOf(id)
  return `/v1/stacks/${encodeURIComponent(project)}/${encodeURIComponent(stack)}`
}
