import { type StackId, stackPartsOf } from '../records/ids.ts'

/** A page of a stack in the dashboard: the preview of a request, or a deployment. */
export type DashboardPage =
  | { readonly kind: 'plan'; readonly request: string }
  | { readonly kind: 'deployment'; readonly number: number }

/**
 * Returns the address of a page of the dashboard at `url`. Without a page, returns the address of
 * the stack. Without a stack, returns the address of the start page. Pure.
 */
export function dashboardAddressOf(
  url: string,
  stack: StackId | undefined,
  page?: DashboardPage,
): string {
  const base = url.replace(/\/+$/, '')
  if (stack === undefined) return `${base}/`
  const { project, stack: name } = stackPartsOf(stack)
  const stackAddress = `${base}/#/stacks/${escapePart(project)}/${escapePart(name)}`
  if (page === undefined) return stackAddress
  return page.kind === 'plan'
    ? `${stackAddress}/plans/${escapePart(page.request)}`
    : `${stackAddress}/deployments/${page.number}`
}

/** Escapes a part of an address, also the parentheses that would end a link of Markdown. */
function escapePart(text: string): string {
  return encodeURIComponent(text).replaceAll('(', '%28').replaceAll(')', '%29')
}
