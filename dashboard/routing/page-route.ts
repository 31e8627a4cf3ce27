import type { ProjectAndStack } from '../api/api-views.ts'

/** The tabs of the page of a stack. */
export const stackTabs = [
  'resources',
  'outputs',
  'history',
  'approvals',
  'configuration',
  'schedules',
  'settings',
] as const

/** A tab of the page of a stack. */
export type StackTab = (typeof stackTabs)[number]

/** The views of the resources of a stack. */
const resourceViews = ['table', 'tree', 'graph'] as const

/** A view of the resources of a stack. */
export type ResourceView = (typeof resourceViews)[number]

/** The page of a stack. Only the tab with the resources has a view and an open resource. */
type StackRoute = {
  readonly kind: 'stack'
  readonly tab: StackTab
  readonly view?: ResourceView
  /** The key of the resource whose details are shown. */
  readonly resource?: string
} & ProjectAndStack

/** The tabs of the page of the installation. */
export const administrationTabs = [
  'tokens',
  'audit',
  'health',
  'plugins',
  'federation',
  'webhooks',
  'notifications',
] as const

/** A tab of the page of the installation. */
export type AdministrationTab = (typeof administrationTabs)[number]

/** The page that the address names. */
export type PageRoute =
  | { readonly kind: 'stacks' }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'administration'; readonly tab: AdministrationTab }
  | ({ readonly kind: 'diff'; readonly from: number; readonly to: number } & ProjectAndStack)
  | StackRoute
  | ({ readonly kind: 'deployment'; readonly number: number } & ProjectAndStack)
  | ({ readonly kind: 'plan'; readonly request: string } & ProjectAndStack)
  | { readonly kind: 'unknown'; readonly path: string }

const versionPattern = /^\d{1,15}$/

/** Returns the page of a fragment, such as `#/stacks/shop/prod/history`. Pure. */
export function parseRoute(fragment: string): PageRoute {
  const path = fragment.replace(/^#\/?/, '')
  const parts = path.split('/').map(decodePart)
  const [section = '', project = '', stack = '', page = 'resources', pageArgument = ''] = parts
  const sectionArgument = parts[1] ?? ''
  const unknown: PageRoute = { kind: 'unknown', path }
  if (path === '' || path === 'stacks') return { kind: 'stacks' }
  if (section === 'search' && parts.length <= 2) return { kind: 'search', text: sectionArgument }
  if (section === 'administration' && parts.length <= 2) {
    const tabName = sectionArgument === '' ? 'tokens' : sectionArgument
    const tab = administrationTabs.find(name => name === tabName)
    return tab === undefined ? unknown : { kind: 'administration', tab }
  }
  if (section !== 'stacks' || project === '' || stack === '') return unknown
  if (page === 'deployments' && parts.length === 5 && /^[1-9]\d{0,14}$/.test(pageArgument))
    return { kind: 'deployment', project, stack, number: Number(pageArgument) }
  if (page === 'plans' && parts.length === 5 && pageArgument !== '')
    return { kind: 'plan', project, stack, request: pageArgument }
  const [from, to] = [pageArgument, parts[5] ?? '']
  if (page === 'diff' && parts.length === 6 && versionPattern.test(from) && versionPattern.test(to))
    return { kind: 'diff', project, stack, from: Number(from), to: Number(to) }
  const tab = stackTabs.find(name => name === page)
  if (tab === undefined) return unknown
  const base = { kind: 'stack', project, stack, tab } as const
  if (parts.length <= 4) return base
  const resourceView = resourceViews.find(name => name === pageArgument)
  if (tab !== 'resources' || resourceView === undefined || parts.length > 6) return unknown
  const resource = parts[5]
  return { ...base, view: resourceView, ...(resource === undefined ? {} : { resource }) }
}

/** Returns the fragment of a page. Pure. */
export function hrefOf(route: Exclude<PageRoute, { readonly kind: 'unknown' }>): string {
  if (route.kind === 'stacks') return '#/stacks'
  if (route.kind === 'search') return `#/search/${encodeURIComponent(route.text)}`
  if (route.kind === 'administration') return `#/administration/${route.tab}`
  const base = `#/stacks/${encodeURIComponent(route.project)}/${encodeURIComponent(route.stack)}`
  if (route.kind === 'deployment') return `${base}/deployments/${route.number}`
  if (route.kind === 'plan') return `${base}/plans/${encodeURIComponent(route.request)}`
  if (route.kind === 'diff') return `${base}/diff/${route.from}/${route.to}`
  const { tab, view, resource } = route
  const resourcePart = resource === undefined ? '' : `/${encodeURIComponent(resource)}`
  return `${base}/${tab}${view === undefined ? '' : `/${view}${resourcePart}`}`
}

/** Returns a decoded part of a path, or the part itself if its encoding is invalid. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
