import type { ProjectAndStack } from '../api/api-views.ts'

/** The tabs of the page of a stack. */
export const stackTabs = ['resources', 'outputs', 'history', 'schedules'] as const

/** A tab of the page of a stack. */
export type StackTab = (typeof stackTabs)[number]

/** The page that the address names. */
export type PageRoute =
  | { readonly kind: 'stacks' }
  | ({ readonly kind: 'stack'; readonly tab: StackTab } & ProjectAndStack)
  | ({ readonly kind: 'deployment'; readonly number: number } & ProjectAndStack)
  | { readonly kind: 'unknown'; readonly path: string }

/** Returns the page of a fragment, such as `#/stacks/shop/prod/history`. Pure. */
export function parseRoute(fragment: string): PageRoute {
  const path = fragment.replace(/^#\/?/, '')
  const parts = path.split('/').map(decodePart)
  const [section = '', project = '', stack = '', view = 'resources', numberText = ''] = parts
  const unknown: PageRoute = { kind: 'unknown', path }
  if (path === '' || path === 'stacks') return { kind: 'stacks' }
  if (section !== 'stacks' || project === '' || stack === '') return unknown
  if (view === 'deployments' && parts.length === 5 && /^[1-9]\d{0,14}$/.test(numberText))
    return { kind: 'deployment', project, stack, number: Number(numberText) }
  const tab = stackTabs.find(name => name === view)
  return tab === undefined || parts.length > 4 ? unknown : { kind: 'stack', project, stack, tab }
}

/** Returns the fragment of a page. Pure. */
export function hrefOf(route: Exclude<PageRoute, { readonly kind: 'unknown' }>): string {
  if (route.kind === 'stacks') return '#/stacks'
  const base = `#/stacks/${encodeURIComponent(route.project)}/${encodeURIComponent(route.stack)}`
  return route.kind === 'stack' ? `${base}/${route.tab}` : `${base}/deployments/${route.number}`
}

/** Returns a decoded part of a path, or the part itself if its encoding is invalid. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
