import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'

/** Returns the address of the dashboard of an API: its start page, or the page of a stack. */
export function dashboardAddressOf(url: string, stack: StackId | undefined): string {
  const base = url.replace(/\/+$/, '')
  if (stack === undefined) return `${base}/`
  const { project, stack: name } = stackPartsOf(stack)
  return `${base}/#/stacks/${encodeURIComponent(project)}/${encodeURIComponent(name)}`
}
